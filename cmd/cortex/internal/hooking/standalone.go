package hooking

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/adapters/hooks"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/internal/project"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Standalone judges in this process, by rules alone: no record, no budgets, and no person who could
// be asked. What happened before it takes from the host's transcript.
type Standalone struct {
	Dialect hooks.Dialect
	Policy  skills.Policy
	Places  *reason.Places // what no action may touch
	Now     time.Time
	Getenv  func(string) string
}

// Hear has nothing to keep.
func (Standalone) Hear(context.Context, hooks.Event, string) error { return nil }

// Judge decides on a call. A question is a denial that says so.
func (s Standalone) Judge(ctx context.Context, c Call) (Ruling, error) {
	if s.Dialect.Name() == "codex" && sessionFolder(c.Event) == "" {
		return Ruling{}, errors.New("the session's transcript does not say in which folder it began, so the call is blocked")
	}
	if skills.IsBuiltin(c.Action.Tool) {
		return Ruling{}, fmt.Errorf("%s is a tool of Cortex itself, and rules judge it as that: the host's tool needs "+
			"another name, so the call is blocked", c.Action.Tool)
	}
	args, err := sexpr.FromJSON(c.Action.Args)
	if err != nil {
		return Ruling{}, err
	}
	a, err := skills.NewAction(c.Action.Tool, args, c.Action.Explanation)
	if err != nil {
		return Ruling{}, err
	}
	session, err := transcript(s.Dialect, c.Event)
	if err != nil {
		return Ruling{}, err
	}
	d := reason.Decide(ctx, reason.Request{Policy: s.Policy, Action: a, Places: s.Places, NoTrace: true,
		Lookup: engine.Realpath, Facts: &skills.Facts{Now: s.Now.Unix(), Session: session, Env: s.env(c)}})
	var texts []string
	for _, r := range d.Reasons {
		texts = append(texts, r.Text+" ("+r.Key+")")
	}
	out := Ruling{Kind: d.Kind.String(), Text: strings.Join(texts, "\n")}
	if d.Kind == reason.Ask {
		out.Text += "\nA person would have to allow this, and this hook runs without a daemon that could ask one. " +
			"Do without it, or let the user do it."
	}
	if d.Kind != reason.Allow || d.Action == nil {
		return out, nil
	}
	if d.Action.Tool() != a.Tool() { // what the host has under another spelling may be another tool
		return Ruling{}, fmt.Errorf("the rules know no tool %q; they know %q, which is another name, so the call is blocked",
			a.Tool(), d.Action.Tool())
	}
	if d.Action.Digest() != a.Digest() {
		out.Rewritten = true
		out.Args, err = sexpr.ToJSON(d.Action.Args())
	}
	return out, err
}

// env is what rules know of the machine. The workspace is the project that the host names, and not
// the folder that the last command went to.
func (s Standalone) env(c Call) sexpr.Value {
	cwd := c.Event.Cwd
	if cwd == "" {
		cwd, _ = os.Getwd()
	}
	home, _ := os.UserHomeDir()
	return project.Env(sexpr.Plist("cwd", sexpr.Str(cwd), "home", sexpr.Str(home), "path", sexpr.Str(s.Getenv("PATH"))),
		project.Of(c.Named, c.Stands, home))
}
