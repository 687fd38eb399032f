package cortextest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/internal/linearize"
	"github.com/opencortex-go/cortex/reason"
)

// object is a card, a permit or a key that clients play with.
type object struct {
	linearize.Object
	people   int // whom a card needs
	token    string
	decision *cortex.Decision
	mu       sync.Mutex
	permit   *cortex.Permit // once somebody has begun
}

func (o *object) tool() string { return map[int]string{0: "note", 1: "risky", 2: "grave"}[o.people] }

func (o *object) session() string { return o.String() }

// players are people and agents at three gateways, on an engine that is closed
// and opened again under their hands.
type players struct {
	t       *testing.T
	b       *bench
	engines sync.RWMutex // held for writing while the engine changes
	history *linearize.History
	objects int   // so far
	fault   fault // of the engine or of a gateway, that the check must find
	seen    sync.Map
}

// linearClients play at the same time, and each plays linearTurns times a round.
const linearClients, linearTurns = 6, 90

// linearBench is an engine to play with. It has a record on disk where dir is
// given.
func linearBench(t *testing.T, dir string, changes ...func(*Machine)) *bench {
	return newBench(t, append(changes, inFolder(dir), func(m *Machine) {
		m.opt.Dir = dir
		m.opt.Approvals.Classes["operator"] = people
		m.opt.Handlers = []cortex.Handler{func(context.Context, cortex.Signal) (bool, string, error) {
			return true, "taken", nil
		}}
	})...)
}

func (p *players) engine() *cortex.Engine {
	p.engines.RLock()
	defer p.engines.RUnlock()
	return p.b.Engine
}

// deal makes the objects of a round.
func (p *players) deal() (all []*object) {
	for i := range 40 {
		p.objects++
		o := &object{Object: linearize.Object{Number: p.objects}}
		switch {
		case i%2 == 0:
			o.Kind, o.people = linearize.Card, 1+i/2%2
		case i%4 == 1:
			o.Kind = linearize.Permit
		default:
			o.Kind = linearize.Key
		}
		all = append(all, o)
		if o.Kind == linearize.Key {
			continue
		}
		var err error
		o.decision, err = p.decide(context.Background(), p.engine(), o)
		require.NoError(p.t, err)
		o.token = o.decision.Approval
	}
	return all
}

func (p *players) decide(ctx context.Context, e *cortex.Engine, o *object) (*cortex.Decision, error) {
	args := fmt.Sprintf(`(:what "%d")`, o.Number)
	if o.Kind == linearize.Permit {
		args = fmt.Sprintf(`(:text "%d")`, o.Number)
	}
	return e.Decide(ctx, action(p.t, o.tool(), args), sessionOf(o.session()))
}

// moves are what clients do with objects of each kind, and how often.
var moves = map[linearize.Kind][]string{
	linearize.Card: {
		linearize.Approve, linearize.Approve, linearize.Approve, linearize.Deny, linearize.Edit, linearize.Withdraw,
		linearize.Consume, linearize.Consume, linearize.Consume, linearize.Read, linearize.Read, linearize.Read,
		linearize.Read, linearize.Read,
	},
	linearize.Permit: {linearize.Begin, linearize.Begin, linearize.Finish, linearize.Wonder, linearize.Settle},
	linearize.Key:    {linearize.Accept},
}

// play lets one client make one move.
func (p *players) play(rng *rand.Rand, o *object) {
	list := moves[o.Kind]
	in := linearize.In{On: o.Object, Do: list[rng.IntN(len(list))], Of: o.people}
	if in.Do == linearize.Approve {
		in.Who = people[rng.IntN(len(people))]
	}
	via := []string{"telegram", "signal", "repl"}[rng.IntN(3)]
	p.history.Do(in, func() linearize.Out { return p.do(o, in, via) })
}

func (p *players) do(o *object, in linearize.In, via string) linearize.Out {
	ctx, e := context.Background(), p.engine()
	who := cortex.Approver{Name: in.Who, Via: via}
	if p.fault == faultTwoNames && via == "signal" { // one gateway has another name for the same people
		who = cortex.Approver{Name: in.Who + "@signal", Classes: []string{"operator"}}
	}
	var err error
	switch in.Do {
	case linearize.Approve:
		err = e.Approve(ctx, o.token, who)
	case linearize.Deny:
		err = e.Deny(ctx, o.token, ana, "no")
	case linearize.Edit:
		_, err = e.Edit(ctx, o.token, ana, action(p.t, "risky", fmt.Sprintf(`(:what "another %d")`, o.Number)).Args())
		if next := (*cortex.StateError)(nil); errors.As(err, &next) && next.Token != o.token {
			err = nil // the card was replaced; it is the new one that takes no answer
		}
	case linearize.Withdraw:
		err = e.Withdraw(ctx, o.token, "agent")
	case linearize.Consume:
		err = p.consume(ctx, e, o)
	case linearize.Read:
		return p.read(ctx, e, o, via)
	case linearize.Accept:
		return p.accept(ctx, e, o)
	case linearize.Begin:
		return linearize.Out{How: saidOf(p.begin(ctx, e, o))}
	default:
		return linearize.Out{How: p.conclude(ctx, e, o, in.Do)}
	}
	return linearize.Out{How: saidOf(err)}
}

// saidOf tells what an error says of an operation.
func saidOf(err error) linearize.How {
	var state *cortex.StateError
	var no *cortex.NotAllowed
	switch {
	case err == nil:
		return linearize.Did
	case errors.As(err, &no) && no.Decision.Key == ledger.KeyStale:
		return linearize.Unknown
	case errors.As(err, &state), errors.As(err, &no), errors.Is(err, cortex.ErrNotApprover),
		errors.Is(err, cortex.ErrUsed),
		errors.Is(err, act.ErrUsed),
		errors.Is(err, cortex.ErrFinished), errors.Is(err, cortex.ErrNoDoubt):
		return linearize.Refused
	}
	return linearize.Unknown
}

// consume decides and takes the permit, as an agent does.
func (p *players) consume(ctx context.Context, e *cortex.Engine, o *object) error {
	d, err := p.decide(ctx, e, o)
	if err != nil {
		return err
	}
	if d.Kind != reason.Allow {
		return &cortex.NotAllowed{Decision: d}
	}
	if p.fault == faultNoBegin { // looks at what stands there, and acts
		return nil
	}
	permit, err := e.Begin(ctx, d)
	if err != nil {
		return err
	}
	_ = permit.Finish(ctx, cortex.Receipt{State: act.Done}) // of permits, others tell
	return nil
}

func (p *players) read(ctx context.Context, e *cortex.Engine, o *object, via string) linearize.Out {
	if p.fault == faultCachedRead && via == "signal" {
		if out, ok := p.seen.Load(o.Number); ok {
			return out.(linearize.Out)
		}
	}
	a, err := e.Approvals().Get(ctx, o.token)
	if err != nil {
		return linearize.Out{}
	}
	out := linearize.Out{How: linearize.Did, State: string(a.State), Filled: len(a.Slots[0].By)}
	p.seen.Store(o.Number, out)
	return out
}

// begin takes the permit of a decision, and leaves it to anyone who comes next.
func (p *players) begin(ctx context.Context, e *cortex.Engine, o *object) error {
	permit, err := e.Begin(ctx, o.decision)
	if err == nil {
		o.mu.Lock()
		o.permit = permit
		o.mu.Unlock()
	}
	return err
}

// conclude says what came of a permit, by anyone who holds it or by an operator.
func (p *players) conclude(ctx context.Context, e *cortex.Engine, o *object, how string) linearize.How {
	o.mu.Lock()
	permit := o.permit
	o.mu.Unlock()
	switch {
	case permit == nil:
		return linearize.Unknown // there is nothing yet of which to say anything
	case how == linearize.Finish:
		return saidOf(permit.Finish(ctx, cortex.Receipt{State: act.Done}))
	case how == linearize.Wonder:
		return saidOf(permit.Finish(ctx, cortex.Receipt{State: act.Unknown, Error: "no answer"}))
	}
	return saidOf(e.Operations().Settle(ctx, permit.ID(), o.Number%2 == 0, ana))
}

// accept sends a message with a key.
func (p *players) accept(ctx context.Context, e *cortex.Engine, o *object) linearize.Out {
	a, err := e.Accept(ctx, cortex.Signal{Text: "hello", Key: o.String(), Session: o.session(), Principal: "ann"})
	if err != nil {
		return linearize.Out{}
	}
	out, err := a.Answer(ctx)
	if err == nil && out.Notice != "taken" {
		p.t.Errorf("%s was answered %q", o, out.Notice)
	}
	return linearize.Out{How: linearize.Did, Signal: a.Signal, Repeat: a.Repeat}
}

// every is one thing that happens to all objects of some kinds.
func every(all []*object, do string, kinds ...linearize.Kind) (ins []linearize.In) {
	for _, o := range all {
		for _, k := range kinds {
			if o.Kind == k {
				ins = append(ins, linearize.In{On: o.Object, Do: do, Of: o.people})
			}
		}
	}
	return ins
}

// round lets all clients play with the same objects, and then reads every card.
func (p *players) round(n int, seed uint64) {
	all := p.deal()
	var wg sync.WaitGroup
	for client := range linearClients {
		rng := rand.New(rand.NewPCG(seed+uint64(n), uint64(client)))
		wg.Go(func() {
			for range linearTurns {
				if client == 0 && rng.IntN(linearTurns) < 4 {
					p.happen(rng.IntN(6), all)
				}
				p.play(rng, all[rng.IntN(len(all))])
			}
		})
	}
	wg.Wait()
	for _, o := range all {
		p.last(o)
	}
	p.tidy()
}

// tidy ends what nobody plays with any more, so that no cap is reached.
func (p *players) tidy() {
	ctx, e := context.Background(), p.engine()
	all, err := e.Approvals().All(ctx)
	require.NoError(p.t, err)
	for _, a := range all {
		if a.State != cortex.Pending && a.State != cortex.Approved {
			continue
		}
		if err := e.Withdraw(ctx, a.Token, a.Requester); err != nil {
			require.ErrorAs(p.t, err, new(*cortex.StateError))
		}
	}
	doubts, err := e.Operations().Doubts(ctx)
	require.NoError(p.t, err)
	for _, d := range doubts {
		require.NoError(p.t, e.Operations().Settle(ctx, d.Intent, false, ana))
	}
}

// happen is what happens to all objects at once, under everybody's hands.
func (p *players) happen(what int, all []*object) {
	switch {
	case what == 0:
		p.history.All(every(all, linearize.Expire, linearize.Card, linearize.Permit), p.later)
	case what == 1:
		p.history.All(every(all, linearize.Sweep, linearize.Card), func() {
			if err := p.engine().Operations().Maintain(context.Background()); err != nil {
				assert.ErrorIs(p.t, err, cortex.ErrClosed)
			}
		})
	case p.b.m.opt.Dir != "":
		p.history.All(every(all, linearize.Restart, linearize.Permit), func() {
			p.engines.Lock()
			defer p.engines.Unlock()
			p.b.reopen()
		})
	}
}

// last looks at what has become of an object, and leaves none in doubt.
func (p *players) last(o *object) {
	in := linearize.In{On: o.Object, Do: linearize.Read, Of: o.people}
	switch o.Kind {
	case linearize.Permit:
		in.Do = linearize.Finish
	case linearize.Key:
		in.Do = linearize.Accept
	}
	p.history.Do(in, func() linearize.Out { return p.do(o, in, "repl") })
}

// later lets the time of everything be over that is open now.
func (p *players) later() {
	if p.fault != faultSlowClock {
		p.b.m.Clock.Add(25 * time.Hour)
	}
}

// run plays about so many operations, and checks them.
func (p *players) run(operations int, seed uint64) []string {
	p.history = linearize.NewHistory()
	for n := 0; p.history.Len() < operations; n++ {
		p.round(n, seed)
	}
	return p.history.Check()
}

// linearSize is how many histories of how many operations are played: few and
// short, or as CORTEX_HISTORIES and the variable say.
func linearSize(variable string, usual int) (histories, operations int) {
	return crashtest.Number("CORTEX_HISTORIES", 1), crashtest.Number(variable, usual)
}

// linearCampaign plays histories and prints the line that docs/proof/reliability.md
// quotes.
func linearCampaign(t *testing.T, name, variable string, dir func() string) {
	histories, operations := linearSize(variable, 4000)
	_, seed := campaign(0)
	failures, all, begun := 0, 0, time.Now()
	count := map[string]int{}
	for i := range histories {
		p := &players{t: t, b: linearBench(t, dir())}
		wrong := p.run(operations, seed+uint64(i)*1e6)
		if failures += min(1, len(wrong)); len(wrong) > 0 {
			t.Errorf("seed %d: %d objects have no order, such as %s", seed+uint64(i)*1e6, len(wrong), wrong[0])
		}
		all += p.history.Len()
		for k, n := range p.history.Counts() {
			count[k] += n
		}
		p.b.m.Close()
	}
	for _, want := range []string{
		"card-approve did", "card-approve refused", "card-deny did", "card-deny refused", "card-edit did",
		"card-edit refused", "card-withdraw did", "card-withdraw refused",
		"card-consume did", "card-consume refused", "card-read did", "card-expire did", "card-sweep did", "permit-begin did",
		"permit-begin refused",
		"permit-finish did",
		"permit-finish refused", "permit-wonder did", "permit-settle did", "permit-settle refused", "key-accept did",
	} {
		assert.Positive(t, count[want], "%s: %v", want, count)
	}
	report(t, name, histories, seed, failures,
		fmt.Sprintf("operations=%d seconds=%.0f %v", all, time.Since(begun).Seconds(), count))
}

// Approvals, permits and dedupe keys in memory are linearizable: each behaves as
// if one client at a time had touched it.
func TestLinear_InMemory(t *testing.T) {
	linearCampaign(t, "linear-memory", "CORTEX_LINEAR_MEMORY", func() string { return "" })
}

// So are those on disk, while the engine is restarted under everybody's hands.
func TestLinear_Restarts(t *testing.T) {
	crashtest.Long(t)
	linearCampaign(t, "linear-restarts", "CORTEX_LINEAR", t.TempDir)
}
