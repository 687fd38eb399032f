package runs

import (
	"context"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/tools"
)

// Person is an operator who acts on a run, as the channel they came by vouches for.
type Person struct {
	Principal string
	Via       string // the channel, such as cli
}

// Lookup finds the log of a run by its label, its id or the log's own.
func (r *Runs) Lookup(ctx context.Context, name string) (event.SessionID, error) {
	heads, err := r.logs.List(ctx)
	if err != nil {
		return "", err
	}
	var found []event.SessionID
	for _, h := range heads {
		session := event.SessionID(h.Log)
		if h.Family != event.Family || !mayBe(session, name) {
			continue
		}
		err := r.shelf.Read(ctx, session, func(log *fold.State) error {
			if name == h.Log || name == string(log.Run) || log.Started != nil && name == refOf(log).Label {
				found = append(found, session)
			}
			return nil
		})
		if err != nil && name != h.Log { // a log that cannot be read has no name but its own
			continue
		} else if err != nil {
			found = append(found, session)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", tools.Failed(tools.NotFound, fmt.Sprintf("there is no run %q", name), "list them: cortex run list").
			Because(logs.ErrNoLog)
	}
	return "", tools.Failed(tools.ValidationError, fmt.Sprintf("%d runs are called %q", len(found), name),
		"use the id of the run")
}

// mayBe says whether a log can be the one of this name, without reading it.
func mayBe(session event.SessionID, name string) bool {
	return strings.HasPrefix(name, "run_") || name == string(session) || strings.HasSuffix(name, event.LabelEnd(session))
}

// change enters what a person decides about a run at its preferred tip, in the run's turn.
func (r *Runs) change(ctx context.Context, who Person, session event.SessionID,
	f func(p *place) ([]event.Data, error)) error {
	ctx, leave, err := r.turn(ctx, session)
	if err != nil {
		return err
	}
	defer leave()
	head, err := r.logs.Head(string(session))
	if err != nil {
		return err
	}
	op := shelf.Operation{By: who.Principal, Over: head.Over, Held: head.Held, Wakes: true}
	err = r.shelf.Read(ctx, session, func(log *fold.State) error {
		p, err := r.place(log, log.Tip())
		if err != nil {
			return err
		}
		list, err := f(p)
		for _, d := range list {
			op.Events = append(op.Events, event.New(session, event.Scope{Run: log.Run, Node: p.node.ID}, d))
		}
		return err
	})
	if err != nil || len(op.Events) == 0 {
		return err
	}
	_, err = r.shelf.Append(ctx, op)
	return err
}

// SetPreferences changes how a run goes on from its preferred tip. Empty ones stay as they are.
func (r *Runs) SetPreferences(ctx context.Context, who Person, session event.SessionID, to event.Preferences) error {
	return r.change(ctx, who, session, func(p *place) ([]event.Data, error) {
		was := p.node.Preferences()
		d := &event.PreferencesChanged{ID: event.Mint[event.ChangeID](), Source: "user"}
		if to.Autonomy != "" && to.Autonomy != was.Autonomy {
			d.Delta = append(d.Delta, event.Change{Name: "autonomy", Value: string(to.Autonomy)})
		}
		if to.Risk != "" && to.Risk != was.Risk {
			d.Delta = append(d.Delta, event.Change{Name: "riskPolicy", Value: to.Risk})
		}
		if len(d.Delta) == 0 {
			return nil, nil
		}
		d.Effective = was.Apply(d.Delta)
		if err := d.Effective.Check(); err != nil {
			return nil, tools.Failed(tools.ValidationError, err.Error(), "")
		}
		out := []event.Data{d}
		if a := p.plan.Preferences; a != nil && a.Autonomy != "" && d.Effective.Autonomy != was.Autonomy &&
			rank(d.Effective.Autonomy) > rank(event.Autonomy(a.Autonomy)) {
			out = append(out, beyond(string(d.ID), d.Effective.Autonomy, a.Autonomy))
		}
		return out, nil
	})
}

// Release resolves what keeps a run from going on at its preferred tip: gaps that stopped it for
// good, and those that only a person can meet, such as a confirmation. A gap of any other place is
// resolved by its id. why is for the record. Where a step of the engine is due, it begins: it does so by
// itself, but for a run that was imported. Without anything to resolve it is an error.
func (r *Runs) Release(ctx context.Context, who Person, session event.SessionID, gap event.GapID, why string) error {
	idle := false
	err := r.change(ctx, who, session, func(p *place) (out []event.Data, err error) {
		open := p.log.Open(p.node)
		if due, err := p.due(); len(open) == 0 && gap == "" && err == nil && engineTakes(due) {
			idle = true
			return nil, nil
		}
		if gap != "" {
			g := p.log.Gap(gap)
			if g == nil || g.Resolved || g.Resolution.Kind != "unresolved" {
				return nil, tools.Failed(tools.NotFound, fmt.Sprintf("the run has no open gap %s", gap), "look: cortex run show")
			}
			open = []*fold.Gap{g}
		}
		if len(open) == 0 {
			return nil, tools.Failed(tools.PreconditionFailed, "nothing of the run waits for a person at its newest place",
				"look: cortex run show")
		}
		summary := "Released by " + who.Principal
		if why != "" {
			summary += ": " + why
		}
		for _, g := range open {
			out = append(out, resolves(g, released(g), summary))
		}
		return out, nil
	})
	if err == nil && idle {
		return r.logs.Wake(ctx, string(session), who.Principal)
	}
	return err
}

// Give gives a run to another principal, whose tickets then count.
func (r *Runs) Give(ctx context.Context, who Person, session event.SessionID, to string) error {
	return r.logs.Give(ctx, string(session), to, who.Principal, who.Via)
}

// Keep exempts a run from retention, or ends that.
func (r *Runs) Keep(ctx context.Context, who Person, session event.SessionID, keep bool) error {
	return r.logs.SetExempt(ctx, string(session), keep, who.Principal, who.Via)
}

// Delete ends and hides a run at once. Its bytes go when retention comes to them.
func (r *Runs) Delete(ctx context.Context, who Person, session event.SessionID) error {
	if err := r.logs.Delete(ctx, string(session), who.Principal, who.Via); err != nil {
		return err
	}
	r.shelf.Drop(session)
	return nil
}

// RotateKeys signs tickets with a new key. Those of the key before are good until the next rotation.
func (r *Runs) RotateKeys(ctx context.Context, who Person) error {
	return r.logs.RotateTicketKeys(ctx, who.Principal, who.Via)
}

// Supply hands in an output for the step that is pending at the preferred tip, in a person's own
// words. It is an advance like an agent's, and gets the same answer.
func (r *Runs) Supply(ctx context.Context, who Person, session event.SessionID, c *tools.ContinueWorkflow) (
	*tools.Reply, error) {
	ctx, leave, err := r.turn(ctx, session)
	if err != nil {
		return nil, err
	}
	defer leave()
	by := Caller{Principal: who.Principal, Person: true}
	h, err := handedBy(by, event.Mint[event.AttemptID](), c)
	if err != nil {
		return nil, err
	}
	cl, err := r.closeAt(ctx, session, h, func(log *fold.State) (*fold.Node, error) { return log.Tip(), nil })
	if err != nil {
		return nil, err
	}
	return r.enter(ctx, by, cl)
}
