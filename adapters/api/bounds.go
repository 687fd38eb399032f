package api

import (
	"net"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/opencortex-go/cortex/internal/fair"
)

// MaxConnections is how many connections there are at a time. Beyond it, the one that has been silent longest is
// closed, of the caller that has most.
const MaxConnections = 1024

// limits bound what callers may have at a time: all of them, and each.
type limits struct {
	connections, requests, streams quota
	pace                           rate.Limit    // of the bodies of one caller, in bytes a second
	arrive                         time.Duration // for a request's headers, and for its body once there is room for it
	room                           time.Duration // to wait for that room
	leave                          time.Duration // for an answer to be read
}

// quota is how many of one thing there may be. The first few of each caller are its own: others cannot take them.
type quota struct{ all, each, own int }

// usual are the limits of a daemon. A request counts while it is worked on, which may be while people are asked.
var usual = limits{
	connections: quota{all: MaxConnections, each: 256},
	requests:    quota{all: 512, each: 128, own: 4},
	streams:     quota{all: 32, each: 4, own: 1},
	pace:        16 << 20,
	arrive:      10 * time.Second, room: 10 * time.Second, leave: 20 * time.Second,
}

// account is what one process has of the server, by all its connections. All that show the token are one.
type account struct {
	asks  *fair.Client  // what its requests take of the memory that clients share
	hears *fair.Client  // what its unread answers take, and whose turn it is to list
	pace  *rate.Limiter // of the bytes of its bodies

	// Under bounds.mu:
	conns             map[*conn]bool
	requests, streams int
}

// bounds keep the accounts.
type bounds struct {
	limits limits
	pool   *fair.Pool

	mu                sync.Mutex
	accounts          map[int]*account // by process; 0 for those of the port
	open              int              // connections
	requests, streams int
	clock             uint64 // counts what connections do
}

// conn is a connection of a caller that was let in, or waits for that.
type conn struct {
	net.Conn
	from    caller
	account *account
	b       *bounds

	// Under bounds.mu:
	busy bool   // its request is worked on, or its stream is written
	last uint64 // when it last did something, by the clock
	gone bool
}

// enter counts a new connection of a process. Where there are too many it closes another one, or this one if all others
// are busy.
func (b *bounds) enter(pid int, nc net.Conn) *conn {
	b.mu.Lock()
	a := b.account(pid)
	b.clock++
	c := &conn{Conn: nc, account: a, b: b, last: b.clock}
	a.conns[c] = true
	b.open++
	var out *conn
	switch {
	case len(a.conns) > b.limits.connections.each:
		out = a.silent()
	case b.open > b.limits.connections.all:
		out = b.most().silent()
	}
	b.mu.Unlock()
	if out != nil {
		_ = out.Close() // it is being given up
	}
	return c
}

// account returns that of a process. Those of processes that have left are dropped now and then.
func (b *bounds) account(pid int) *account {
	if a := b.accounts[pid]; a != nil {
		return a
	}
	if len(b.accounts) >= 2*MaxConnections {
		for pid, a := range b.accounts {
			if len(a.conns) == 0 {
				delete(b.accounts, pid)
			}
		}
	}
	a := &account{conns: map[*conn]bool{}, pace: rate.NewLimiter(b.limits.pace, maxBody)}
	a.asks, a.hears = b.pool.Client(func() { b.cut(a) }), b.pool.Client(func() { b.cut(a) })
	b.accounts[pid] = a
	return a
}

// most is the account with most connections.
func (b *bounds) most() (most *account) {
	for _, a := range b.accounts {
		if most == nil || len(a.conns) > len(most.conns) {
			most = a
		}
	}
	return most
}

// silent is the connection of an account that has done nothing for the longest time: the newest, if all others are
// busy.
func (a *account) silent() (out *conn) {
	for c := range a.conns {
		if !c.busy && (out == nil || c.last < out.last) {
			out = c
		}
	}
	return out
}

// cut ends what an account holds memory for and is not worked on: bodies that do not arrive, answers that are not
// read.
func (b *bounds) cut(a *account) {
	b.mu.Lock()
	var idle []*conn
	for c := range a.conns {
		if !c.busy {
			idle = append(idle, c)
		}
	}
	b.mu.Unlock()
	for _, c := range idle {
		_ = c.Close() // it is being given up
	}
}

// Close ends the connection, and with it what it counts for.
func (c *conn) Close() error {
	c.b.mu.Lock()
	if !c.gone {
		c.gone = true
		delete(c.account.conns, c)
		c.b.open--
	}
	c.b.mu.Unlock()
	return c.Conn.Close()
}

// begin counts a request of the connection until done is called, or reports that there is no place for it.
func (b *bounds) begin(c *conn) (done func(), ok bool) {
	return b.take(c, b.limits.requests, &b.requests, &c.account.requests)
}

// stream counts a stream in the same way.
func (b *bounds) stream(c *conn) (done func(), ok bool) {
	return b.take(c, b.limits.streams, &b.streams, &c.account.streams)
}

func (b *bounds) take(c *conn, most quota, all, its *int) (done func(), ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if *its >= most.own && (*its >= most.each || *all >= most.all) {
		return nil, false
	}
	*all++
	*its++
	c.busy = true
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		*all--
		*its--
		b.clock++
		c.busy, c.last = false, b.clock
	}, true
}
