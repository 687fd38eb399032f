package runs

import (
	"container/list"
	"context"
	"sync"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/sexpr"
)

// cache holds the folded logs that were used last. It is only a memory: what it lacks, or what is
// behind the log's head, is read again.
type cache struct {
	logs *logs.Logs
	most int
	// follow is told of a log that was read, without events, and of what was appended to one.
	follow func(*fold.State, []*event.Event)

	mu    sync.Mutex
	runs  map[event.SessionID]*list.Element // of *folded
	order *list.List                        // the one that was used last in front
}

// folded is one folded log. Who reads or changes its state holds mu.
type folded struct {
	session event.SessionID
	mu      sync.Mutex
	state   *fold.State // nil before the first use
}

func newCache(l *logs.Logs, most int, follow func(*fold.State, []*event.Event)) *cache {
	return &cache{logs: l, most: most, follow: follow, runs: map[event.SessionID]*list.Element{}, order: list.New()}
}

// of returns the entry of a log, which may be empty.
func (c *cache) of(session event.SessionID) *folded {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.runs[session]; ok {
		c.order.MoveToFront(at)
		return at.Value.(*folded)
	}
	f := &folded{session: session}
	c.runs[session] = c.order.PushFront(f)
	if c.order.Len() > c.most {
		last := c.order.Back()
		delete(c.runs, c.order.Remove(last).(*folded).session)
	}
	return f
}

// read calls f with the state of a log up to its head. f must not keep the state.
func (c *cache) read(ctx context.Context, session event.SessionID, f func(*fold.State) error) error {
	head, err := c.logs.Head(string(session))
	if err == nil && head.Family != family {
		err = logs.ErrNoLog // of a run
	}
	if err != nil {
		return err
	}
	at := c.of(session)
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.state == nil || at.state.Next() < head.Next {
		if at.state, err = Load(ctx, c.logs, session); err != nil {
			at.state = nil
			return err
		}
		c.follow(at.state, nil)
	}
	return f(at.state)
}

// peek calls f as read does, and does not hold what it has to read for that.
func (c *cache) peek(ctx context.Context, head *logs.Head, f func(*fold.State) error) error {
	session := event.SessionID(head.Log)
	c.mu.Lock()
	at, ok := c.runs[session]
	c.mu.Unlock()
	if ok {
		held := at.Value.(*folded)
		held.mu.Lock()
		defer held.mu.Unlock()
		if held.state != nil && held.state.Next() >= head.Next {
			return f(held.state)
		}
	}
	s, err := Load(ctx, c.logs, session)
	if err != nil {
		return err
	}
	return f(s)
}

// add folds events that were just appended.
func (c *cache) add(session event.SessionID, events []*event.Event) {
	at := c.of(session)
	at.mu.Lock()
	defer at.mu.Unlock()
	for _, e := range events {
		if at.state == nil || at.state.Next() > e.Index { // never read, or read with these events
			continue
		}
		if at.state.Apply(e) != nil {
			at.state = nil // read anew next time, which says what is wrong
		}
	}
	if at.state != nil {
		c.follow(at.state, events)
	}
}

// drop forgets a log.
func (c *cache) drop(session event.SessionID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.runs[session]; ok {
		c.order.Remove(at)
		delete(c.runs, session)
	}
}

// maxPlans is how many compiled plans are held.
const maxPlans = 64

// planCache holds compiled plans by their hash. A plan never changes.
type planCache struct {
	mu    sync.Mutex
	plans map[event.WorkflowHash]*plans.Plan
}

// plan returns a plan that a log pinned.
func (r *Runs) plan(hash event.WorkflowHash) (*plans.Plan, error) {
	r.plans.mu.Lock()
	p := r.plans.plans[hash]
	r.plans.mu.Unlock()
	if p != nil {
		return p, nil
	}
	text, err := r.content(hash)
	if err != nil {
		return nil, err
	}
	if p, err = plans.Load([]byte(text)); err != nil {
		return nil, err
	}
	r.plans.mu.Lock()
	defer r.plans.mu.Unlock()
	if r.plans.plans == nil || len(r.plans.plans) >= maxPlans {
		r.plans.plans = map[event.WorkflowHash]*plans.Plan{}
	}
	r.plans.plans[hash] = p
	return p, nil
}

// content returns kept content by its digest. Content that is missing, or is not what its digest says,
// is [ErrUnhealthy].
func (r *Runs) content(of event.Digest) (string, error) {
	d, err := sexpr.ParseDigest(string(of))
	if err != nil {
		return "", err
	}
	_, text, err := r.logs.Content(d)
	if err != nil {
		return "", unhealthy(err)
	}
	return text, nil
}
