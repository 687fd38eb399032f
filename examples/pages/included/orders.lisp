(deftool look_up_order
  :params (:order string)
  :required (:order)
  :tier :allow :effect :none
  :output (:state :trusted :note :untrusted))
