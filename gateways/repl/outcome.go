package repl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/sexpr"
)

// aftermath is what the record says of a card: how people answered it, what ran, and
// what the conversation that asked for it came to.
type aftermath struct {
	s     *Session
	token string

	card   *cortex.Approval // as it stands where it was last seen to change
	intent uint64           // that the grant was used for
	tool   string
	ran    []sexpr.Value // the outcome of the intent
	open   map[uint64]bool
	denied []sexpr.Value
	text   []string // what the user was told
	next   string   // a card that the conversation waits for now
}

// showOutcome shows the outcome of a card, and waits for it where that is asked for.
func showOutcome(ctx context.Context, s *Session, c call) (Result, error) {
	const want = `"TOKEN" [:wait t]`
	token, err := s.token(c, 3, want)
	wait := len(c.args) == 3 && c.args[1].IsKey("wait") && c.args[2].IsSym("t")
	if err == nil && len(c.args) != 1 && !wait {
		err = c.wrong(want)
	}
	if err != nil {
		return Result{}, err
	}
	x := aftermath{s: s, token: token}
	if x.card, err = s.r.opt.Engine.Approvals().Get(ctx, token); err != nil {
		return Result{}, err
	}
	if err := x.follow(ctx, x.card.Decision+1, wait); err != nil {
		return Result{}, err
	}
	return x.result(wait), nil
}

// follow reads the record from one on: to its end, or until all is done.
func (x *aftermath) follow(ctx context.Context, from uint64, wait bool) error {
	j := x.s.r.opt.Engine.Journal()
	for {
		err := j.Records(from, func(r cortex.Record) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			from = r.Seq + 1
			if err := x.take(ctx, r); err != nil {
				return err
			}
			if x.done() {
				return errEnough
			}
			return nil
		})
		switch {
		case errors.Is(err, errEnough):
			return nil
		case err != nil || !wait:
			return err
		}
		if err := idle(ctx, func() error { return x.news(ctx, from) }); err != nil {
			return err
		}
	}
}

// news waits for a record of the card's session, from a record on.
func (x *aftermath) news(ctx context.Context, from uint64) error {
	for r, err := range x.s.r.opt.Engine.Journal().Subscribe(ctx, from) {
		if err != nil || r.Session == x.card.Session {
			return err
		}
	}
	return context.Cause(ctx)
}

// take notes what one record says.
func (x *aftermath) take(ctx context.Context, r cortex.Record) error {
	b := r.Body
	switch r.Kind {
	case record.KindApproval:
		return x.moved(ctx, b.GetText("token"), cortex.ApprovalState(b.GetText("state")))
	case record.KindIntent:
		if in := record.IntentFrom(b); in.Grant == x.token {
			x.intent, x.tool = r.Seq, in.Tool
		}
	case record.KindReceipt:
		if rc := record.ReceiptFrom(b); rc.Intent > 0 && rc.Intent == x.intent {
			text := rc.Text + rc.Error
			if text == "" && rc.Result.Kind() == sexpr.String {
				text = rc.Result.Text()
			}
			x.ran = append(x.ran, sexpr.Plist("tool", sexpr.Str(x.tool), "state", sexpr.Str(string(rc.State)),
				"text", sexpr.Str(text)))
		}
	case record.KindDecision:
		d, _ := b.Get("decision")
		if x.open[rootOf(b)] && d.GetText("kind") == "deny" {
			x.denied = append(x.denied, sexpr.Plist("key", sexpr.Str(d.GetText("key")), "id", number(r.Seq)))
		}
	case record.KindAnswer:
		if a := record.AnswerFrom(b); x.open[a.Signal] && a.Approval != x.token {
			delete(x.open, a.Signal)
			x.next = a.Approval
			x.text = append(x.text, texts(a.Text, a.Notice)...)
		}
	}
	return nil
}

// moved notes a change of an approval: people have answered the card, or another one
// takes its place and is the one to wait for.
func (x *aftermath) moved(ctx context.Context, token string, state cortex.ApprovalState) error {
	if token == x.token && (state == cortex.Pending || x.open != nil) ||
		token != x.token && (state != cortex.Pending || x.card.State != cortex.Superseded) {
		return nil
	}
	a, err := x.s.r.opt.Engine.Approvals().Get(ctx, token)
	if err != nil {
		return err
	}
	a.State = state // as it was then
	switch {
	case token == x.token:
		x.card, x.open = a, waiters(a)
	case x.open[a.Root], slices.ContainsFunc(a.Joined, func(j approval.Joined) bool { return x.open[j.Root] }):
		x.token, x.card, x.open = token, a, nil
	}
	return nil
}

// waiters are the signals that are answered once a card is: none where the engine
// does not go on by itself, or where people have not answered in time.
func waiters(a *cortex.Approval) map[uint64]bool {
	open := map[uint64]bool{}
	if a.State == cortex.Approved || a.State == cortex.Denied || a.State == cortex.Superseded {
		if a.Resume {
			open[a.Root] = true
		}
		for _, j := range a.Joined {
			open[j.Root] = true
		}
	}
	return open
}

// rootOf is the signal from outside that a decision goes back to.
func rootOf(decision sexpr.Value) uint64 {
	f, _ := decision.Get("facts")
	sig, _ := f.Get("signal")
	return uint64(sig.GetInt("root"))
}

// done reports whether people have answered the card and nothing is still to come.
func (x *aftermath) done() bool { return x.open != nil && len(x.open) == 0 }

// result says how the card was answered, and then what was done. Anyone who has
// waited has just answered the card, or sees it.
func (x *aftermath) result(waited bool) Result {
	var b strings.Builder
	if !waited || x.card.State != cortex.Approved && x.card.State != cortex.Denied {
		fmt.Fprintf(&b, "approval %s  %s\n", x.token, card.Outcome(x.card))
	}
	for _, r := range x.ran {
		fmt.Fprintf(&b, "%s %s\n", r.GetText("tool"), r.GetText("state"))
		if text := r.GetText("text"); text != "" {
			fmt.Fprintf(&b, "%s\n", clip(strings.TrimRight(text, "\n"), 2000))
		}
	}
	for _, d := range x.denied {
		fmt.Fprintf(&b, "denied by %s, record %d\n", d.GetText("key"), d.GetInt("id"))
	}
	for _, text := range x.text {
		b.WriteString(text + "\n")
	}
	if x.open != nil && !x.done() {
		b.WriteString("this is still being worked on\n")
	}
	return Result{Value: sexpr.Plist("token", sexpr.Str(x.token), "state", sexpr.Str(string(x.card.State)),
		"done", sexpr.Bool(x.done()), "ran", sexpr.ListOf(x.ran...), "denied", sexpr.ListOf(x.denied...),
		"text", sexpr.Str(strings.Join(x.text, "\n")), "approval", sexpr.Str(x.next)), Out: b.String(), Quiet: true}
}

// texts leaves out what is empty.
func texts(all ...string) (out []string) {
	for _, text := range all {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}
