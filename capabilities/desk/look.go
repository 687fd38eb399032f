package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/internal/orders"
	"github.com/opencortex-go/cortex/sexpr"
)

// Listed is a version as list has it.
type Listed struct {
	ID      string             `json:"id"`
	Version string             `json:"version"`
	State   capabilities.State `json:"state"`
	Plan    string             `json:"plan"` // hash
	By      string             `json:"by"`
	Why     string             `json:"why,omitempty"`
	At      time.Time          `json:"at"`
}

func listed(e capabilities.Entry) Listed {
	return Listed{e.ID, e.Version, e.State, e.Plan, e.By, e.Why, time.Unix(0, e.At).UTC()}
}

// List asks for the versions.
type List struct {
	From string `json:"from,omitempty"` // the version that the page begins with, as ID VERSION; "" for the first
}

func list(ctx context.Context, d *Desk, _ *approval.Approver, p List) (any, string, error) {
	all, err := d.Capabilities.List(ctx)
	if err != nil {
		return nil, "", err
	}
	wide, begun := 0, p.From == ""
	for _, e := range all {
		wide = max(wide, len(e.ID))
	}
	out := orders.NewPage[Listed](ctx)
	for _, e := range all {
		if begun = begun || e.ID+" "+e.Version == p.From; !begun {
			continue
		}
		fits, err := out.Add(listed(e), fmt.Sprintf("%-*s  %-8s %-10s %s\n", wide, e.ID, e.Version, e.State, e.Plan))
		if err != nil {
			return nil, "", err
		}
		if !fits {
			return out, out.Text(""), out.More(List{From: e.ID + " " + e.Version})
		}
	}
	if !begun {
		return nil, "", fmt.Errorf("there is no version %q for the page to begin with: list from the start", p.From)
	}
	return out, out.Text("no capabilities\n"), nil
}

// Register enters what a file has.
type Register struct {
	File string `json:"file"` // its name, for messages
	Text string `json:"text"`
}

func register(ctx context.Context, d *Desk, who *approval.Approver, p Register) (any, string, error) {
	all, err := form.Read(p.File, []byte(p.Text))
	if err != nil {
		return nil, "", err
	}
	if len(all) == 0 {
		return nil, "", fmt.Errorf("%s: the file holds no capability", p.File)
	}
	var errs []error
	for _, v := range all {
		if err := d.Capabilities.Check(v, d.Engine.Rules().Policy()); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, "", err
	}
	out, text := []Listed{}, ""
	for _, v := range all {
		if err := d.Capabilities.Register(ctx, v, who.Name); err != nil {
			return nil, "", err
		}
		e, _, err := d.Capabilities.Find(ctx, v.ID, v.Version)
		if err != nil {
			return nil, "", err
		}
		out, text = append(out, listed(e)), text+fmt.Sprintf("%s %s is %s: %s\n", e.ID, e.Version, e.State, e.Plan)
	}
	return out, text, nil
}

// Show asks for a version, or for a run.
type Show struct {
	Name    string `json:"name"` // the id of a capability, or the name of a run
	Version string `json:"version,omitempty"`
}

// isRun reports whether a name is that of a run: the id of a capability has a dot.
func isRun(name string) bool { return strings.HasPrefix(name, "run-") && !strings.Contains(name, ".") }

func show(ctx context.Context, d *Desk, _ *approval.Approver, p Show) (any, string, error) {
	if isRun(p.Name) {
		r, err := d.Capabilities.Show(ctx, p.Name)
		if err != nil {
			return nil, "", err
		}
		return runValue(r), runText(r), nil
	}
	e, v, err := d.Capabilities.Find(ctx, p.Name, p.Version)
	if err != nil {
		return nil, "", err
	}
	moves, err := d.Capabilities.History(ctx, e.ID)
	if err != nil {
		return nil, "", err
	}
	history := []Listed{}
	for _, m := range moves {
		history = append(history, listed(m))
	}
	return map[string]any{"entry": listed(e), "history": history, "plan": json.RawMessage(v.Canonical())},
		planText(e, v) + historyText(history), nil
}

func historyText(all []Listed) string {
	var b strings.Builder
	b.WriteString("\nhistory\n")
	for _, m := range all {
		fmt.Fprintf(&b, "  %s  %-8s %-10s by %s", m.At.Format(time.DateTime+"Z"), m.Version, m.State, m.By)
		if m.Why != "" {
			fmt.Fprintf(&b, ": %s", m.Why)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// planText is a plan as a person reads it.
func planText(e capabilities.Entry, v *form.Capability) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name, text)
		}
	}
	line("capability", e.ID+" "+e.Version)
	line("state", string(e.State))
	line("plan", e.Plan)
	line("owner", v.Owner)
	line("about", v.Doc)
	line("roles", strings.Join(v.Roles, " "))
	for _, in := range v.Inputs {
		text := in.Name
		if in.Required {
			text += ", required"
		}
		if in.From != "" {
			text += ", from " + in.From
		}
		line("input", text)
	}
	if v.Budget.USD > 0 || v.Budget.MS > 0 {
		line("budget", fmt.Sprintf("%g dollars, %d ms (0: unbounded)", v.Budget.USD, v.Budget.MS))
	}
	for i := range v.Steps {
		s := &v.Steps[i]
		line(fmt.Sprintf("step %d", i+1), s.Name+": "+s.Tool+" "+s.Args.String())
		switch {
		case v.Open(s):
			line("", "  judged only when it is due")
		case s.When != nil:
			line("", "  only if "+s.When.Form().String())
		}
		if s.Undo != nil {
			line("", "  made up for by "+s.Undo.Tool+" "+s.Undo.Args.String())
		} else {
			line("", "  nothing makes up for it: "+s.Why)
		}
	}
	for _, r := range v.Result {
		line("result", r.Name+" "+r.Value.String())
	}
	line("tests", fmt.Sprintf("%d cases, %d made up", len(v.Tests), v.Fuzz.Count))
	return b.String()
}

func stats(ctx context.Context, d *Desk, _ *approval.Approver, _ struct{}) (any, string, error) {
	all, sys, err := d.Capabilities.Stats(ctx)
	if err != nil {
		return nil, "", err
	}
	var b strings.Builder
	rows := []map[string]any{}
	for i := range all {
		s := &all[i]
		rows = append(rows, map[string]any{"stats": s, "success": s.Success(), "fallback": s.Fallback()})
		fmt.Fprintf(&b, "%s  %d calls, %d running, %d repeats\n", s.Capability, s.Calls, s.Running, s.Repeats)
		fmt.Fprintf(&b, "  %.0f %% ended well, %.0f %% fell back, %d in a row did not end well\n", 100*s.Success(),
			100*s.Fallback(), s.Streak)
		fmt.Fprintf(&b, "  steps took %d ms at the median and %d ms at the 95th percentile, and cost %.4f dollars in all\n",
			s.P50, s.P95, s.Cost)
		if s.DeltaCost != 0 || s.DeltaP95 != 0 {
			fmt.Fprintf(&b, "  against before, in the last week: cost %+.0f %%, 95th percentile %+.0f %%\n",
				100*s.DeltaCost, 100*s.DeltaP95)
		}
		if s.Tested != "" {
			fmt.Fprintf(&b, "  tested %s\n", s.Tested)
		}
		if s.Evict != "" {
			fmt.Fprintf(&b, "  to be taken out of force? %s\n", s.Evict)
		}
	}
	for _, state := range []capabilities.State{capabilities.Registered, capabilities.Tested, capabilities.OnTrial,
		capabilities.InForce, capabilities.Retired, capabilities.Revoked} {
		fmt.Fprintf(&b, "%d %s, ", sys.Versions[state], state)
	}
	fmt.Fprintf(&b, "%d learnt\n", sys.Learnt)
	return map[string]any{"capabilities": rows, "system": sys}, b.String(), nil
}

func runValue(r *capabilities.Run) any {
	outputs, _ := sexpr.ToJSON(r.Outputs) // what a plan gives has JSON
	steps := []map[string]any{}
	for _, s := range r.Steps {
		steps = append(steps, map[string]any{"step": s.Name, "state": s.State, "why": s.Why, "decision": s.Decision,
			"intent": s.Intent, "receipt": s.Receipt, "undone": s.Undone})
	}
	return map[string]any{"run": r.Log, "capability": r.Capability, "version": r.Version, "plan": r.Plan,
		"session": r.Session, "status": r.Status, "why": r.Why, "outputs": json.RawMessage(outputs), "steps": steps,
		"took_ms": r.Took, "cost": r.Cost}
}

// runText is a run as a person reads it.
func runText(r *capabilities.Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run        %s\ncapability %s %s\nplan       %s\nsession    %s\nstatus     %s\n", r.Log, r.Capability,
		r.Version, r.Plan, r.Session, r.Status)
	if r.Why != "" {
		fmt.Fprintf(&b, "why        %s\n", r.Why)
	}
	for _, s := range r.Steps {
		fmt.Fprintf(&b, "  %-16s %s", s.Name, s.State)
		if s.Intent > 0 {
			fmt.Fprintf(&b, ", intent %d", s.Intent)
		}
		if s.Why != "" {
			fmt.Fprintf(&b, ": %s", s.Why)
		}
		if s.Undone != "" {
			fmt.Fprintf(&b, "; made up for: %s", s.Undone)
		}
		b.WriteString("\n")
	}
	if len(r.Outputs.Items()) > 0 {
		fmt.Fprintf(&b, "outputs    %s\n", r.Outputs)
	}
	fmt.Fprintf(&b, "took       %d ms, %.4f dollars\n", r.Took, r.Cost)
	return b.String()
}
