package client

import (
	"context"
	"time"

	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// Status is what a program asks of (status): what failed, what the engine found when
// it checked its record in the background, and who the caller is.
type Status struct {
	Failed   int64     // compensations that failed and wait for a person
	Checked  int64     // the record up to here is as it was written
	Compared time.Time // when log and tables were last compared; zero is never
	Damage   string    // what is damaged; "" if nothing is known to be
	Session  string    // the caller's, by its whole name
	Guard    string    // "on", and which guard, or why it is off; "" where there is none to load
}

// Status asks how the engine stands.
func (c Calls) Status(ctx context.Context) (Status, error) {
	v, err := c.call(ctx, "status")
	s := Status{Failed: v.GetInt("failed"), Checked: v.GetInt("checked"), Damage: v.GetText("damage"),
		Session: v.GetText("session"), Guard: v.GetText("guard")}
	if at := v.GetInt("compared"); at > 0 {
		s.Compared = time.Unix(at, 0)
	}
	return s, err
}

// Outcome returns the form that shows the outcome of a card, for a person to read.
// With wait its answer comes when people have answered the card and all is done.
func Outcome(token string, wait bool) sexpr.Value {
	args := []sexpr.Value{sexpr.Str(token)}
	if wait {
		args = append(args, sexpr.Key("wait"), sexpr.T())
	}
	return command("outcome", args...)
}

// Complete returns the names that begin with a prefix.
func (c Calls) Complete(ctx context.Context, prefix string) ([]string, error) {
	v, err := c.call(ctx, "complete", sexpr.Str(prefix))
	var names []string
	for _, x := range v.Items() {
		names = append(names, x.Text())
	}
	return names, err
}

// Explain returns a recorded decision with its trace.
func (c Calls) Explain(ctx context.Context, decision uint64) (*reason.Decision, error) {
	v, err := c.call(ctx, "explain", number(decision))
	if err != nil {
		return nil, err
	}
	recorded, _ := v.Get("recorded")
	return reason.DecodeDecision(recorded)
}

// Explained returns what (explain ID) says of a recorded decision: all of it as a value,
// and what a person reads.
func (c Calls) Explained(ctx context.Context, decision uint64) (repl.Result, error) {
	return c.forms.Eval(ctx, command("explain", number(decision)))
}

// KillSwitch has the engine deny everything, or, as an operator, ends that.
func (c Calls) KillSwitch(ctx context.Context, on bool) error {
	state := sexpr.Nil()
	if on {
		state = sexpr.T()
	}
	_, err := c.call(ctx, "kill-switch", state)
	return err
}
