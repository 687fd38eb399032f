package talk

import (
	"context"
	"slices"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

// asked are the cards that this person's words have led to and whose outcome has not
// been shown yet. A person hears of it after their own answer to a card at once, and
// otherwise before the next line is typed.
type asked []string

// add remembers the card that a message waits for, if it does.
func (a *asked) add(came sexpr.Value) {
	if token := came.GetText("approval"); token != "" && came.GetInt("signal") > 0 {
		a.note(token)
	}
}

func (a *asked) note(token string) {
	if token != "" && !slices.Contains(*a, token) {
		*a = append(*a, token)
	}
}

func (a *asked) drop(token string) {
	*a = slices.DeleteFunc(*a, func(x string) bool { return x == token })
}

// follow shows what a person's answer to a card came to, if this session asked for
// the card: form is the answer, r how the card stands now.
func (l *Link) follow(ctx context.Context, form sexpr.Value, r repl.Result,
	eval func(context.Context, sexpr.Value) (repl.Result, error)) error {
	token, state := r.Value.GetText("token"), cortex.ApprovalState(r.Value.GetText("state"))
	if l.plain == nil || form.Len() == 0 || state == cortex.Pending ||
		!form.Items()[0].IsSym("approve") && !form.Items()[0].IsSym("deny") {
		return nil
	}
	if s, err := l.plain.Status(ctx); err != nil || s.Session != r.Value.GetText("session") {
		return nil // somebody else asked, and is told
	}
	l.mine.note(token) // what is interrupted now is shown later
	came, err := eval(ctx, client.Outcome(token, true))
	if err == nil {
		l.tell(token, came)
	}
	return err
}

// tell shows the outcome of a card.
func (l *Link) tell(token string, came repl.Result) {
	l.show(came)
	l.mine.drop(token)
	l.mine.note(came.Value.GetText("approval"))
}

// outcomes shows the outcome of cards that others have answered. What is still being
// worked on is shown later.
func (l *Link) outcomes() {
	if l.plain == nil {
		return
	}
	ctx, cancel := context.WithTimeout(l.ctx, patience)
	defer cancel()
	for _, token := range slices.Clone(l.mine) {
		card, err := l.plain.Approval(ctx, token)
		if err == nil && card.State == cortex.Pending || ctx.Err() != nil {
			continue
		}
		came, err := l.plain.Eval(ctx, client.Outcome(token, false))
		switch {
		case err != nil: // retention has removed it, or the daemon has gone
			l.mine.drop(token)
		case came.Value.GetTrue("done"):
			l.tell(token, came)
		}
	}
}
