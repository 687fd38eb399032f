// Package fair shares memory and evaluation turns among the clients of a daemon.
//
// A [Pool] serves all clients together. Each client has a small floor of bytes that
// the others cannot take from it, and beyond that its share of the pool, which
// shrinks as more clients hold memory. Turns go to the client that has recently had
// the least time. So a client that asks for much, or does not read its answers, slows
// itself and hardly affects the others.
package fair

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Floor is how many bytes each client may hold whatever the others hold.
const Floor = 64 << 10

// stalled is how long a client may hold more than its share, without taking or
// returning bytes, while others need memory.
const stalled = time.Second

// A Lane is a kind of work. Each kind has turns of its own, so that short work does
// not wait for long work.
type Lane int

// The lanes.
const (
	Computing Lane = iota // short: conditions and status
	Listing               // a part of the record, or many things
	Checking              // all of the record
	Acting                // waits more for disk, plugins and files than it computes
	lanes
)

// Options bound a [Pool]. The zero value is ready to use.
type Options struct {
	// Bytes that all clients together may hold beyond their floors; 0 means 64 MiB.
	Bytes int
	// Turns bounds the parallel evaluations of each lane; 0 means the number of
	// processors (at least two) for Computing, half as many for Listing, one for
	// Checking and 64 for Acting.
	Turns [lanes]int
}

// Pool is the memory and the turns that all clients share. It is safe for concurrent
// use.
type Pool struct {
	bytes int

	mu      sync.Mutex
	all     int              // bytes that clients hold
	beyond  int              // of these, beyond floors
	running int              // turns that are taken
	holders map[*Client]bool // clients that hold something beyond their floor
	waiting []*Client        // clients that wait for bytes, in order of arrival
	lanes   [lanes]lane
}

// New makes a pool.
func New(opt Options) *Pool {
	if opt.Bytes <= 0 {
		opt.Bytes = 64 << 20
	}
	p := &Pool{bytes: opt.Bytes, holders: map[*Client]bool{}}
	cores := max(2, runtime.GOMAXPROCS(0))
	for i, n := range [lanes]int{Computing: cores, Listing: cores / 2, Checking: 1, Acting: 64} {
		if opt.Turns[i] > 0 {
			n = opt.Turns[i]
		}
		p.lanes[i].free = n
	}
	return p
}

// Held returns how many bytes clients hold, and how many turns are taken.
func (p *Pool) Held() (bytes, turns int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all, p.running
}

// Client is one client's share. Its methods are safe for concurrent use.
type Client struct {
	p   *Pool
	cut func() // ends the client; nil if it cannot be ended

	// Under p.mu:
	bytes   int
	granted int // of these, as the room of turns
	closed  bool
	moved   time.Time // when it took or gave back something
	waits   []*wait   // for bytes, oldest first
	lanes   [lanes]place
}

// wait is a call of [Client.Await] that waits for n bytes. over is closed when they are counted.
type wait struct {
	n    int
	over chan struct{}
}

// Client adds a client. cut, which may be nil, disconnects the client if it holds
// more than its share while others need memory; it must not block. Close the client
// when done.
func (p *Pool) Client(cut func()) *Client { return &Client{p: p, cut: cut, moved: time.Now()} }

// Close returns all bytes that the client holds. Later calls of Free have no effect.
func (c *Client) Close() {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	c.add(-c.bytes)
	c.closed = true
}

// Hold counts n bytes for the client, and reports whether its share had room for
// them. If not, none are counted.
func (c *Client) Hold(n int) bool {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	return c.hold(n)
}

// Await is Hold, but waits for space; it returns ctx's error if ctx ends first. A
// request above any share waits until no client holds anything.
func (c *Client) Await(ctx context.Context, n int) error {
	c.p.mu.Lock()
	if c.hold(n) || c.alone(n) {
		c.p.mu.Unlock()
		return nil
	}
	w := &wait{n: n, over: make(chan struct{})}
	if len(c.waits) == 0 {
		c.p.waiting = append(c.p.waiting, c)
	}
	c.waits = append(c.waits, w)
	c.p.mu.Unlock()
	select {
	case <-w.over:
		return nil
	case <-ctx.Done():
	}
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	select {
	case <-w.over:
		c.add(-n)
	default:
		c.unwait(w)
	}
	return context.Cause(ctx)
}

// alone counts n bytes if no client holds anything beyond its floor.
func (c *Client) alone(n int) bool {
	if len(c.p.holders) > 0 {
		return false
	}
	c.add(n)
	return true
}

// unwait removes a call that waits for bytes.
func (c *Client) unwait(w *wait) {
	c.waits = slices.DeleteFunc(c.waits, func(x *wait) bool { return x == w })
	if len(c.waits) == 0 {
		c.p.waiting = slices.DeleteFunc(c.p.waiting, func(x *Client) bool { return x == c })
	}
}

// Must counts n bytes that are already in use.
func (c *Client) Must(n int) {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	c.add(n)
}

// Free returns n bytes.
func (c *Client) Free(n int) { c.Must(-n) }

func (c *Client) hold(n int) bool {
	if n > c.room(n) {
		return false
	}
	c.add(n)
	return true
}

// room is how much of n bytes the client may have. If its share would allow all of
// them but the others leave too little, room makes the pool free more.
func (c *Client) room(n int) int {
	p := c.p
	floor := max(0, Floor-c.bytes)
	have, sharers := max(0, c.bytes-Floor), len(p.holders)+1
	if p.holders[c] {
		sharers--
	}
	share := max(0, p.bytes/(sharers+1)-have)
	left := max(0, p.bytes-p.beyond)
	if short := min(n-floor, share); short > left {
		p.squeeze(p.bytes / (sharers + 1))
	}
	return min(n, floor+min(share, left))
}

// squeeze disconnects the client that holds most, if it holds more than its share
// and has stalled.
func (p *Pool) squeeze(share int) {
	var most *Client
	for c := range p.holders {
		if c.cut != nil && c.bytes-Floor > share && time.Since(c.moved) > stalled && (most == nil || c.bytes > most.bytes) {
			most = c
		}
	}
	if most != nil {
		most.moved = time.Now() // it is cut once
		go most.cut()
	}
}

// add counts n bytes, or returns them if n is negative, and hands on what is free then.
func (c *Client) add(n int) {
	shared := c.p.beyond
	c.count(n)
	switch {
	case c.p.beyond < shared:
		for _, other := range slices.Clone(c.p.waiting) {
			other.retry()
		}
	case n < 0:
		c.retry()
	}
	if n >= 0 {
		return
	}
	for in := range lanes { // if it held too much for a turn, it may have one now
		if len(c.lanes[in].wants) > 0 {
			c.p.next(in)
		}
	}
}

// retry ends the waits of the client for which there is room now.
func (c *Client) retry() {
	for len(c.waits) > 0 {
		w := c.waits[0]
		if !c.hold(w.n) && !c.alone(w.n) {
			return
		}
		c.unwait(w)
		close(w.over)
	}
}

func (c *Client) count(n int) {
	if c.closed {
		return
	}
	p, before := c.p, max(0, c.bytes-Floor)
	c.bytes += n
	c.moved = time.Now()
	after := max(0, c.bytes-Floor)
	p.all += n
	p.beyond += after - before
	if after > 0 {
		p.holders[c] = true
	} else {
		delete(p.holders, c)
	}
}
