package reason

import (
	"context"
	"errors"

	"github.com/opencortex-go/cortex/skills"
)

// Try judges an action as a part of this decision, see [skills.Case.Try]. It has no grants, so that
// every ask is open.
func (r *run) Try(ctx context.Context, a *skills.Action, f *skills.Facts) (skills.Trial, error) {
	if r.req.within != nil || r.req.Policy == nil {
		return skills.Trial{}, errors.New("an action that is itself tried tries no others")
	}
	req := r.req
	req.Proposal, req.Action, req.Facts, req.Grants, req.Answered = r.req.Proposal, a, f, nil, false
	req.NoTrace, req.Passes, req.Observe, req.within, req.tried = true, false, false, r, true
	if req.Lookup != nil {
		req.Lookup = r.lookup
	}
	in := &run{req: req}
	in.decide(ctx)
	r.c.Back(&in.c)
	d := &in.d
	out := skills.Trial{Action: d.Action, Allowed: d.Kind == Allow}
	switch d.Kind {
	case Ask:
		out.Asks = d.Asks
	case Deny:
		out.Reasons, out.Failed = d.Reasons, in.failed
	case Allow:
	}
	return out, nil
}
