package advance

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/sexpr"
)

// maxTurns bounds one search for the step that is due.
const maxTurns = 10_000

// Input is what selection looks at, beside plan and state.
type Input struct {
	Work sexpr.Value // an object; all keys
	// Controls are the decisions of loops by the step instance that handed them in. Only those
	// of the iteration that a loop is in are looked at, so a decision of another loop, or of an
	// earlier iteration, decides nothing.
	Controls map[state.Key]Control
	Mode     Mode
}

// Control is the decision of a loop.
type Control string

// The decisions.
const (
	Continue Control = "continue"
	Stop     Control = "stop"
)

// Due is what comes next.
type Due struct {
	// State is the state to go on from: with the step pending, or complete. With Reasons it is
	// the state that was asked about.
	State state.State
	Step  *plans.Step // nil if the run is complete, or Reasons block
	Loop  *plans.Loop // around Step, or nil
	// Confirm are the confirmations that Step needs: its own, and that of a loop which begins with it.
	Confirm []*plans.Confirmation
	Work    sexpr.Value // as Step sees it, the variables of its loop included
	Trace   []Entry     // in order; [Bound] fits it into an event
	Gaps    []state.Gap // what is recorded although the run goes on
	// Reasons say that what comes next cannot be told.
	Reasons []state.Reason
}

// Next says which step is due. A pending step is due again. It fails on a state that does not
// fit the plan, and where 10,000 turns find no step.
func Next(plan *plans.Plan, at state.State, in Input) (Due, error) {
	s := &search{plan: plan, in: in}
	switch at := at.(type) {
	case state.Init:
	case state.Running:
		s.at = at.Position
	case state.Blocked:
		s.at = at.Position
	case state.Complete:
		return Due{State: at, Work: in.Work}, nil
	}
	if at == nil {
		return Due{}, errors.New("no state")
	}
	if err := s.fits(); err != nil {
		return Due{}, err
	}
	if s.at.Pending != nil {
		return s.again(at)
	}
	for range maxTurns {
		done, err := s.turn()
		if err != nil {
			return Due{}, err
		}
		if len(s.reasons) > 0 {
			return Due{State: at, Trace: s.trace, Gaps: s.gaps, Reasons: s.reasons, Work: in.Work}, nil
		}
		if done {
			return s.due(), nil
		}
	}
	return Due{}, fmt.Errorf("plan %s: no step is due after %d turns", plan.WorkflowID, maxTurns)
}

// search is one call of Next.
type search struct {
	plan *plans.Plan
	in   Input
	at   state.Position
	step *plans.Step
	over bool
	// admitted says that this search let the run into the iteration that it is in.
	admitted bool
	trace    []Entry
	gaps     []state.Gap
	reasons  []state.Reason
}

// fits sees that the state is one of this plan. What is completed was checked as a whole when the
// state was read, and is not looked through at every step.
func (s *search) fits() error {
	place := s.at
	place.Completed = nil
	if err := state.Check(state.Running{Position: place}); err != nil {
		return fmt.Errorf("plan %s: %w", s.plan.WorkflowID, err)
	}
	if len(s.at.Loops) > 1 {
		return fmt.Errorf("plan %s: the state is in %d loops, and loops have no loops", s.plan.WorkflowID, len(s.at.Loops))
	}
	for _, f := range s.at.Loops {
		loop, ok := s.plan.Loop(f.LoopID)
		if !ok || f.Iteration >= loop.MaxIterations || f.BodyIndex >= len(loop.Body) {
			return fmt.Errorf("plan %s: loop %s is at iteration %d and step %d, where it cannot be", s.plan.WorkflowID,
				f.LoopID, f.Iteration, f.BodyIndex)
		}
	}
	return nil
}

// again finds the pending step.
func (s *search) again(at state.State) (Due, error) {
	steps := s.plan.Steps
	loop := s.loop()
	if loop != nil {
		steps = loop.Body
	}
	for i := range steps {
		if steps[i].ID == s.at.Pending.ID && steps[i].LoopID == "" {
			s.step = &steps[i]
			due := s.due()
			due.State = at
			return due, nil
		}
	}
	return Due{}, fmt.Errorf("plan %s: the pending step %s is not there", s.plan.WorkflowID, s.at.Pending.Key())
}

func (s *search) loop() *plans.Loop {
	if len(s.at.Loops) == 0 {
		return nil
	}
	loop, _ := s.plan.Loop(s.at.Loops[0].LoopID)
	return loop
}

func (s *search) due() Due {
	d := Due{State: state.Complete{}, Work: s.in.Work, Trace: s.trace, Gaps: s.gaps}
	if s.over {
		return d
	}
	d.State, d.Step, d.Loop, d.Work = state.Running{Position: s.at}, s.step, s.loop(), s.seen()
	d.Confirm = s.confirm()
	return d
}

// confirm are the confirmations of the step that is due.
func (s *search) confirm() (out []*plans.Confirmation) {
	if s.step.Confirm != nil {
		out = append(out, s.step.Confirm)
	}
	if loop := s.loop(); loop != nil && s.first() {
		at := slices.IndexFunc(s.plan.Steps, func(x plans.Step) bool { return x.LoopID == loop.ID })
		if at >= 0 && s.plan.Steps[at].Confirm != nil {
			out = append(out, s.plan.Steps[at].Confirm)
		}
	}
	return out
}

// first says whether no step of the loop that the run is in was taken yet.
func (s *search) first() bool {
	if s.at.Loops[0].Iteration > 0 {
		return false
	}
	head := state.Key(s.at.Loops[0].LoopID + "@")
	at, _ := slices.BinarySearch(s.at.Completed, head)
	return at == len(s.at.Completed) || !strings.HasPrefix(string(s.at.Completed[at]), string(head))
}

// seen is work as steps at this place see it.
func (s *search) seen() sexpr.Value {
	if len(s.at.Loops) == 0 {
		return s.in.Work
	}
	w, _ := work.InLoop(s.in.Work, nil, s.loop(), s.at.Loops[0].Iteration)
	return w
}

// turn goes one step of the search, and says whether it is over.
func (s *search) turn() (bool, error) {
	if len(s.at.Loops) > 0 {
		return s.inLoop()
	}
	for i := range s.plan.Steps {
		step := &s.plan.Steps[i]
		if s.at.Done(instance(step)) {
			continue
		}
		if eligible := s.holds(step.When, s.in.Work, step.ID); len(s.reasons) > 0 {
			return true, nil
		} else if !eligible {
			continue
		}
		if step.LoopID == "" {
			s.take(step)
			return true, nil
		}
		return false, s.enter(step.LoopID)
	}
	s.over = true
	return true, nil
}

// instance is what is completed once a step of the top level is.
func instance(step *plans.Step) state.Key {
	if step.LoopID != "" {
		return state.Key(step.LoopID)
	}
	return state.Key(step.ID)
}

func (s *search) take(step *plans.Step) {
	s.step = step
	s.at.Pending = &state.Step{ID: step.ID, Path: s.at.Path()}
	s.trace = append(s.trace, Entry{Kind: SelectedStep, Summary: "The next step is " + string(s.at.Pending.Key()) + ".",
		Refs: []Ref{{Kind: "step_id", StepID: step.ID}}})
}
