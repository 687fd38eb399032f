package cortextest

// Scripts of the metamorphic test: what is done, one step after another, and how
// what came of it is written down so that two engines can be compared.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
)

// line is one step of a script. Cards and doubts are named by their number, round
// and round, so that a script without some of its steps is a script too.
type line struct {
	do   string
	n, m int
}

func (s line) String() string { return fmt.Sprint(s.do, " ", s.n, " ", s.m) }

// steps are what scripts are made of, and how often.
var stepNames = []string{
	"decide",
	"decide", "act", "act", "act", "wonder", "approve", "approve", "approve", "deny", "edit", "withdraw", "settle",
	"say", "say", "say", "later", "maintain", "fact", "forget", "kill", "kill",
}

// script returns so many steps, by a seed.
func script(seed uint64, length int) []line {
	rng := rand.New(rand.NewPCG(seed, 7))
	out := make([]line, length)
	for i := range out {
		out[i] = line{stepNames[rng.IntN(len(stepNames))], rng.IntN(12), rng.IntN(6)}
	}
	return out
}

// proposals are what scripts propose: allowed, asked of one and of two, refused,
// rewritten, paid within a budget and beyond it, and unknown.
var proposals = []string{
	`(:tool "note" :args (:text "milk"))`,
	`(:tool "note" :args (:text "the secret"))`, `(:tool "note" :args (:text "a rude word"))`,
	`(:tool "note" :args (:text "a text that is much too long to be kept as one short note"))`,
	`(:tool "risky" :args (:what "x"))`, `(:tool "risky" :args (:what "y"))`, `(:tool "grave" :args (:what "x"))`,
	`(:tool "send_money" :args (:recipient "ann" :amount 400))`,
	`(:tool "send_money" :args (:recipient "bob" :amount 300))`,
	`(:tool "never" :args (:what "x"))`, `(:tool "nobody-knows" :args (:x 1))`, `(:tool "look" :args (:text "around"))`,
}

// actor does the steps of a script with one engine.
type actor struct {
	e     *cortex.Engine
	later func(seconds int64)
	lines []string
	names map[string]string // of what is random: tokens
	cards []string
	keys  int // which generation of dedupe keys is in use
}

// do carries out a step and writes down what came of it.
func (a *actor) do(s line) error {
	ctx := context.Background()
	said, err := a.take(ctx, s)
	if err == nil {
		err = a.e.Operations().Wait(ctx)
	}
	if unexpected(err) {
		return fmt.Errorf("%s: %w", s, err)
	}
	if err := a.newCards(ctx); err != nil {
		return err
	}
	a.lines = append(a.lines, a.plain(fmt.Sprintf("> %s: %s %v", s, said, err)))
	return nil
}

// unexpected tells errors that are no answer to a step.
func unexpected(err error) bool {
	return errors.Is(err, cortex.ErrClosed) || errors.Is(err, context.Canceled)
}

func (a *actor) take(ctx context.Context, s line) (said string, err error) {
	session := fmt.Sprint("s", s.m%3)
	who := cortex.Approver{Name: people[s.m%2], Via: "api"}
	switch s.do {
	case "decide", "act", "wonder":
		return a.propose(ctx, s, session)
	case "approve":
		return "", a.e.Approve(ctx, a.card(s), who)
	case "deny":
		return "", a.e.Deny(ctx, a.card(s), who, "no")
	case "edit":
		d, err := a.e.Edit(ctx, a.card(s), who, sexpr.Plist("what", sexpr.Str(fmt.Sprint("edited ", s.m))))
		return decision(d), err
	case "withdraw":
		return "", a.e.Withdraw(ctx, a.card(s), "agent")
	case "settle":
		doubts, err := a.e.Operations().Doubts(ctx)
		if err != nil || len(doubts) == 0 {
			return "nothing", err
		}
		return "", a.e.Operations().Settle(ctx, doubts[s.n%len(doubts)].Intent, s.m%2 == 0, ana)
	case "say":
		sig := cortex.Signal{Text: "do " + proposals[s.n], Session: session, Principal: "agent"}
		if s.m > 3 {
			sig.Key = fmt.Sprint("key ", a.keys, " ", s.n%3)
		}
		out, err := a.e.Submit(ctx, sig)
		if out == nil {
			return "", err
		}
		return fmt.Sprintf("%q %q %s %v", out.Text, out.Notice, out.Approval, out.Repeat), err
	case "later":
		a.later([]int64{1, 60, 3600, 7200, 13 * 3600, 25 * 3600}[s.m])
	case "maintain":
		return "", a.e.Operations().Maintain(ctx)
	case "fact":
		return "", a.e.Operations().SetFact(ctx, "mode", sexpr.Str(fmt.Sprint(s.m)), ana)
	case "kill":
		return "", a.e.Operations().KillSwitch(ctx, s.n == 0, ana)
	case "forget":
		a.keys++
	}
	return "", nil
}

// propose decides, and for more than that takes the permit and finishes it.
func (a *actor) propose(ctx context.Context, s line, session string) (string, error) {
	v, err := sexpr.Read("step", proposals[s.n])
	if err != nil {
		return "", err
	}
	args, _ := v.Get("args")
	do, err := cortex.NewAction(v.GetText("tool"), args, "")
	if err != nil {
		return "", err
	}
	d, err := a.e.Decide(ctx, do, sessionOf(session))
	if err != nil || s.do == "decide" {
		return decision(d), err
	}
	p, err := a.e.Begin(ctx, d)
	if err != nil {
		return decision(d), err
	}
	r := cortex.Receipt{State: act.Done}
	if s.do == "wonder" {
		r = cortex.Receipt{State: act.Unknown, Error: "no answer"}
	}
	return decision(d), p.Finish(ctx, r)
}

func decision(d *cortex.Decision) string {
	if d == nil {
		return ""
	}
	return fmt.Sprint(d.Kind, " ", d.Key, " ", d.Approval)
}

// card is the token of some card, newest first.
func (a *actor) card(s line) string {
	if len(a.cards) == 0 {
		return "no-such-card"
	}
	return a.cards[len(a.cards)-1-s.n%len(a.cards)]
}

// newCards gives the cards that have come up a name, in order.
func (a *actor) newCards(ctx context.Context) error {
	all, err := a.e.Approvals().All(ctx)
	for _, c := range all {
		if a.names[c.Token] == "" {
			a.names[c.Token] = fmt.Sprint("CARD", len(a.cards))
			a.cards = append(a.cards, c.Token)
		}
	}
	return err
}

// plain writes what is random, and the numbers of records, in a way that all
// engines share.
func (a *actor) plain(text string) string {
	text = tokens.ReplaceAllStringFunc(text, func(token string) string {
		if name := a.names[token]; name != "" {
			return name
		}
		return token
	})
	return numbers.ReplaceAllString(text, "$1 N")
}

// unlike are the records that say how the engine was run, not what it did.
var unlike = []string{record.KindOpen, record.KindRulebook, record.KindPlaces, record.KindClock, record.KindCheckpoint}

// leftOut are fields that hold what differs between engines: random numbers and
// what comes of them, measured times, and where a rule stands.
var leftOut = []string{"elapsed", "took", "pos", "policy", "as-of", "bound", "nonce", "places", "boot", "up"}

// refers are fields that hold the number of a record.
var refers = []string{"decision", "root", "intent", "signal", "board", "first", "retry"}

// log is what the script did and what the record says of it.
func (a *actor) log() ([]string, error) {
	out, rank := slices.Clone(a.lines), map[uint64]int{}
	err := a.e.Journal().Records(1, func(r cortex.Record) error {
		if slices.Contains(unlike, r.Kind) {
			return nil
		}
		rank[r.Seq] = len(rank) + 1
		out = append(out, a.plain(fmt.Sprintf("%d %s %s %s", rank[r.Seq], r.Kind, r.Session, alike(r.Kind, r.Body, rank))))
		return nil
	})
	return out, err
}

// alike is a value without what is left out, and with ranks for numbers of
// records.
func alike(kind string, v sexpr.Value, rank map[uint64]int) sexpr.Value {
	items := v.Items()
	if !v.IsPlist() {
		out := make([]sexpr.Value, len(items))
		for i, x := range items {
			out[i] = alike(kind, x, rank)
		}
		if len(items) > 0 {
			return sexpr.ListOf(out...)
		}
		return v
	}
	var kv []any
	for ; len(items) > 1; items = items[2:] {
		name, value := items[0].Text(), items[1]
		if slices.Contains(leftOut, name) || kind == record.KindIntent && name == "key" {
			continue
		}
		switch {
		case slices.Contains(refers, name) && value.Kind() == sexpr.Int:
			kv = append(kv, name, sexpr.Int64(int64(rank[uint64(value.Int())])))
		case name == "versions":
			kv = append(kv, name, ranked(value, rank))
		default:
			kv = append(kv, name, alike(kind, value, rank))
		}
	}
	return sexpr.Plist(kv...)
}

// ranked has ranks for all numbers of the versions that a decision has read.
func ranked(v sexpr.Value, rank map[uint64]int) sexpr.Value {
	if v.Kind() == sexpr.Int {
		return sexpr.Int64(int64(rank[uint64(v.Int())]))
	}
	if v.Kind() != sexpr.List {
		return v
	}
	var out []sexpr.Value
	for _, x := range v.Items() {
		out = append(out, ranked(x, rank))
	}
	return sexpr.ListOf(out...)
}
