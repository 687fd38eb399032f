package advance

import (
	"fmt"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/sexpr"
)

// enter goes into a loop, if its first iteration is admitted.
func (s *search) enter(id string) error {
	loop, ok := s.plan.Loop(id)
	if !ok || len(loop.Body) == 0 {
		return fmt.Errorf("plan %s: loop %s has no body", s.plan.WorkflowID, id)
	}
	if goes := s.admits(loop, 0); len(s.reasons) > 0 {
		return nil
	} else if !goes {
		s.leave(loop, 0, ConditionFalse)
		return nil
	}
	s.trace = append(s.trace, loopEntry(EnteredLoop, id, 0, "The loop %s begins.", id))
	s.at.Loops, s.admitted = []state.Frame{{LoopID: id}}, true
	return nil
}

// inLoop goes on in the loop that the run is in: to the first step of the body that is left, or
// to the next iteration, or out.
func (s *search) inLoop() (bool, error) {
	frame, loop := s.at.Loops[0], s.loop()
	if loop.Control == "" && !s.admitted { // a step of this iteration was done: does it still hold?
		if goes := s.admits(loop, frame.Iteration); len(s.reasons) > 0 {
			return true, nil
		} else if !goes {
			s.leave(loop, frame.Iteration+1, ConditionFalse)
			return false, nil
		}
	}
	s.admitted = false
	seen := s.seen()
	for i := frame.BodyIndex; i < len(loop.Body); i++ {
		step := &loop.Body[i]
		if s.at.Done(state.Step{ID: step.ID, Path: s.at.Path()}.Key()) {
			continue
		}
		if eligible := s.holds(step.When, seen, step.ID); len(s.reasons) > 0 {
			return true, nil
		} else if eligible {
			frame.BodyIndex = i
			s.at.Loops = []state.Frame{frame}
			s.take(step)
			return true, nil
		}
	}
	s.onward(loop, frame.Iteration+1)
	return len(s.reasons) > 0, nil
}

// onward begins the next iteration, if the loop wants it and may have it.
func (s *search) onward(loop *plans.Loop, next int) {
	goes := s.admits(loop, next)
	switch {
	case len(s.reasons) > 0:
	case !goes:
		s.leave(loop, next, ConditionFalse)
	case next >= loop.MaxIterations:
		s.gaps = append(s.gaps, state.Gap{Severity: "warning", Category: state.ContractViolation, Detail: MaxIterations,
			Summary: fmt.Sprintf("The loop %s ended after %d iterations, its maximum, though it was to go on.", loop.ID, next)})
		s.leave(loop, next, MaxIterations)
	default:
		s.at = s.at.Lately(loop.ID)
		s.at.Loops, s.admitted = []state.Frame{{LoopID: loop.ID, Iteration: next}}, true
	}
}

// leave ends a loop after so many iterations, the last of them perhaps not to its end: it is completed
// under its own id.
func (s *search) leave(loop *plans.Loop, iterations int, why string) {
	s.trace = append(s.trace, loopEntry(ExitedLoop, loop.ID, iterations, "The loop %s ends after %d iterations: %s.",
		loop.ID, iterations, why))
	s.at.Loops = nil
	s.at = s.at.Lately(loop.ID).With(state.Key(loop.ID))
}

// admits says whether a loop wants an iteration.
func (s *search) admits(loop *plans.Loop, iteration int) bool {
	var goes bool
	switch {
	case loop.Control != "" && iteration == 0:
		return true // nothing was decided yet
	case loop.Control != "":
		goes = s.decided(loop, iteration-1)
	case loop.Type == plans.LoopFor:
		goes = iteration < s.count(loop)
	case loop.Type == plans.LoopForEach:
		goes = iteration < s.items(loop)
	default:
		seen, _ := work.InLoop(s.in.Work, nil, loop, iteration)
		goes = s.holds(loop.When, seen, loop.ID) == (loop.Type == plans.LoopWhile)
	}
	if len(s.reasons) > 0 {
		return false
	}
	s.trace = append(s.trace, loopEntry(EvaluatedCondition, loop.ID, iteration, "The loop %s wants iteration %d: %t.",
		loop.ID, iteration, goes))
	return goes
}

// decided is the decision that the body handed in: that of its last step which has one. A
// missing one does not end the loop: it blocks, and where nothing may stop it is a gap, and the loop ends.
func (s *search) decided(loop *plans.Loop, iteration int) bool {
	path := []state.Level{{LoopID: loop.ID, Iteration: iteration}}
	for i := len(loop.Body) - 1; i >= 0; i-- {
		if c, ok := s.in.Controls[state.Step{ID: loop.Body[i].ID, Path: path}.Key()]; ok {
			return c == Continue
		}
	}
	r := state.Reason{Code: state.MissingOutput, Pointer: state.Pointer{Kind: state.AtContract, ContractRef: loop.Control},
		Message: fmt.Sprintf("Iteration %d of the loop %s handed in no decision.", iteration, loop.ID),
		Fix:     "Hand in an artifact " + example(s.plan, loop.Control) + "."}
	if Decide(s.in.Mode, r.Code, plans.ByPrompt) == RecordGap {
		s.gaps = append(s.gaps, r.Gap())
		return false
	}
	s.block(r)
	return false
}

func (s *search) count(loop *plans.Loop) int {
	if loop.CountKey == "" {
		return loop.Count
	}
	v := plans.Lookup(s.in.Work, loop.CountKey)
	switch v.Kind() {
	case sexpr.Int:
		return int(min(v.Int(), int64(loop.MaxIterations)+1))
	case sexpr.Float:
		return int(min(v.Float(), float64(loop.MaxIterations)+1))
	}
	s.needs(loop, loop.CountKey, v, "a number")
	return 0
}

func (s *search) items(loop *plans.Loop) int {
	v := plans.Lookup(s.in.Work, loop.Items)
	if v.Kind() == sexpr.List && !v.IsPlist() {
		return v.Len()
	}
	s.needs(loop, loop.Items, v, "an array")
	return 0
}

// needs blocks: a key of work is not what a loop runs over.
func (s *search) needs(loop *plans.Loop, key string, v sexpr.Value, want string) {
	r := state.Reason{Code: state.InvalidContext, Pointer: state.Pointer{Kind: state.AtContextKey, Key: key},
		Message: cut(fmt.Sprintf("The loop %s needs %s in the context key %s, found %s: %s", loop.ID, want, key,
			work.Kind(v), preview(v))),
		Fix: fmt.Sprintf("Send the context key %s as %s.", key, want)}
	if v.IsSym("null") {
		r.Code = state.MissingContext
		r.Message = fmt.Sprintf("The loop %s needs %s in the context key %s, which is not set.", loop.ID, want, key)
	}
	s.block(r)
}

// holds judges a condition. One that cannot be judged blocks, and names the key.
func (s *search) holds(c *plans.Condition, seen sexpr.Value, id string) bool {
	holds, err := c.Holds(seen)
	if err != nil {
		s.block(Unjudged(c, id, err))
		return false
	}
	return holds
}

func (s *search) block(r state.Reason) { s.reasons = append(s.reasons, r) }
