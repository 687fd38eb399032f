package runs

import (
	"fmt"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/prompt"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/sexpr"
)

// place is a node of a run, with all that is needed to go on from it.
type place struct {
	log     *fold.State
	node    *fold.Node
	plan    *plans.Plan
	at      state.State
	work    sexpr.Value
	sources work.Sources
	goal    string // that the run was started with
}

// place reads where a run stands at a node.
func (r *Runs) place(log *fold.State, node *fold.Node) (p *place, err error) {
	p = &place{log: log, node: node, work: sexpr.EmptyObject()}
	if p.plan, err = r.shelf.Plan(log.Started.Hash); err != nil {
		return nil, fmt.Errorf("the plan of run %s: %w", log.Run, err)
	}
	if p.at, err = r.shelf.Snapshot(node); err != nil {
		return nil, err
	}
	if c := log.Context; c != nil {
		if p.work, err = r.shelf.Work(c); err != nil {
			return nil, fmt.Errorf("run %s: %w", log.Run, err)
		}
		p.sources = c.Sources
		if p.goal, err = r.shelf.Goal(log); err != nil {
			return nil, fmt.Errorf("run %s: %w", log.Run, err)
		}
	}
	return p, nil
}

// position is where the state stands in the plan, and the pending step; ok is false if nothing is
// pending.
func position(s state.State) (pos state.Position, ok bool) {
	switch s := s.(type) {
	case state.Running:
		pos = s.Position
	case state.Blocked:
		pos = s.Position
	case state.Init, state.Complete:
	}
	return pos, pos.Pending != nil
}

// mode is how far the run goes by itself at this place.
func (p *place) mode() advance.Mode { return advance.Mode(p.node.Preferences().Autonomy) }

// due is the step that is pending here.
func (p *place) due() (advance.Due, error) {
	return advance.Next(p.plan, p.at, advance.Input{Work: p.work, Mode: p.mode()})
}

// rendered is the text of a step that is due, if one is, and what keeps it from being shown.
func rendered(plan *plans.Plan, due advance.Due) (text prompt.Text, reasons []state.Reason) {
	reasons = due.Reasons
	if due.Step != nil {
		var more []state.Reason
		text, more = prompt.Render(plan, due)
		reasons = append(reasons, more...)
	}
	return text, reasons
}

// capabilities are what is known here by strong evidence, of those that the plan requires.
func (p *place) capabilities() map[string]advance.Capability {
	out := map[string]advance.Capability{}
	for _, name := range p.plan.Capabilities.Required {
		if s := p.node.Capability(name, true); s != event.Unknown {
			out[name] = advance.Capability(s)
		}
	}
	return out
}

// controls are the decisions that the body of the current loop handed in during its current
// iteration, on the way to this place.
func (r *Runs) controls(p *place) (map[state.Key]advance.Control, error) {
	out := map[state.Key]advance.Control{}
	pos, _ := position(p.at)
	if len(pos.Loops) == 0 {
		return out, nil
	}
	for at := p.node; at.Parent != nil; at = at.Parent {
		before, err := r.shelf.Snapshot(at.Parent)
		if err != nil {
			return nil, err
		}
		was, ok := position(before)
		if !ok || len(was.Loops) == 0 || was.Loops[0].LoopID != pos.Loops[0].LoopID ||
			was.Loops[0].Iteration != pos.Loops[0].Iteration {
			break
		}
		if at.Kind != event.StepNode {
			continue
		}
		step, ok := p.plan.Step(was.Pending.ID)
		if !ok {
			return nil, fmt.Errorf("the plan of run %s has no step %s", p.log.Run, was.Pending.ID)
		}
		artifacts, err := r.shelf.Artifacts(p.log, at)
		if err != nil {
			return nil, err
		}
		if c, ok := advance.ControlOf(p.plan, step, artifacts); ok {
			out[was.Pending.Key()] = c
		}
	}
	return out, nil
}
