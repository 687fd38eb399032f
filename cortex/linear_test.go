package cortex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason"
)

// The operations on one approval.
const (
	opApprove = iota
	opDeny
	opExpire
	opConsume
)

// input is one operation on the card of one action.
type input struct{ card, op int }

// What an operation says that it did.
const (
	did     = "did"
	refused = "refused"
	unknown = "unknown" // the engine went away: it may have happened, or not
)

// cards is an approval as a sequential object: what may follow what.
var cards = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		by := map[int][]porcupine.Operation{}
		for _, o := range history {
			by[o.Input.(input).card] = append(by[o.Input.(input).card], o)
		}
		var out [][]porcupine.Operation
		for _, list := range by {
			out = append(out, list)
		}
		return out
	},
	Init: func() any { return string(Pending) },
	Step: func(state, in, out any) (bool, any) {
		was := ApprovalState(state.(string))
		from, to := Pending, Approved
		switch in.(input).op {
		case opDeny:
			to = Denied
		case opExpire: // the clock asks nobody
			if was == Pending || was == Approved {
				return true, string(Expired)
			}
			return true, state
		case opConsume:
			from, to = Approved, Consumed
		}
		switch out.(string) {
		case did:
			return was == from, string(to)
		case refused:
			return was != from, state
		}
		if was == from { // unknown: whether it happened is for the others to tell
			return true, string(to)
		}
		return true, state
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprint(in, " ", out) },
}

// players are people and agents at three gateways, on an engine that is closed
// and opened again under their hands.
type players struct {
	t       *testing.T
	b       *bench
	mu      sync.RWMutex // held for writing while the engine changes
	begin   time.Time
	history []porcupine.Operation
	lock    sync.Mutex
	// faulty makes consuming look at the card and not compare and set: the check
	// must find it.
	faulty bool
}

func (p *players) engine() *Engine {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.b.Engine
}

// play runs one operation and notes when it began and ended, and what came of it.
func (p *players) play(client int, in input, token string) {
	start := time.Since(p.begin)
	out := p.do(client, in, token)
	end := int64(time.Since(p.begin))
	if out == unknown {
		end = math.MaxInt64
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.history = append(p.history, porcupine.Operation{ClientId: len(p.history), Input: in, Call: int64(start), Output: out, Return: end})
}

func (p *players) do(client int, in input, token string) string {
	ctx, e := context.Background(), p.engine()
	who := []Approver{ana, ben, {Name: "operator", Classes: []string{"operator"}}}[client%3]
	who.Via = []string{"telegram", "signal", "repl"}[client%3]
	var err error
	switch in.op {
	case opApprove:
		err = e.Approve(ctx, token, who)
	case opDeny:
		err = e.Deny(ctx, token, who, "no")
	case opConsume:
		return p.consume(ctx, e, in)
	}
	return said(err)
}

// expire lets the time of every card of a round be over.
func (p *players) expire(first, last int) {
	start := int64(time.Since(p.begin))
	p.b.clock.Add(25 * 3600)
	end := int64(time.Since(p.begin))
	p.lock.Lock()
	defer p.lock.Unlock()
	for card := first; card <= last; card++ {
		p.history = append(p.history, porcupine.Operation{ClientId: len(p.history), Input: input{card, opExpire}, Call: start, Output: did, Return: end})
	}
}

func said(err error) string {
	var state *StateError
	switch {
	case err == nil:
		return did
	case errors.As(err, &state):
		return refused
	}
	return unknown
}

// consume decides and takes the permit, as an agent does.
func (p *players) consume(ctx context.Context, e *Engine, in input) string {
	d, err := e.Decide(ctx, action(p.t, "risky", fmt.Sprintf(`(:what "%d")`, in.card)), session(fmt.Sprint("s", in.card), "agent"))
	if err != nil {
		return unknown
	}
	if d.Kind != reason.Allow {
		return refused
	}
	if p.faulty {
		return did
	}
	permit, err := e.Begin(ctx, d)
	var no *NotAllowed
	switch {
	case errors.As(err, &no) && no.Decision.Key == keyStale:
		return unknown
	case errors.As(err, &no), errors.Is(err, ErrUsed):
		return refused
	case err != nil:
		return unknown
	}
	if err := permit.Finish(ctx, Receipt{State: "done"}); err != nil && !errors.Is(err, ErrClosed) && e.usable() == nil {
		p.t.Errorf("finish: %v", err)
	}
	return did
}

// run plays about so many operations, and checks that they are what some
// sequential order of them would have given.
func (p *players) run(operations int, seed uint64) porcupine.CheckResult {
	rng := rand.New(rand.NewPCG(seed, 1))
	p.begin = time.Now()
	var next atomic.Int64
	for round := 0; len(p.history) < operations; round++ {
		var wg sync.WaitGroup
		for range 40 {
			card := int(next.Add(1))
			d, err := p.engine().Decide(context.Background(), action(p.t, "risky", fmt.Sprintf(`(:what "%d")`, card)), session(fmt.Sprint("s", card), "agent"))
			require.NoError(p.t, err)
			for client := range 5 {
				op := []int{opApprove, opApprove, opDeny, opConsume, opConsume, opConsume}[rng.IntN(6)]
				wg.Go(func() { p.play(client, input{card, op}, d.Approval) })
			}
		}
		if round%3 == 2 {
			last := int(next.Load())
			wg.Go(func() { p.expire(last-39, last) })
		}
		if round%5 == 4 { // under their hands
			p.mu.Lock()
			p.b.reopen()
			p.mu.Unlock()
		}
		wg.Wait()
	}
	return porcupine.CheckOperationsTimeout(cards, p.history, 5*time.Minute)
}

// operations is how many a run plays: few, or as many as CORTEX_LINEAR says.
func operations(t *testing.T) int {
	n := 2000
	if s := os.Getenv("CORTEX_LINEAR"); s != "" {
		var err error
		n, err = strconv.Atoi(s)
		require.NoError(t, err)
	}
	return n
}

// Approvals through three gateways, with the engine restarted under their hands,
// are linearizable: each behaves as if one person at a time had touched it.
func TestLinear_Approvals(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) {
		o.Dir = t.TempDir()
		o.Classes["operator"] = append(o.Classes["operator"], "operator")
	})
	p := &players{t: t, b: b}
	require.Equal(t, porcupine.Ok, p.run(operations(t), 1))
	count := map[string]int{}
	for _, o := range p.history {
		count[fmt.Sprint(o.Input.(input).op, o.Output)]++
	}
	t.Logf("%d operations, by kind and outcome: %v", len(p.history), count)
	for _, want := range []string{"0did", "0refused", "1did", "1refused", "2did", "3did", "3refused"} {
		require.Positive(t, count[want], want)
	}
}

// The check finds a consume that does not compare and set.
func TestLinear_FindsConsumingTwice(t *testing.T) {
	for faulty, want := range map[bool]porcupine.CheckResult{false: porcupine.Ok, true: porcupine.Illegal} {
		b := newBench(t, testRules, "", func(o *Options) { o.Classes["operator"] = append(o.Classes["operator"], "operator") })
		p := &players{t: t, b: b, faulty: faulty, begin: time.Now()}
		d, err := b.Decide(t.Context(), action(t, "risky", `(:what "1")`), session("s1", "agent"))
		require.NoError(t, err)
		for _, op := range []int{opApprove, opConsume, opConsume} {
			p.play(0, input{1, op}, d.Approval)
		}
		require.Equal(t, want, porcupine.CheckOperationsTimeout(cards, p.history, time.Minute), "faulty: %v", faulty)
	}
}
