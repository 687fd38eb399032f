package skills

import (
	"fmt"
	"math"
)

// Sum selects spends of a budget: those of the session, by any principal, or the
// principal's own in all sessions since an instant in Unix seconds.
type Sum struct {
	Budget  string
	Session bool
	Since   int64
}

// Of adds up spends in their order, which is recorded, so the sum is the same on
// every machine. A spend without a time always counts. If an amount is invalid, the
// sum is NaN.
func (s Sum) Of(in Session, spends []Spend) float64 {
	sum := 0.0
	for i := range spends {
		x := &spends[i]
		switch {
		case x.Budget != s.Budget:
		case s.Session && x.Session == in.ID,
			!s.Session && (x.Principal == "" || x.Principal == in.Principal) && (x.At == 0 || x.At >= s.Since):
			sum += x.Counted()
		}
	}
	return sum
}

// Counted is the amount that a spend adds to a sum; NaN if the recorded amount is
// invalid.
func (s *Spend) Counted() float64 {
	if math.IsInf(s.Amount, 0) || s.Amount < 0 {
		return math.NaN()
	}
	return s.Amount
}

// PeriodStart returns the beginning of the period, of the given length in seconds,
// that contains an instant. Periods are counted from 1970, in UTC.
func PeriodStart(at, length int64) int64 {
	start := at - at%length
	if start > at {
		start -= length // before 1970
	}
	return start
}

// Of returns the amount that an action takes from the budget. A missing, negative or
// non-finite amount is an error, which the model can correct.
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
