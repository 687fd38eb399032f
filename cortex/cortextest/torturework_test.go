package cortextest

// The work of a tortured engine: every kind of record and every way to an effect.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
)

// toiler works an engine hard until its context ends or it is killed.
type toiler struct {
	life     int    // which run of the engine on this record this is
	seed     uint64 // of everything it chooses
	fault    string // of a negative control, or ""
	say      func(event)
	happened func(key string) bool // whether an effect is in the world
	reach    func(point string)

	e *cortex.Engine

	mu      sync.Mutex
	regrets []uint64 // intents that may be made up for
}

// options are those of a tortured engine. The clock begins a minute later in
// every life, so that cards run out between them.
func (w *toiler) options() cortex.Options {
	opt := cortex.Options{
		Live: true, Rules: rulesOf(testRules), Driver: w,
		Clock: cortex.ClockOptions{Now: NewClock(start.Add(time.Duration(w.life) * time.Minute)).Now},
		Approvals: cortex.ApprovalOptions{TTL: 2 * time.Minute,
			Classes: map[string][]string{"operator": {"ana", "ben"}}},
		Models: cortex.Models{Providers: []model.Provider{planner{"one", "two", "three"}}},
	}
	for _, name := range []string{"note", "send_money", "risky"} {
		opt.Tools = append(opt.Tools, act.Tool{Schema: toolNamed(name),
			Actuator: act.Func(func(_ context.Context, c act.Call) (cortex.Receipt, error) {
				w.effect(c.Key, c.Action)
				return cortex.Receipt{State: act.Done}, nil
			})})
	}
	return opt
}

// effect changes the world.
func (w *toiler) effect(key string, a *cortex.Action) {
	w.reach("before-effect")
	if w.fault == faultBytes {
		args := a.Args().With("text", sexpr.Str("other bytes "+key))
		if other, err := cortex.NewAction(a.Tool(), args, ""); err == nil {
			a = other
		}
	}
	amount, _ := a.Native()["amount"].(int64)
	w.say(event{Do: "effect", Key: key, Of: a.Digest().String(), What: a.Canonical(), Spend: amount})
	w.reach("after-effect")
}

// inspect says what the record holds, as a restarted engine finds it.
func (w *toiler) inspect(ctx context.Context) {
	found := NewLedger()
	check := func(err error) {
		for _, line := range lines(err) {
			w.say(event{Do: "bad", What: line})
		}
	}
	check(w.e.Journal().Verify(ctx))
	check(w.e.Journal().Records(1, func(r cortex.Record) error {
		w.say(recEvent(r))
		if r.Kind == record.KindIntent && r.Session == regretted {
			w.regrets = append(w.regrets, r.Seq)
		}
		return nil
	}))
	check(found.Check(w.e.Journal()))
	check(found.CheckOpen(ctx, w.e))
	w.say(event{Do: "ready"})
}

// run says what the engine finds, and works until ctx ends.
func (w *toiler) run(ctx context.Context, e *cortex.Engine) error {
	w.e = e
	w.inspect(ctx)
	w.checkRuns(ctx)
	w.settle(ctx)
	var all sync.WaitGroup
	for i, job := range []func(context.Context, int, *rand.Rand) error{w.notes, w.pay, w.ask, w.ask, w.talk, w.talk,
		w.regret, w.runs, w.runs} {
		rng := rand.New(rand.NewPCG(w.seed, uint64(i)))
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				if err := job(ctx, n, rng); err != nil && !w.expected(ctx, err) {
					w.say(event{Do: "bad", What: fmt.Sprintf("job %d: %v", i, err)})
					return
				}
			}
		})
	}
	all.Wait()
	return w.e.Close()
}

// dead is why the engine's record cannot be written any more, or nil.
func (w *toiler) dead() error {
	st, _ := w.e.Status(context.Background()) // it says so even if it cannot read
	return st.ReadOnly
}

// full is why the engine begins nothing new, or nil.
func (w *toiler) full() error {
	st, _ := w.e.Status(context.Background())
	return st.Full
}

// expected reports whether an error is one of those that work may end with.
func (w *toiler) expected(ctx context.Context, err error) bool {
	var no *cortex.NotAllowed
	var state *cortex.StateError
	var already *cortex.CompensationError
	return ctx.Err() != nil || errors.As(err, &no) || errors.As(err, &state) || errors.As(err, &already) ||
		errors.Is(err, cortex.ErrUnsettled) || errors.Is(err, cortex.ErrNothing) || errors.Is(err, cortex.ErrUsed) ||
		errors.Is(err, cortex.ErrUnknownToken)
}

// settle answers truthfully for every second intent in doubt.
func (w *toiler) settle(ctx context.Context) {
	doubts, err := w.e.Operations().Doubts(ctx)
	if err != nil {
		w.say(event{Do: "bad", What: err.Error()})
	}
	for i, d := range doubts {
		if i%2 == w.life%2 {
			continue
		}
		if err := w.e.Operations().Settle(ctx, d.Intent, w.happened(d.Key), cortex.Approver{Name: "ana"}); err != nil &&
			!errors.Is(err, cortex.ErrNoDoubt) && ctx.Err() == nil {
			w.say(event{Do: "bad", What: err.Error()})
		}
	}
}

// do takes one action all the way.
func (w *toiler) do(ctx context.Context, tool, args, session string) (*cortex.Decision, error) {
	v, err := sexpr.Read("args", args)
	if err != nil {
		return nil, err
	}
	a, err := cortex.NewAction(tool, v, "")
	if err != nil {
		return nil, err
	}
	return w.act(ctx, a, session)
}

func (w *toiler) act(ctx context.Context, a *cortex.Action, session string) (*cortex.Decision, error) {
	d, err := w.e.Decide(ctx, a, sessionOf(session))
	if err != nil {
		return nil, err
	}
	w.say(event{Do: "ack", Seq: d.ID, Kind: record.KindDecision})
	if d.Kind != reason.Allow {
		return d, nil
	}
	if w.fault == faultActFirst {
		rec, err := w.e.Journal().Read(d.ID)
		if err != nil {
			return nil, err
		}
		w.effect(ledger.IdempotencyKey(rec.Hash), d.Action)
	}
	return d, w.carry(ctx, d)
}

// carry takes a permit and does what it allows.
func (w *toiler) carry(ctx context.Context, d *cortex.Decision) error {
	p, err := w.e.Begin(ctx, d)
	if err != nil {
		return err
	}
	w.say(event{Do: "ack", Seq: p.ID(), Kind: record.KindIntent})
	if w.fault != faultActFirst {
		w.effect(p.Key(), p.Action())
	}
	return p.Finish(ctx, cortex.Receipt{State: act.Done})
}

// once is a word that no other life, job or turn has.
func (w *toiler) once(n int, rng *rand.Rand) string {
	return fmt.Sprintf("%d-%d-%x", w.life, n, rng.Uint64())
}

func (w *toiler) notes(ctx context.Context, n int, rng *rand.Rand) error {
	_, err := w.do(ctx, "note", fmt.Sprintf(`(:text %q)`, w.once(n, rng)), fmt.Sprint("n", rng.IntN(4)))
	return err
}

func (w *toiler) pay(ctx context.Context, n int, rng *rand.Rand) error {
	_, err := w.do(ctx, "send_money", fmt.Sprintf(`(:recipient %q :amount %d)`, w.once(n, rng), 1+rng.IntN(60)),
		fmt.Sprint("m", rng.IntN(2)))
	return err
}

// ask proposes what needs a person, who says yes, no or nothing; and tries to
// use each yes twice.
func (w *toiler) ask(ctx context.Context, n int, rng *rand.Rand) error {
	what, s := fmt.Sprintf(`(:what %q)`, w.once(n, rng)), fmt.Sprint("a", rng.IntN(3))
	d, err := w.do(ctx, "risky", what, s)
	if err != nil || d.Approval == "" {
		return err
	}
	switch rng.IntN(6) {
	case 0:
		return w.e.Deny(ctx, d.Approval, cortex.Approver{Name: "ana"}, "no")
	case 1:
		return nil // it will expire
	case 2:
		return w.approve(ctx, d.Approval) // for a later life
	}
	if err := w.approve(ctx, d.Approval); err != nil {
		return err
	}
	var both sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		both.Go(func() { _, errs[i] = w.do(ctx, "risky", what, s) })
	}
	both.Wait()
	for _, err := range errs {
		if err != nil && !w.expected(ctx, err) {
			return err
		}
	}
	return w.left(ctx)
}

func (w *toiler) approve(ctx context.Context, token string) error {
	err := w.e.Approve(ctx, token, cortex.Approver{Name: "ana"})
	if err == nil {
		w.say(event{Do: "approved", Token: token})
	}
	return err
}

// regretted is the session of what is made up for.
const regretted = "r"

// regret does something, or makes up for something that this life or an earlier one
// did: in two ways at once, with other words.
func (w *toiler) regret(ctx context.Context, n int, rng *rand.Rand) error {
	w.mu.Lock()
	recent := w.regrets[max(0, len(w.regrets)-8):]
	w.mu.Unlock()
	if n%2 == 0 || len(recent) == 0 {
		d, err := w.do(ctx, "note", fmt.Sprintf(`(:text %q)`, w.once(n, rng)), regretted)
		if err != nil {
			return err
		}
		x, err := w.e.Explain(ctx, d.ID)
		if err == nil {
			w.mu.Lock()
			w.regrets = append(w.regrets, x.Intent)
			w.mu.Unlock()
		}
		return err
	}
	intent := recent[rng.IntN(len(recent))]
	var both sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		a, err := cortex.NewAction("note", sexpr.Plist("text", sexpr.Str("sorry "+w.once(n, rng))), "")
		if err != nil {
			return err
		}
		f := sessionOf(fmt.Sprint("c", i))
		both.Go(func() {
			if i == 0 {
				_, errs[i] = w.e.Compensations().Run(ctx, []cortex.Compensation{{Intent: intent, Action: a}}, f)
				return
			}
			d, err := w.e.Compensations().Decide(ctx, intent, a, f)
			if err == nil {
				err = w.carry(ctx, d)
			}
			errs[i] = err
		})
	}
	both.Wait()
	for _, err := range errs {
		if err != nil && !w.expected(ctx, err) {
			return err
		}
	}
	return nil
}

// left uses a grant that an earlier life left behind.
func (w *toiler) left(ctx context.Context) error {
	all, err := w.e.Approvals().All(ctx)
	if err != nil {
		return err
	}
	for _, a := range all {
		if a.State == cortex.Approved && a.Requester == "agent" && !a.Resume {
			_, err := w.act(ctx, a.Action, a.Session)
			return err
		}
	}
	return nil
}

// talk sends the engine what it is to think about and to do by itself. Others
// and other lives send the same.
func (w *toiler) talk(ctx context.Context, n int, _ *rand.Rand) error {
	out, err := w.e.Submit(ctx,
		cortex.Signal{Text: "keep three notes", Session: fmt.Sprint("t", n), Principal: "ann", Key: fmt.Sprint("k", n)})
	if err == nil {
		w.say(event{Do: "ack", Seq: out.Signal, Kind: record.KindSignal})
	}
	return err
}

// planner is a model that keeps a note of each of its words, one after another, and then
// says that it is done.
type planner []string

func (planner) Name() string { return "planner" }

func (p planner) Complete(ctx context.Context, prompt model.Prompt) (model.Completion, error) {
	var said strings.Builder
	for _, m := range prompt.Messages {
		if m.Role != model.RoleUser {
			said.WriteString(m.Text)
		}
	}
	for _, text := range p {
		if !strings.Contains(said.String(), text) {
			return model.Completion{Text: fmt.Sprintf(`(:type :request :payload (:tool "note" :args (:text %q)))`, text)},
				ctx.Err()
		}
	}
	return model.Completion{Text: "all done"}, ctx.Err()
}
