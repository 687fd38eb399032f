package capabilities

import (
	"slices"

	"github.com/opencortex-go/cortex/skills"
)

// supposed is the past of a step that is judged before its plan begins: what has happened, and after
// it the earlier steps of the plan, as if they had been done. It knows no results of theirs, so
// what readers make of the session is what they make of the real one.
type supposed struct {
	real   past
	calls  []skills.Turn
	spends []skills.Spend
}

// past is what gates may ask about the history of a case.
type past interface {
	Turns() ([]skills.Turn, error)
	Spends() ([]skills.Spend, error)
	Calls(tool string, since int64, most int) ([]*skills.Call, error)
	Spent(of skills.Sum) (float64, error)
	Covers(tool string) ([]skills.Cover, error)
	Reading(by skills.Reader) (skills.Reading, error)
	Whole() (bool, error)
}

var (
	_ skills.History = (*supposed)(nil)
	_ past           = (*skills.Case)(nil)
)

// add supposes that a step was taken. action is nil for a step that cannot be known before.
func (s *supposed) add(tool string, action *skills.Action, declared *skills.Tool, f *skills.Facts) {
	call := &skills.Call{Tool: tool, Decision: "allow", Happened: true, At: f.Now}
	if action != nil {
		call.Args = action.Args()
	}
	s.calls = append(s.calls, skills.Turn{Call: call})
	if declared == nil || action == nil {
		return
	}
	for _, spending := range declared.Spends {
		if amount, err := spending.Of(action); err == nil { // else the policy has denied it
			s.spends = append(s.spends, skills.Spend{Budget: spending.Budget, Amount: amount, Session: f.Session.ID,
				Principal: f.Session.Principal, Tool: tool, At: f.Now})
		}
	}
}

// Turns implements [skills.History].
func (s *supposed) Turns() ([]skills.Turn, error) {
	turns, err := s.real.Turns()
	return slices.Concat(turns, s.calls), err
}

// Spends implements [skills.History].
func (s *supposed) Spends() ([]skills.Spend, error) {
	spends, err := s.real.Spends()
	return slices.Concat(spends, s.spends), err
}

// Calls implements [skills.History].
func (s *supposed) Calls(tool string, since int64, most int) ([]*skills.Call, error) {
	calls, err := s.real.Calls(tool, since, most)
	if err != nil {
		return nil, err
	}
	return slices.Concat(calls, skills.CallsOf(s.calls, tool, since, most-len(calls))), nil
}

// Spent implements [skills.History].
func (s *supposed) Spent(of skills.Sum) (float64, error) {
	sum, err := s.real.Spent(of)
	if err != nil {
		return 0, err
	}
	for i := range s.spends { // one after the other, as they will be added when they are real
		x := &s.spends[i]
		if x.Budget == of.Budget && (of.Session || x.At >= of.Since) {
			sum += x.Counted()
		}
	}
	return sum, nil
}

// Covers implements [skills.History].
func (s *supposed) Covers(tool string) ([]skills.Cover, error) { return s.real.Covers(tool) }

// Reading implements [skills.History].
func (s *supposed) Reading(by skills.Reader) (skills.Reading, error) { return s.real.Reading(by) }

// Whole implements [skills.History].
func (s *supposed) Whole() (bool, error) { return s.real.Whole() }
