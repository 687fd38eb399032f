package engine

// The people and programs of a simulation, and the faults that it has to find.

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// visit is one client at something, in the life in which it began.
type visit struct {
	*simulation
	e    *Engine
	rng  *rand.Rand
	last func()        // its own instant
	gone chan struct{} // closed when this life of the engine ends
	n    int           // no other visit has it
}

// think takes time, unless there is nobody to talk to any more.
func (v *visit) think(most time.Duration) {
	select {
	case <-time.After(time.Duration(v.rng.Int64N(int64(most)))):
	case <-v.gone:
	}
	v.last()
}

// another is a client of the same, at an instant of its own.
func (v *visit) another(do func(*visit)) {
	w := *v
	w.rng, w.last = rand.New(rand.NewPCG(v.rng.Uint64(), 13)), v.stagger()
	v.crew.Go(func() {
		w.last()
		do(&w)
	})
}

// client lets somebody begin something; it ends when it ends.
func (s *simulation) client() {
	jobs := []struct {
		name string
		do   func(*visit)
		odds int
	}{
		{"ask", (*visit).ask, 24}, {"act", (*visit).act, 14}, {"submit", (*visit).submit, 14},
		{"answer", (*visit).answer, 22},
		{"twice", (*visit).twice, 10}, {"use", (*visit).use, 8}, {"doubt", (*visit).doubt, 8},
	}
	n := s.rng.IntN(100)
	for _, j := range jobs {
		if n -= j.odds; n >= 0 {
			continue
		}
		v := &visit{s, s.engine(), rand.New(rand.NewPCG(s.rng.Uint64(), 12)), s.stagger(), s.gone, s.steps}
		s.count(j.name)
		s.crew.Go(func() {
			v.last()
			j.do(v)
		})
		return
	}
}

// told reports whether somebody is there to be told something, and this went well.
func (v *visit) told(what string, err error) bool {
	v.err(what, err)
	return err == nil && v.disk.on()
}

func (v *visit) decide(a *Action, session string) *Decision {
	d, err := v.e.Decide(context.Background(), a, sessionOf(session))
	if !v.told("decide", err) {
		return nil
	}
	v.books.ack(d.ID, record.KindDecision)
	return d
}

// begin takes an allowed action all the way, as a program that runs its own tools.
func (v *visit) begin(d *Decision) {
	if d == nil || d.Kind != reason.Allow {
		return
	}
	if v.rng.IntN(2) == 0 {
		v.think(15 * time.Minute) // much may have changed since
	}
	if v.fault.early {
		if r, err := v.e.Journal().Read(d.ID); err == nil {
			v.world.effect(ledger.IdempotencyKey(r.Hash), d.Action)
		}
	}
	p, err := v.e.Begin(context.Background(), d)
	if !v.told("begin", err) {
		return
	}
	v.books.ack(p.ID(), record.KindIntent)
	lost := v.rng.IntN(12)
	if !v.fault.early && lost != 0 {
		v.world.effect(p.Key(), p.Action())
	}
	if lost < 2 {
		return // and never says what came of it
	}
	v.think(15 * time.Minute) // some are late
	v.told("finish", p.Finish(context.Background(), Receipt{State: act.Done}))
}

// words occur once in all worlds.
func (v *visit) words() sexpr.Value {
	return sexpr.Str(fmt.Sprintf("%d-%d", v.n, v.rng.IntN(1000)))
}

func (v *visit) action(tool string, args ...any) *Action {
	a, err := NewAction(tool, sexpr.Plist(args...), "")
	if err != nil {
		panic(err)
	}
	return a
}

func (v *visit) session() string { return fmt.Sprint("s", v.rng.IntN(6)) }

// ask proposes what needs people.
func (v *visit) ask() {
	tool := []string{"risky", "grave", "wire", "risky"}[v.rng.IntN(4)]
	v.decide(v.action(tool, "what", v.words()), v.session())
}

// act proposes what needs nobody, or is over its budget, or badly put.
func (v *visit) act() {
	a := v.action("note", "text", v.words())
	switch v.rng.IntN(5) {
	case 0, 1:
		a = v.action("send_money", "recipient", v.words(), "amount", sexpr.Int64(1+v.rng.Int64N(400)))
	case 2:
		a = v.action("note", "text", sexpr.Str(fmt.Sprint("secret ", v.n)))
	case 3:
		a = v.action("note", "text", sexpr.Str(fmt.Sprint("a text that is much too long to be kept as a note ", v.n)))
	}
	v.begin(v.decide(a, v.session()))
}

// submit has a model do something, often with a key, and sometimes at the same time
// as somebody else with the same key.
func (v *visit) submit() {
	tool := []string{"note", "risky", "grave", "wire"}[v.rng.IntN(4)]
	sig := Signal{Session: v.session(), Principal: "ann", Key: fmt.Sprint("key ", v.n)}
	field := ":what"
	if tool == "note" {
		field = ":text"
	}
	sig.Text = fmt.Sprintf("do (:tool %q :args (%s %q))", tool, field, v.words().Text())
	if v.rng.IntN(3) == 0 {
		v.another(func(v *visit) {
			_, err := v.e.Submit(context.Background(), sig)
			v.told("submit again", err)
		})
	}
	out, err := v.e.Submit(context.Background(), sig)
	if v.told("submit", err) {
		v.books.ack(out.Signal, record.KindSignal)
	}
}

// pending is a card that waits, or nil.
func (v *visit) pending(state approval.State) *approval.Approval {
	open, err := v.e.ledger.OpenApprovals(context.Background())
	v.told("open", err)
	var of []*approval.Approval
	for _, a := range open {
		if a.State == state {
			of = append(of, a)
		}
	}
	if len(of) == 0 {
		return nil
	}
	return of[v.rng.IntN(len(of))]
}

func (v *visit) person() approval.Approver {
	return approval.Approver{Name: people[v.rng.IntN(len(people))], Via: "api"}
}

// answer answers a card that waits, after having thought about it.
func (v *visit) answer() {
	a := v.pending(approval.Pending)
	if a == nil {
		return
	}
	v.think(5 * time.Hour)
	ctx, who := context.Background(), v.person()
	switch v.rng.IntN(9) {
	case 0:
		v.told("deny", v.e.Deny(ctx, a.Token, who, "no"))
	case 1:
		v.told("withdraw", v.e.Withdraw(ctx, a.Token, a.Requester))
	case 2:
		if a.Action.Tool() != "note" {
			_, err := v.e.Edit(ctx, a.Token, who, sexpr.Plist("what", v.words()))
			v.told("edit", err)
		}
	default:
		v.approve(a.Token, who)
	}
}

func (v *visit) approve(token string, who approval.Approver) {
	if !v.told("approve", v.e.Approve(context.Background(), token, who)) {
		return
	}
	if a, err := v.e.Approvals().Get(context.Background(), token); err == nil && v.disk.on() &&
		a.State == approval.Approved {
		v.books.granted(token)
	}
}

// twice has up to three people press yes, one of them twice, and somebody no.
func (v *visit) twice() {
	a := v.pending(approval.Pending)
	if a == nil {
		return
	}
	for i := range 2 + v.rng.IntN(3) {
		v.another(func(v *visit) {
			who := v.person()
			if i == 2 {
				v.told("deny", v.e.Deny(context.Background(), a.Token, who, "no"))
				return
			}
			v.approve(a.Token, who)
			v.last()
			v.approve(a.Token, who)
		})
	}
}

// use takes a grant that waits for its requester, and tries to use it twice.
func (v *visit) use() {
	a := v.pending(approval.Approved)
	if a == nil || a.Resume {
		return
	}
	for range 2 {
		v.another(func(v *visit) { v.begin(v.decide(a.Action, a.Session)) })
	}
}

// doubt looks into the world and says truthfully what came of something.
func (v *visit) doubt() {
	doubts, err := v.e.Operations().Doubts(context.Background())
	if !v.told("doubts", err) || len(doubts) == 0 {
		return
	}
	d := doubts[v.rng.IntN(len(doubts))]
	if !v.world.happened(d.Key) && v.rng.IntN(2) == 0 {
		_, err := v.e.Operations().Retry(context.Background(), d.Intent, ana)
		v.told("retry", err)
		return
	}
	v.told("settle", v.e.Operations().Settle(context.Background(), d.Intent, v.world.happened(d.Key), ana))
}

// simFault is a bug that a simulation has to find; the zero one is none.
type simFault struct {
	change  func(*simulation, *Options)
	early   bool   // effects come before their intents
	bytes   bool   // tools carry out something else
	dice    uint64 // what is random is so for another seed
	symptom string
}

func (f simFault) other(a *Action) *Action {
	if !f.bytes {
		return a
	}
	b, err := NewAction(a.Tool(), a.Args().With("text", sexpr.Str("other bytes")), "")
	if err != nil {
		panic(err)
	}
	return b
}

// dropping is a store that does not carry out some writes.
type dropping struct {
	journal.Store
	drop func(journal.Write) bool
}

func (s dropping) Commit(writes []journal.Write) error {
	return s.Store.Commit(slices.DeleteFunc(slices.Clone(writes), s.drop))
}

func wrapping(w func(journal.Store) journal.Store) func(*simulation, *Options) {
	return func(_ *simulation, o *Options) { o.wrap = w }
}

// A simulation finds each of these, by its own symptom.
func TestSim_NegativeControls(t *testing.T) {
	crashtest.Long(t)
	for name, fault := range map[string]simFault{
		"a store that forgets that a grant was used": {
			change:  wrapping(func(s journal.Store) journal.Store { return reuse{s} }),
			symptom: "was used by intents|was consumed and is|which the record does not say",
		},
		"an expiry that is never applied": {
			change: wrapping(func(s journal.Store) journal.Store {
				return dropping{s, func(w journal.Write) bool {
					return w.Key[0] == record.TableApproval && bytes.Contains(w.Value, []byte(`:state "expired"`))
				}}
			}),
			symptom: "which the record does not say|after its end",
		},
		"a clock that stands still": {
			change: func(s *simulation, o *Options) {
				at := s.host.now()
				o.Clock.Now, o.Clock.Uptime = func() time.Time { return at }, nil
			},
			symptom: "after the end of the card|at an age of|after its end",
		},
		"ack before sync": {change: wrapping(func(s journal.Store) journal.Store {
			return &lazy{Store: s}
		}), symptom: "lost|written anew|does not follow|without an intent"},
		"execute before intent": {early: true, symptom: "effect without an intent"},
		"skip the digest":       {bytes: true, symptom: "other bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(8) {
				s := simulate(t, 1+seed, 15, fault)
				if len(s.books.bad) == 0 {
					continue
				}
				assert.Regexp(t, fault.symptom, s.books.bad[0], "found, and not for what it is")
				t.Logf("RESULT control=%q found-by=sim seed=%d: %s", name, 1+seed, s.books.bad[0])
				return
			}
			require.Fail(t, "not found")
		})
	}
	t.Run("other dice", func(t *testing.T) {
		one, two := simulate(t, 1, 2, simFault{}), simulate(t, 1, 2, simFault{dice: 1})
		at := one.disk.differs(two.disk)
		require.NotEmpty(t, at)
		t.Logf("RESULT control=%q found-by=sim seed=1: %s", "other dice", at)
	})
}
