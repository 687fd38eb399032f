package approval
