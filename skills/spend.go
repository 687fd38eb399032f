package skills

import (
	"fmt"
	"math"
)

// Of returns what an action takes from the budget. A missing, negative or
// non-finite amount is an error, for the model to mend: what cannot be counted is
// not spent.
func (s Spending) Of(a *Action) (float64, error) {
	if s.Arg == "" {
		return s.Fixed, nil
	}
	var n float64
	switch v := a.Native()[s.Arg].(type) {
	case int64:
		n = float64(v)
	case float64:
		n = v
	default:
		return 0, fmt.Errorf(":%s is missing or no number, and it is what %s spends", s.Arg, a.Tool())
	}
	if n < 0 || math.IsInf(n, 0) || math.IsNaN(n) {
		return 0, fmt.Errorf(":%s is %v; what %s spends is not negative", s.Arg, n, a.Tool())
	}
	return n, nil
}
