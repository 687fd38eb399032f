package layout

// Loops are the operators that the style takes for loops.
func Loops() []string { return loops() }
