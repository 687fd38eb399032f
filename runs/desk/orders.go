package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/internal/orders"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/tools"
)

// ListRuns asks for the runs.
type ListRuns struct {
	All bool `json:"all,omitempty"` // also those that are complete
	// From is the record of the last append to the run that the page begins with; 0 for the first page. A run that goes
	// on between two pages is at the head of the list by then.
	From uint64 `json:"from,omitempty"`
}

func list(ctx context.Context, d *Desk, _ runs.Person, p ListRuns) (any, string, error) {
	out := orders.NewPage[runs.Summary](ctx)
	for s, err := range d.Runs.Each(ctx, p.From) {
		if err != nil {
			return nil, "", err
		}
		if !p.All && strings.HasPrefix(string(s.Status), "complete") {
			continue
		}
		fits, err := out.Add(s, line(&s))
		if err != nil {
			return nil, "", err
		}
		if !fits {
			p.From = s.Last
			return out, out.Text(""), out.More(p)
		}
	}
	return out, out.Text("no runs\n"), nil
}

// ShowRun asks for one run.
type ShowRun struct {
	Named
	// View is "", or source, compiled or pinned: the run's plan in place of the run.
	View string `json:"view,omitempty"`
}

func show(ctx context.Context, d *Desk, _ runs.Person, p ShowRun) (any, string, error) {
	session, err := d.find(ctx, p.Named)
	if err != nil {
		return nil, "", err
	}
	if p.View != "" {
		return view(ctx, d, session, p.View)
	}
	s, err := d.Runs.Show(ctx, session)
	if err != nil {
		return nil, "", err
	}
	return s, tree(s), nil
}

// view is the plan of a run, as it is written, as it compiles or as it is pinned.
func view(ctx context.Context, d *Desk, session event.SessionID, which string) (any, string, error) {
	v, err := d.Runs.Plan(ctx, session)
	if err != nil {
		return nil, "", err
	}
	text, ok := map[string]string{"source": v.Source, "compiled": v.Compiled, "pinned": v.Pinned}[which]
	switch {
	case !ok:
		return nil, "", fmt.Errorf("there is no view %q: source, compiled or pinned", which)
	case text == "":
		return nil, "", tools.Failed(tools.NotFound, "the workflow of this run is not among those that can be started",
			"look at its plan as it is pinned: --plan pinned")
	}
	if v.Drift {
		text = strings.TrimSuffix(text, "\n") + "\n; drift: what is written today is not what the run is pinned to"
	}
	return v, text + "\n", nil
}

// StartRun starts a run.
type StartRun struct {
	tools.StartWorkflow
	// Plan is the canonical JSON of a plan that the library need not have, and File the name of the
	// file that it was compiled from.
	Plan string `json:"plan,omitempty"`
	File string `json:"file,omitempty"`
}

func start(ctx context.Context, d *Desk, who runs.Person, p StartRun) (any, string, error) {
	by := runs.Caller{Principal: who.Principal, Person: true}
	if p.Plan == "" {
		out, err := d.Runs.Call(ctx, by, &p.StartWorkflow)
		if err != nil {
			return nil, "", err
		}
		rep := out.(*tools.Reply)
		return rep, rep.Text + "\n", nil
	}
	plan, err := plans.Load([]byte(p.Plan))
	if err != nil {
		return nil, "", err
	}
	rep, err := d.Runs.StartPlan(ctx, by, plan, p.File, &p.StartWorkflow)
	if err != nil {
		return nil, "", err
	}
	return rep, rep.Text + "\n", nil
}

// Supply hands in the pending step.
type Supply struct {
	Named
	Notes     string            `json:"notes,omitempty"`
	Artifacts []json.RawMessage `json:"artifacts,omitempty"`
	Context   map[string]any    `json:"context,omitempty"`
}

func supply(ctx context.Context, d *Desk, who runs.Person, p Supply) (any, string, error) {
	session, err := d.find(ctx, p.Named)
	if err != nil {
		return nil, "", err
	}
	rep, err := d.Runs.Supply(ctx, who, session, &tools.ContinueWorkflow{Context: p.Context,
		Output: &tools.Output{NotesMarkdown: p.Notes, Artifacts: p.Artifacts}})
	if err != nil {
		return nil, "", err
	}
	return rep, rep.Text + "\n", nil
}

// Release resolves what waits for a person.
type Release struct {
	Named
	Gap string `json:"gap,omitempty"` // one gap; else all that hold the newest place up
	Why string `json:"why,omitempty"`
}

func release(ctx context.Context, d *Desk, who runs.Person, p Release) (any, string, error) {
	session, err := d.find(ctx, p.Named)
	if err == nil {
		err = d.Runs.Release(ctx, who, session, event.GapID(p.Gap), p.Why)
	}
	return done(p.Run, "released", err)
}

// Give gives a run away.
type Give struct {
	Named
	To string `json:"to"` // a principal
}

func give(ctx context.Context, d *Desk, who runs.Person, p Give) (any, string, error) {
	session, err := d.find(ctx, p.Named)
	if err == nil {
		err = d.Runs.Give(ctx, who, session, p.To)
	}
	return done(p.Run, "given to "+p.To, err)
}

// Mode changes how far a run goes on by itself.
type Mode struct {
	Named
	Autonomy string `json:"autonomy,omitempty"`
	Risk     string `json:"riskPolicy,omitempty"`
}

func mode(ctx context.Context, d *Desk, who runs.Person, p Mode) (any, string, error) {
	session, err := d.find(ctx, p.Named)
	if err == nil {
		err = d.Runs.SetPreferences(ctx, who, session, event.Preferences{Autonomy: event.Autonomy(p.Autonomy), Risk: p.Risk})
	}
	return done(p.Run, "changed", err)
}

// Keep exempts a run from retention.
type Keep struct {
	Named
	End bool `json:"end,omitempty"` // ends the exemption
}

func keep(ctx context.Context, d *Desk, who runs.Person, p Keep) (any, string, error) {
	session, err := d.find(ctx, p.Named)
	if err == nil {
		err = d.Runs.Keep(ctx, who, session, !p.End)
	}
	if p.End {
		return done(p.Run, "no longer kept", err)
	}
	return done(p.Run, "kept", err)
}

func remove(ctx context.Context, d *Desk, who runs.Person, p Named) (any, string, error) {
	session, err := d.find(ctx, p)
	if err == nil {
		err = d.Runs.Delete(ctx, who, session)
	}
	return done(p.Run, "deleted", err)
}

func rotate(ctx context.Context, d *Desk, who runs.Person, _ struct{}) (any, string, error) {
	err := d.Runs.RotateKeys(ctx, who)
	return done("", "tickets are signed with a new key; those of the key before last are good no more", err)
}

// done is the answer to an order that changed something.
func done(run, what string, err error) (any, string, error) {
	if err != nil {
		return nil, "", err
	}
	if run == "" {
		return map[string]string{"done": what}, what + "\n", nil
	}
	return map[string]string{"run": run, "done": what}, fmt.Sprintf("%s: %s\n", run, what), nil
}
