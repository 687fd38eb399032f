package guard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

// Options are settings of a [Guard]. The zero value is a useful one.
type Options struct {
	// Wait is how long a call that people have to answer holds up the conversation. 0
	// returns at once, with the tokens of the cards; less than 0 waits as long as the
	// context lasts.
	Wait time.Duration
	// Turns is how often the model is asked at most for one [Guard.Say] or
	// [Guard.Resume]; 0 means 32.
	Turns int
}

const defaultTurns = 32

// Guard judges and runs the tool calls of a model. One engine has one Guard. It is safe
// for concurrent use: calls of one session follow one another.
type Guard struct {
	opt    Options
	engine *cortex.Engine
	client model.Provider
	tools  *act.Registry
	run    *act.Dispatcher

	mu    sync.Mutex
	turns map[string]*turn // the sessions that are being worked on
}

// turn belongs to one session. The caller that holds it works on the session.
type turn struct {
	held  chan struct{} // has room for one
	users int           // who hold it or wait for it
	past  past
}

// New returns a guard for the tools of a program. The engine permits each call, and the
// guard runs it. The rules declare the parameters of each tool, or the engine's own
// Options.Tools do; an error names every tool that has no declaration. client may be nil
// for a program that asks its model itself, and uses [Guard.Call] alone.
//
// The engine stays the caller's to close, after the guard.
func New(engine *cortex.Engine, client model.Provider, tools []act.Tool, opt Options) (*Guard, error) {
	speak := act.Tool{Schema: skills.BuiltinTools()[0], Actuator: act.Func(
		func(context.Context, act.Call) (act.Receipt, error) { return act.Receipt{State: act.Done}, nil })}
	for _, t := range tools {
		if t.Schema != nil && skills.IsBuiltin(t.Schema.Name) {
			return nil, fmt.Errorf("guard: %q is a tool of Cortex itself; give the tool another name", t.Schema.Name)
		}
	}
	all, err := act.NewRegistry(append([]act.Tool{speak}, tools...)...)
	if err != nil {
		return nil, fmt.Errorf("guard: %w", err)
	}
	var errs []error
	for _, t := range all.Tools() {
		switch d, ok := engine.Rules().Policy().Tool(t.Name); {
		case ok && form.IsTool(d):
			errs = append(errs, fmt.Errorf("guard: %q is a capability, which the engine runs; give the tool another name",
				t.Name))
		case !ok:
			errs = append(errs, fmt.Errorf("guard: no rule file declares the tool %q; expected a (deftool %s ...), or the "+
				"tool among the engine's Options.Tools", t.Name, t.Name))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	g := &Guard{opt: opt, engine: engine, client: client, tools: all, turns: map[string]*turn{}}
	g.run = act.NewDispatcher(&recorder{engine: engine, permits: map[uint64]*cortex.Permit{}}, all)
	return g, nil
}

// Close waits until every tool that was called has returned, and its receipt is on
// record. After Close no tool runs.
func (g *Guard) Close() error {
	g.run.Close()
	return nil
}

// take waits for a session's turn. The caller calls leave when it has done its work.
func (g *Guard) take(ctx context.Context, session string) (_ *turn, leave func(), err error) {
	if session == "" {
		return nil, nil, errors.New("guard: a chat has a Session of its own, which names it in the record")
	}
	g.mu.Lock()
	t := g.turns[session]
	if t == nil {
		t = &turn{held: make(chan struct{}, 1), past: past{view: g.engine.Journal(), session: session}}
		g.turns[session] = t
	}
	t.users++
	g.mu.Unlock()
	gone := func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(g.turns, session)
		}
	}
	select {
	case t.held <- struct{}{}:
		return t, func() { <-t.held; gone() }, nil
	case <-ctx.Done():
		gone()
		return nil, nil, context.Cause(ctx)
	}
}

// recorder is the engine as a dispatcher needs it: the engine gives the permits, and
// takes the receipts.
type recorder struct {
	engine *cortex.Engine

	mu      sync.Mutex
	permits map[uint64]*cortex.Permit // by intent, as long as no receipt has settled it
}

// OpenIntent implements [act.Recorder].
func (r *recorder) OpenIntent(ctx context.Context, decision uint64) (act.Intent, error) {
	p, err := r.engine.Begin(ctx, &cortex.Decision{ID: decision})
	if err != nil {
		return act.Intent{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.permits[p.ID()] = p
	in := p.Intent()
	in.Observed = false // in observe mode the program runs all that the model wants
	return in, nil
}

// CloseIntent implements [act.Recorder].
func (r *recorder) CloseIntent(ctx context.Context, in act.Intent, rc act.Receipt) error {
	r.mu.Lock()
	p := r.permits[in.ID]
	r.mu.Unlock()
	err := p.Finish(ctx, rc)
	if err == nil && rc.State != act.Unknown {
		r.mu.Lock()
		delete(r.permits, in.ID)
		r.mu.Unlock()
	}
	return err
}
