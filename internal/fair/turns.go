package fair

import (
	"context"
	"slices"
	"time"
)

// lane hands out the turns of one kind of work.
type lane struct {
	free    int
	waiting []*Client     // that want a turn, in order of arrival
	now     time.Duration // how much time the client that was served last had had
}

// place is how one client stands in one lane.
type place struct {
	wants []*Turn       // that wait, oldest first
	had   time.Duration // of turns
}

// Turn is a turn that a client has, or waits for.
type Turn struct {
	// Room is how many bytes the answer may take. They are counted.
	Room int

	c     *Client
	lane  Lane
	most  int
	since time.Time
	ready chan struct{} // closed when the client has the turn
}

// Enter waits for a turn, and for space for an answer of up to most bytes: beyond
// [Floor] it may grant less. A client that holds more than its floor gets no turn
// until it returns some: it gets only as much work done as it reads answers. Return
// the turn with [Turn.Leave].
func (c *Client) Enter(ctx context.Context, in Lane, most int) (*Turn, error) {
	p := c.p
	t := &Turn{c: c, lane: in, most: most, ready: make(chan struct{})}
	p.mu.Lock()
	l, at := &p.lanes[in], &c.lanes[in]
	if len(at.wants) == 0 {
		at.had = max(at.had, l.now) // idle time earns no credit
		l.waiting = append(l.waiting, c)
	}
	at.wants = append(at.wants, t)
	p.next(in)
	p.mu.Unlock()
	select {
	case <-t.ready:
		return t, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-t.ready:
		p.end(t, 0)
	default:
		c.drop(t)
	}
	return nil, context.Cause(ctx)
}

// Leave returns the turn. The client continues to hold n bytes of its room, which
// may be more than the room was: see [Client.Free].
func (t *Turn) Leave(n int) {
	p := t.c.p
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(t, n)
}

func (p *Pool) end(t *Turn, n int) {
	t.c.lanes[t.lane].had += time.Since(t.since)
	p.lanes[t.lane].free++
	p.running--
	t.c.granted -= t.Room
	t.c.add(n - t.Room)
	p.next(t.lane)
}

// next gives free turns to waiting clients.
func (p *Pool) next(in Lane) {
	l := &p.lanes[in]
	for l.free > 0 {
		c := l.first(in)
		if c == nil {
			return
		}
		t := c.lanes[in].wants[0]
		c.drop(t)
		l.free--
		p.running++
		l.now = max(l.now, c.lanes[in].had)
		t.Room = max(c.room(t.most), min(t.most, Floor))
		c.add(t.Room)
		c.granted += t.Room
		t.since = time.Now()
		close(t.ready)
	}
}

// first is the waiting client that has had the least time; nil if none may have a
// turn.
func (l *lane) first(in Lane) (best *Client) {
	for _, c := range l.waiting {
		if c.bytes-c.granted > Floor {
			continue
		}
		if x := &c.lanes[in]; best == nil || x.had < best.lanes[in].had || x.had == best.lanes[in].had &&
			len(x.wants) < len(best.lanes[in].wants) {
			best = c
		}
	}
	return best
}

// drop removes a waiting turn.
func (c *Client) drop(t *Turn) {
	at, l := &c.lanes[t.lane], &c.p.lanes[t.lane]
	at.wants = slices.DeleteFunc(at.wants, func(x *Turn) bool { return x == t })
	if len(at.wants) == 0 {
		l.waiting = slices.DeleteFunc(l.waiting, func(x *Client) bool { return x == c })
	}
}
