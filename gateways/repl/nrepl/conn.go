package nrepl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/fair"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/perceive"
)

var (
	errGone    = errors.New("the client has gone")
	errTooLong = errors.New("the evaluation took too long")
)

// lastWords is how long a client may take to read the final message.
const lastWords = time.Second

// conn is one client.
type conn struct {
	s     *Server
	nc    *net.UnixConn
	place *socket.Place
	in    *bufio.Reader
	peer  perceive.Peer
	asks  *fair.Client // what its requests and the results it keeps take of the room that all clients share
	hears *fair.Client // what its answers take, and whose turn it is

	ctx context.Context // ends, with the reason, when the client is gone
	end context.CancelCauseFunc

	writing sync.Mutex

	mu       sync.Mutex
	sessions map[string]*session
	unnamed  *session // of messages that name none; made when there is one
	evals    int      // that run or wait
	wg       sync.WaitGroup
}

func (s *Server) newConn(nc *net.UnixConn, p socket.Peer) *conn {
	name := p.Name()
	c := &conn{
		s: s, nc: nc, in: bufio.NewReader(nc), sessions: map[string]*session{},
		peer: perceive.Peer{Source: perceive.SourceSocket, Principal: name, Session: "repl/" + name + "/main"},
	}
	c.ctx, c.end = context.WithCancelCause(context.Background())
	c.asks, c.hears = s.opt.Pool.Client(nil), s.opt.Pool.Client(func() {
		c.s.opt.Logger.Warn("an nREPL client was cut off: it does not read its answers, and others need the room",
			"principal", c.peer.Principal)
		c.end(errGone)
		_ = c.nc.Close()
	})
	return c
}

// caller is the identity for evaluations. It is never an operator: operators are
// known only on the approval socket.
func (c *conn) caller() repl.Caller {
	return repl.Caller{Peer: c.peer, Share: c.asks, Turns: c.hears}
}

// serve talks to the client until it leaves, breaks the protocol, or the server is
// closed.
func (c *conn) serve() {
	stop := context.AfterFunc(c.s.ctx, func() { _ = c.nc.CloseRead() })
	defer stop()
	drop := context.AfterFunc(c.s.work, func() { _ = c.nc.SetWriteDeadline(time.Now().Add(lastWords)) })
	defer drop()
	defer c.asks.Close()
	defer c.hears.Close()
	if err := c.listen(); err != nil {
		c.send(dict{"err": err.Error() + "\n", "status": []string{"error", "bad-message", "done"}})
		c.end(errGone)
	}
	c.finish()
}

// listening is how often a client that has stopped sending is checked.
const listening = 500 * time.Millisecond

// finish waits for running evaluations, unless the client has left.
func (c *conn) finish() {
	idle := make(chan struct{})
	c.s.wg.Go(func() { c.wg.Wait(); close(idle) })
	look := time.NewTicker(listening)
	defer look.Stop()
	for !socket.Gone(c.nc) && c.ctx.Err() == nil {
		select {
		case <-idle:
			c.end(errGone)
			return
		case <-c.ctx.Done():
		case <-look.C:
		}
	}
	c.end(errGone)
	<-idle
}

// listen reads and handles messages. It returns nil at the end of the stream, and an
// error if the next message cannot be found.
func (c *conn) listen() error {
	for c.s.ctx.Err() == nil && c.ctx.Err() == nil {
		m, err := c.read()
		switch {
		case errors.Is(err, errBencode):
			return err
		case errors.Is(err, os.ErrDeadlineExceeded) && c.s.ctx.Err() == nil:
			return fmt.Errorf("a message that began did not end within %s", c.s.opt.MessageTimeout)
		case err != nil:
			return nil // the client sends no more, whatever the reason
		}
		c.place.Touch()
		c.guarded(m)
	}
	return nil
}

// read reads one message. A client may be silent as long as it likes between
// messages, but not within one.
func (c *conn) read() (dict, error) {
	if _, err := c.in.Peek(1); err != nil {
		return nil, err
	}
	if err := c.nc.SetReadDeadline(time.Now().Add(c.s.opt.MessageTimeout)); err != nil {
		return nil, err
	}
	m, err := readMessage(c.in, c.s.opt.MaxMessage)
	if e := c.nc.SetReadDeadline(time.Time{}); err == nil {
		err = e
	}
	return m, err
}

// guarded handles one message; a panic in the handler ends neither the connection
// nor the daemon.
func (c *conn) guarded(m dict) {
	defer func() {
		if r := recover(); r != nil {
			c.s.opt.Logger.Error("panic while an nREPL message was handled", "principal", c.peer.Principal, "panic", r,
				"stack", string(debug.Stack()))
			c.reply(m, nil,
				dict{"err": "Cortex has a fault; the daemon's log says where\n", "status": []string{"error", "done"}})
		}
	}()
	c.dispatch(m)
}

// maxEcho bounds an id, in bytes: it is sent back with every answer.
const maxEcho = 256

// ident is an id as a client may choose it, a string or a number, or nil.
func ident(v any) any {
	switch id := v.(type) {
	case string:
		return id[:min(len(id), maxEcho)]
	case int64:
		return id
	}
	return nil
}

// reply sends an answer to m, with its id and its session.
func (c *conn) reply(m dict, s *session, answer dict) {
	if id := ident(m["id"]); id != nil {
		answer["id"] = id
	}
	if s != nil {
		answer["session"] = s.id
	}
	c.send(answer)
}

// done ends the answers to m.
func (c *conn) done(m dict, s *session, status ...string) {
	c.reply(m, s, dict{"status": slices.Concat(status, []string{"done"})})
}

// refuse answers m with an error.
func (c *conn) refuse(m dict, s *session, status, text string) {
	c.reply(m, s, dict{"err": text + "\n"})
	c.done(m, s, "error", status)
}

const piece = 64 << 10

// send writes one message. Concurrent sends wait for each other, so a client gets
// only as much work done as it reads; one that reads nothing is disconnected.
func (c *conn) send(answer dict) {
	text := appendValue(nil, answer)
	c.writing.Lock()
	defer c.writing.Unlock()
	for len(text) > 0 && c.ctx.Err() == nil {
		wait := c.s.opt.WriteTimeout
		if c.s.work.Err() != nil {
			wait = lastWords
		}
		err := c.nc.SetWriteDeadline(time.Now().Add(wait))
		n := 0
		if err == nil {
			n, err = c.nc.Write(text[:min(len(text), piece)])
		}
		text = text[n:]
		if err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				c.s.opt.Logger.Warn("an nREPL client was cut off: it does not read its answers", "principal", c.peer.Principal)
			}
			c.end(errGone)
			_ = c.nc.Close()
			return
		}
	}
}
