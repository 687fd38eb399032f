package act_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// ledger is a recorder in memory with the rules of the real one: it begins
// decisions that it recorded as allowed, each once, and takes one receipt that
// leaves no doubt. Its fields may be set before use to make it fail.
type ledger struct {
	mu       sync.Mutex
	seq      uint64
	allowed  map[uint64]*skills.Action // recorded allows by sequence number
	receipts map[uint64][]act.Receipt  // by intent

	name      string // part of every key
	closed    error  // both calls fail
	finishErr error
	dry       bool
	observed  bool
	timeout   time.Duration // of intents; 0 means no deadline
	redecide  error         // what the last-mile check says
}

var errNotAllowed = errors.New("deny: policy/changed: no rule allows it any more")

func newLedger() *ledger {
	return &ledger{name: "key", allowed: map[uint64]*skills.Action{}, receipts: map[uint64][]act.Receipt{}}
}

// allow records an allow.
func (l *ledger) allow(a *skills.Action) (decision uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	l.allowed[l.seq] = a
	return l.seq
}

func (l *ledger) OpenIntent(_ context.Context, decision uint64) (act.Intent, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed != nil {
		return act.Intent{}, l.closed
	}
	if l.redecide != nil {
		return act.Intent{}, l.redecide
	}
	a := l.allowed[decision]
	if a == nil {
		return act.Intent{}, fmt.Errorf("%w: decision %d is not a recorded allow", errNotAllowed, decision)
	}
	delete(l.allowed, decision)
	l.seq++
	in := act.Intent{
		ID: l.seq, Key: fmt.Sprintf("%s-%d", l.name, l.seq), Decision: decision, Action: a, Session: "s1",
		Dry: l.dry, Observed: l.observed,
	}
	if l.timeout != 0 {
		in.Deadline = time.Now().Add(l.timeout)
	}
	return in, nil
}

func (l *ledger) CloseIntent(ctx context.Context, in act.Intent, r act.Receipt) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := errors.Join(ctx.Err(), l.closed, l.finishErr); err != nil {
		return err
	}
	if old := l.receipts[in.ID]; len(old) > 0 && old[len(old)-1].State != act.Unknown {
		return fmt.Errorf("intent %d has its receipt already", in.ID)
	}
	l.receipts[in.ID] = append(l.receipts[in.ID], r)
	return nil
}

// of returns the receipts on record for a permit.
func (l *ledger) of(p *act.Permit) []act.Receipt {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.receipts[p.ID()]
}

// probe is a tool that counts what it was asked to do.
type probe struct {
	mu    sync.Mutex
	calls []act.Call
	then  func(context.Context, act.Call) (act.Receipt, error) // nil: done
}

func (p *probe) Act(ctx context.Context, c act.Call) (act.Receipt, error) {
	p.mu.Lock()
	p.calls = append(p.calls, c)
	p.mu.Unlock()
	if p.then != nil {
		return p.then(ctx, c)
	}
	return act.Receipt{State: act.Done, Text: "hi"}, nil
}

func (p *probe) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls)
}

func (p *probe) tool(name string) act.Tool {
	return act.Tool{Schema: &skills.Tool{
		Name:   name,
		Params: []skills.Param{{Name: "text", Type: skills.Type{Kind: skills.KindString}}},
	}, Actuator: p}
}

func registry(t testing.TB, tools ...act.Tool) *act.Registry {
	t.Helper()
	r, err := act.NewRegistry(tools...)
	require.NoError(t, err)
	return r
}

func action(t testing.TB, tool string, kv ...any) *skills.Action {
	t.Helper()
	a, err := skills.NewAction(tool, sexpr.Plist(kv...), "because the test says so")
	require.NoError(t, err)
	return a
}

func text(s string) sexpr.Value { return sexpr.Str(s) }

// bench is a dispatcher over a ledger and one probe named "echo".
type bench struct {
	*act.Dispatcher
	*ledger
	*probe
}

func setUp(t testing.TB) *bench {
	b := &bench{ledger: newLedger(), probe: &probe{}}
	b.Dispatcher = act.NewDispatcher(b.ledger, registry(t, b.tool("echo")))
	t.Cleanup(b.Close)
	return b
}

// permit begins a recorded allow of (echo :text s).
func (b *bench) permit(t testing.TB, s string) *act.Permit {
	t.Helper()
	p, err := b.Dispatcher.Begin(t.Context(), b.allow(action(t, "echo", "text", text(s))))
	require.NoError(t, err)
	return p
}
