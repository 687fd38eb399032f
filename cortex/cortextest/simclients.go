package cortextest

// The people and programs of a simulation.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// visit is one client at something, in the life in which it began.
type visit struct {
	*simulation
	e    *cortex.Engine
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
		{"act", (*visit).act, 38}, {"submit", (*visit).submit, 14}, {"answer", (*visit).answer, 22},
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

func (v *visit) decide(a *cortex.Action, session string) *cortex.Decision {
	d, err := v.e.Decide(context.Background(), a, &cortex.Facts{Session: skills.Session{ID: session, Principal: "agent"}})
	if !v.told("decide", err) {
		return nil
	}
	v.books.Acknowledged(d.ID, record.KindDecision)
	return d
}

// begin takes an allowed action all the way, as a program that runs its own tools.
func (v *visit) begin(d *cortex.Decision) {
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
	v.books.Acknowledged(p.ID(), record.KindIntent)
	lost := v.rng.IntN(12)
	if !v.fault.early && lost != 0 {
		v.world.effect(p.Key(), p.Action())
	}
	if lost < 2 {
		return // and never says what came of it
	}
	v.think(15 * time.Minute) // some are late
	v.told("finish", p.Finish(context.Background(), cortex.Receipt{State: act.Done}))
}

// propose draws an action of the test's, with a word that occurs once in all worlds.
func (v *visit) propose() *cortex.Action {
	return v.life.Propose(v.rng, fmt.Sprintf("%d-%d", v.n, v.rng.IntN(1000)))
}

func (v *visit) session() string { return fmt.Sprint("s", v.rng.IntN(6)) }

// act proposes something, and does it if it is allowed.
func (v *visit) act() { v.begin(v.decide(v.propose(), v.session())) }

// submit has a model do something, often with a key, and sometimes at the same time
// as somebody else with the same key.
func (v *visit) submit() {
	a := v.propose()
	sig := cortex.Signal{Session: v.session(), Principal: "ann", Key: fmt.Sprint("key ", v.n),
		Text: fmt.Sprintf("do (:tool %q :args %s)", a.Tool(), a.Args())}
	if v.rng.IntN(3) == 0 {
		v.another(func(v *visit) {
			_, err := v.e.Submit(context.Background(), sig)
			v.told("submit again", err)
		})
	}
	out, err := v.e.Submit(context.Background(), sig)
	if v.told("submit", err) {
		v.books.Acknowledged(out.Signal, record.KindSignal)
	}
}

// pending draws a card that waits for people, or returns nil.
func (v *visit) pending() *cortex.Approval {
	var all []*cortex.Approval
	for a, err := range v.e.Pending(context.Background()) {
		if !v.told("pending", err) {
			return nil
		}
		all = append(all, a)
	}
	return v.one(all)
}

// granted draws a card that people have approved and that was not used, or returns nil.
func (v *visit) granted() *cortex.Approval {
	all, err := v.e.Approvals().All(context.Background())
	v.told("cards", err)
	return v.one(slices.DeleteFunc(all, func(a *cortex.Approval) bool { return a.State != cortex.Approved }))
}

func (v *visit) one(of []*cortex.Approval) *cortex.Approval {
	if len(of) == 0 {
		return nil
	}
	return of[v.rng.IntN(len(of))]
}

func (v *visit) person() cortex.Approver {
	return cortex.Approver{Name: v.people[v.rng.IntN(len(v.people))], Via: "api"}
}

// answer answers a card that waits, after having thought about it.
func (v *visit) answer() {
	a := v.pending()
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
		if other := v.propose(); other.Tool() == a.Action.Tool() {
			_, err := v.e.Edit(ctx, a.Token, who, other.Args())
			v.told("edit", err)
		}
	default:
		v.approve(a.Token, who)
	}
}

func (v *visit) approve(token string, who cortex.Approver) {
	if !v.told("approve", v.e.Approve(context.Background(), token, who)) {
		return
	}
	if a, err := v.e.Approvals().Get(context.Background(), token); err == nil && v.disk.on() &&
		a.State == cortex.Approved {
		v.books.Granted(token)
	}
}

// twice has up to three people press yes, one of them twice, and somebody no.
func (v *visit) twice() {
	a := v.pending()
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
	a := v.granted()
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
	if !v.books.Happened(d.Key) && v.rng.IntN(2) == 0 {
		_, err := v.e.Operations().Retry(context.Background(), d.Intent, v.operator)
		v.told("retry", err)
		return
	}
	v.told("settle", v.e.Operations().Settle(context.Background(), d.Intent, v.books.Happened(d.Key), v.operator))
}

// simFault is a bug that a simulation has to find; the zero one is none.
type simFault struct {
	change func(*simulation, *cortex.Options)
	wrap   func(journal.Store) journal.Store
	early  bool   // effects come before their intents
	bytes  bool   // tools carry out something else
	dice   uint64 // what is random is so for another seed
}

func (f simFault) other(a *cortex.Action) *cortex.Action {
	if !f.bytes {
		return a
	}
	b, err := cortex.NewAction(a.Tool(), a.Args().With("text", sexpr.Str("other bytes")), "")
	if err != nil {
		panic(err)
	}
	return b
}
