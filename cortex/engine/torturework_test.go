package engine

// The work of a tortured engine: every kind of record and every way to an effect.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// toiler works an engine hard until its context ends or it is killed.
type toiler struct {
	life     int    // which run of the engine on this record this is
	seed     uint64 // of everything it chooses
	fault    string // of a negative control, or ""
	say      func(event)
	happened func(key string) bool // whether an effect is in the world
	reach    func(point string)

	e *Engine

	mu      sync.Mutex
	regrets []uint64 // intents that may be made up for
}

// options are those of a tortured engine. The clock begins a minute later in
// every life, so that cards run out between them.
func (w *toiler) options() Options {
	opt := Options{
		Live: true, Rules: fstest.MapFS{"rules.lisp": {Data: []byte(testRules)}},
		Clock:     ClockOptions{Now: func() time.Time { return start.Add(time.Duration(w.life) * time.Minute) }},
		Approvals: ApprovalOptions{TTL: 2 * time.Minute, Classes: map[string][]string{"operator": {"ana", "ben"}}},

		Models: Models{Providers: []model.Provider{&planner{steps: []string{"one", "two", "three"}}}},
		wrap:   wrapped(w.fault, w.reach),
	}
	for _, name := range []string{"note", "send_money", "risky"} {
		opt.Tools = append(opt.Tools, act.Tool{Schema: &skills.Tool{Name: name},
			Actuator: act.Func(func(_ context.Context, c act.Call) (Receipt, error) {
				w.effect(c.Key, c.Session, c.Action)
				return Receipt{State: act.Done}, nil
			})})
	}
	return opt
}

// effect changes the world.
func (w *toiler) effect(key, session string, a *Action) {
	w.reach("before-effect")
	if w.fault == faultBytes {
		args := a.Args().With("text", sexpr.Str("other bytes "+key))
		if other, err := NewAction(a.Tool(), args, ""); err == nil {
			a = other
		}
	}
	amount, _ := a.Native()["amount"].(int64)
	w.say(event{Do: "effect", Key: key, Of: a.Digest().String(), What: session + " " + a.Canonical(), Spend: amount})
	w.reach("after-effect")
}

// inspect says what the record holds, as a restarted engine finds it.
func (w *toiler) inspect(ctx context.Context) {
	if err := w.e.Journal().Verify(ctx); err != nil {
		w.say(event{Do: "bad", What: err.Error()})
	}
	err := w.e.Journal().Records(1, func(r Record) error {
		w.say(recEvent(r))
		if r.Kind == record.KindIntent && r.Session == regretted {
			w.regrets = append(w.regrets, r.Seq)
		}
		return nil
	})
	if err != nil {
		w.say(event{Do: "bad", What: err.Error()})
	}
	w.compare(ctx)
	w.say(event{Do: "ready"})
}

// compare says where the indexes differ from what the records tell.
func (w *toiler) compare(ctx context.Context) {
	all, err := w.e.Approvals().All(ctx)
	if err != nil {
		w.say(event{Do: "bad", What: err.Error()})
	}
	last := map[string]string{}
	_ = w.e.Journal().Records(1, func(r Record) error { // an error was said above
		if r.Kind == record.KindApproval {
			last[r.Body.GetText("token")] = r.Body.GetText("bound")
		}
		return nil
	})
	for _, a := range all {
		if last[a.Token] != a.Bound.String() {
			w.say(event{Do: "bad", What: "the index has another approval than the record: " + a.Token})
		}
	}
}

// run opens the engine, says what it finds, and works until ctx ends.
func (w *toiler) run(ctx context.Context, opt Options) error {
	e, err := open(ctx, opt)
	if err != nil {
		return err
	}
	w.e = e
	w.inspect(ctx)
	w.settle(ctx)
	var all sync.WaitGroup
	for i, job := range []func(context.Context, int, *rand.Rand) error{w.notes, w.pay, w.ask, w.ask, w.talk, w.talk,
		w.regret} {
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

// expected reports whether an error is one of those that work may end with.
func (w *toiler) expected(ctx context.Context, err error) bool {
	var no *ledger.NotAllowed
	var state *approval.StateError
	var already *ledger.CompensationError
	return ctx.Err() != nil || errors.As(err, &no) || errors.As(err, &state) || errors.As(err, &already) ||
		errors.Is(err, ledger.ErrUnsettled) || errors.Is(err, ledger.ErrNothing) || errors.Is(err, ledger.ErrUsed) ||
		errors.Is(err, approval.ErrUnknownToken)
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
		if err := w.e.Operations().Settle(ctx, d.Intent, w.happened(d.Key), approval.Approver{Name: "ana"}); err != nil &&
			!errors.Is(err, ledger.ErrNoDoubt) && ctx.Err() == nil {
			w.say(event{Do: "bad", What: err.Error()})
		}
	}
}

// do takes one action all the way.
func (w *toiler) do(ctx context.Context, tool, args, session string) (*Decision, error) {
	v, err := sexpr.Read("args", args)
	if err != nil {
		return nil, err
	}
	a, err := NewAction(tool, v, "")
	if err != nil {
		return nil, err
	}
	return w.act(ctx, a, session)
}

func (w *toiler) act(ctx context.Context, a *Action, session string) (*Decision, error) {
	d, err := w.e.Decide(ctx, a, &Facts{Session: skills.Session{ID: session, Principal: "agent"}})
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
		w.effect(ledger.IdempotencyKey(rec.Hash), session, d.Action)
	}
	return d, w.carry(ctx, d, session)
}

// carry takes a permit and does what it allows.
func (w *toiler) carry(ctx context.Context, d *Decision, session string) error {
	p, err := w.e.Begin(ctx, d)
	if err != nil {
		return err
	}
	w.say(event{Do: "ack", Seq: p.ID(), Kind: record.KindIntent})
	if w.fault != faultActFirst {
		w.effect(p.Key(), session, p.Action())
	}
	return p.Finish(ctx, Receipt{State: act.Done})
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
		return w.e.Deny(ctx, d.Approval, approval.Approver{Name: "ana"}, "no")
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
	err := w.e.Approve(ctx, token, approval.Approver{Name: "ana"})
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
		a, err := NewAction("note", sexpr.Plist("text", sexpr.Str("sorry "+w.once(n, rng))), "")
		if err != nil {
			return err
		}
		f := &Facts{Session: skills.Session{ID: fmt.Sprint("c", i), Principal: "agent"}}
		both.Go(func() {
			if i == 0 {
				_, errs[i] = w.e.Compensations().Run(ctx, []ledger.Compensation{{Intent: intent, Action: a}}, f)
				return
			}
			d, err := w.e.Compensations().Decide(ctx, intent, a, f)
			if err == nil {
				err = w.carry(ctx, d, f.Session.ID)
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
		if a.State == approval.Approved && a.Requester == "agent" && !a.Resume {
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
		Signal{Text: "keep three notes", Session: fmt.Sprint("t", n), Principal: "ann", Key: fmt.Sprint("k", n)})
	if err == nil {
		w.say(event{Do: "ack", Seq: out.Signal, Kind: record.KindSignal})
	}
	return err
}

// ledgerOK fails the test with what the ledger found.
func ledgerOK(t *testing.T, l *outsideRecord, what string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.bad) > 0 {
		t.Errorf("%s: %d wrong: %s", what, len(l.bad), strings.Join(l.bad[:min(5, len(l.bad))], "; "))
	}
}
