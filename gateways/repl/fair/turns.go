package fair

import (
	"context"
	"slices"
	"time"
)

// lane hands out the turns of one kind of work.
type lane struct {
	free    int
	waiting []*Client     // that want a turn, in the order in which they began to
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
	ready chan struct{} // closed when it is the client's
}

// Enter waits for a turn, and for room for an answer of up to most bytes: of more
// than [Floor] there may be less. A client that holds more than its floor has no
// turn before it has given some back: it gets no more done than it takes answers.
// Anyone who gets a turn gives it back with [Turn.Leave].
func (c *Client) Enter(ctx context.Context, in Lane, most int) (*Turn, error) {
	p := c.p
	t := &Turn{c: c, lane: in, most: most, ready: make(chan struct{})}
	p.mu.Lock()
	l, at := &p.lanes[in], &c.lanes[in]
	if len(at.wants) == 0 {
		at.had = max(at.had, l.now) // time in which it wanted nothing is not made up for
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

// Leave gives the turn back. Of its room the client goes on holding n bytes, which
// may also be more than it was: see [Client.Free].
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

// next gives turns to those who wait, as far as there are any.
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

// first is the client that has had least, and wants least at the moment; nil if
// none may have a turn.
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

// drop takes a turn out of those that wait.
func (c *Client) drop(t *Turn) {
	at, l := &c.lanes[t.lane], &c.p.lanes[t.lane]
	at.wants = slices.DeleteFunc(at.wants, func(x *Turn) bool { return x == t })
	if len(at.wants) == 0 {
		l.waiting = slices.DeleteFunc(l.waiting, func(x *Client) bool { return x == c })
	}
}
