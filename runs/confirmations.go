package runs

import (
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/runs/binding"
	"github.com/opencortex-go/cortex/runs/fold"
)

// confirmations are those on the way to a place, where an agent hands in what changes work; none where another
// does.
func (r *Runs) confirmations(p *place, h handed) ([]binding.Confirmation, error) {
	if h.engine || h.from != work.FromAgent || h.context.Len() == 0 {
		return nil, nil
	}
	return binding.Before(r.shelf, p.plan, p.log, p.node, func(string) bool { return true })
}

// outdated is why a step of a tool is not taken: it rests on a confirmation of values that are others now. A
// release of the step counts more.
func (r *Runs) outdated(p *place, due advance.Due) ([]state.Reason, error) {
	if slices.ContainsFunc(p.log.Waits(p.node), func(g *fold.Gap) bool { return g.Resolved && g.By == released(g) }) {
		return nil, nil
	}
	list, err := binding.Before(r.shelf, p.plan, p.log, p.node, p.plan.Rests(due.Step))
	if err != nil {
		return nil, err
	}
	loop, pass := "", 0
	if pos, _ := position(p.at); len(pos.Loops) > 0 {
		loop, pass = pos.Loops[0].LoopID, pos.Loops[0].Iteration
	}
	for _, f := range list {
		path := f.Outdated(p.work, due.Work, loop, pass)
		if path == "" {
			continue
		}
		return []state.Reason{{Code: state.NeedsApproval, Pointer: state.Pointer{Kind: state.AtContextKey, Key: path},
			Message: fmt.Sprintf("Step %s rests on step %s, where a person confirmed {{%s}}, and that has another value now.",
				due.Step.ID, f.Step, path),
			Fix: p.askRelease()}}, nil
	}
	return nil, nil
}
