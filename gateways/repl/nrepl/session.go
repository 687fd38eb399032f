package nrepl

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/repl"
)

// session is one conversation of a client: its evaluations run one after the
// other, and it remembers the last results.
type session struct {
	id string
	ev evaluator

	// Under conn.mu:
	queue   []*evaluation // the first one runs
	running bool
	closed  bool
}

// evaluation is one eval, which runs or waits.
type evaluation struct {
	m    dict
	ctx  context.Context
	stop context.CancelCauseFunc
}

// clone makes a session with an unguessable id: 26 letters and digits, 128 bits. It
// returns nil if the client has reached its limit. The caller holds mu.
func (c *conn) clone() *session {
	if len(c.sessions) >= c.s.opt.MaxSessions {
		return nil
	}
	s := &session{id: rand.Text(), ev: c.s.open(c.caller())}
	c.sessions[s.id] = s
	return s
}

var errNoRoom = errors.New("this connection has as many sessions as it may; close one")

// find returns the session of this connection that a message names. Messages without
// a session share one.
func (c *conn) find(m dict) (*session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, named := m["session"]
	if id, ok := v.(string); named {
		if s := c.sessions[id]; ok && s != nil {
			return s, nil
		}
		return nil, errors.New("this connection has no such session; clone makes one")
	}
	if c.unnamed == nil || c.unnamed.closed {
		if c.unnamed = c.clone(); c.unnamed == nil {
			return nil, errNoRoom
		}
	}
	return c.unnamed, nil
}

// enqueue runs an evaluation after those before it in its session.
func (c *conn) enqueue(s *session, m dict) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.evals >= c.s.opt.Queue {
		return fmt.Errorf("%d evaluations of this connection run or wait already", c.evals)
	}
	if s.closed {
		return errors.New("the session is closed")
	}
	if !c.asks.Hold(len(m.text("code"))) {
		return errors.New("what clients have asked for leaves no room for more at the moment; try again later")
	}
	c.evals++
	e := &evaluation{m: m}
	e.ctx, e.stop = context.WithCancelCause(c.ctx)
	s.queue = append(s.queue, e)
	if !s.running {
		s.running = true
		c.wg.Go(func() { c.drain(s) })
	}
	return nil
}

// drain runs a session's queue until it is empty.
func (c *conn) drain(s *session) {
	for {
		c.mu.Lock()
		if len(s.queue) == 0 {
			s.running = false
			c.mu.Unlock()
			return
		}
		e := s.queue[0]
		c.mu.Unlock()
		c.run(s, e)
	}
}

// leave removes an evaluation from the queue, before its last answer: after that
// answer the client may send the next one.
func (c *conn) leave(s *session, e *evaluation) {
	e.stop(nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	s.queue = s.queue[1:]
	c.evals--
	c.asks.Free(len(e.m.text("code")))
}

// interrupt stops one evaluation of a session, by the id of its message, or, if
// none is named, the one that runs.
func (c *conn) interrupt(s *session, id any, named bool) (found, idle bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range s.queue {
		if !named || id != nil && ident(e.m["id"]) == id {
			e.stop(cortex.Interrupted(c.peer.Principal))
			return true, false
		}
	}
	return false, len(s.queue) == 0
}

// closeSession stops everything in a session and forgets it.
func (c *conn) closeSession(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.closed = true
	delete(c.sessions, s.id)
	s.ev.Close()
	for _, e := range s.queue {
		e.stop(cortex.Interrupted(c.peer.Principal))
	}
}

// run evaluates what one message says and answers it.
func (c *conn) run(s *session, e *evaluation) {
	status := []string{}
	err := c.evaluate(s, e)
	c.leave(s, e)
	var of *repl.Error
	switch {
	case err == nil:
	case errors.Is(err, errGone):
		return
	case errors.Is(err, cortex.ErrClosed):
		status = append(status, "interrupted")
		c.reply(e.m, s, dict{"err": "the daemon is stopping; what is on record goes on at the next start\n"})
	case errors.Is(err, cortex.ErrInterrupted):
		status = append(status, "interrupted")
	case errors.As(err, &of):
		at := place(e.m, of)
		c.reply(e.m, s, dict{"err": at + of.Err.Error() + "\n"})
		c.reply(e.m, s, dict{"ex": "cortex/" + of.Code, "root-ex": "cortex/" + of.Code, "status": []string{"eval-error"}})
	default:
		c.s.opt.Logger.Error("an nREPL evaluation failed", "principal", c.peer.Principal, "error", err)
		c.reply(e.m, s, dict{"err": err.Error() + "\n"})
		c.reply(e.m, s, dict{"ex": "cortex/failed", "root-ex": "cortex/failed", "status": []string{"eval-error"}})
	}
	c.done(e.m, s, status...)
}

// evaluate evaluates every form and sends each result.
func (c *conn) evaluate(s *session, e *evaluation) (err error) {
	defer func() {
		if r := recover(); r != nil {
			c.s.opt.Logger.Error("panic in an nREPL evaluation", "panic", r, "stack", string(debug.Stack()))
			err = &repl.Error{Code: repl.CodeFailed, Err: errors.New("a fault in Cortex; the daemon's log says where")}
		}
	}()
	defer context.AfterFunc(c.s.work, func() { e.stop(context.Cause(c.s.work)) })()
	ctx, cancel := context.WithTimeoutCause(e.ctx, c.s.opt.EvalTimeout, &repl.Error{Code: repl.CodeLimit, Err: errTooLong})
	defer cancel()
	if ctx.Err() == nil { // it may have been stopped while it waited
		err = s.ev.EvalText(ctx, "nrepl", e.m.text("code"), func(r repl.Result) error { return c.show(s, e.m, r) })
	}
	if ctx.Err() != nil { // replace the error by the cause of the stop
		return context.Cause(ctx)
	}
	return err
}

// chunk bounds the text for people in one message, in bytes.
const chunk = 16 << 10

// show sends the result of one form. Long text for people takes several messages; a
// value is one message, because clients parse it.
func (c *conn) show(s *session, m dict, r repl.Result) error {
	for text := r.Out; text != ""; {
		n := cut(text, chunk)
		c.reply(m, s, dict{"out": text[:n]})
		text = text[n:]
	}
	if r.Quiet {
		return nil
	}
	value := r.Value.String()
	if len(value) > c.s.opt.MaxValue {
		return &repl.Error{Code: repl.CodeLimit,
			Err: fmt.Errorf("the value has %d bytes, expected at most %d; ask for less at a time", len(value), c.s.opt.MaxValue)}
	}
	c.reply(m, s, dict{"ns": namespace, "value": value})
	return nil
}

// cut returns how many bytes of text, at most n, end at a character boundary.
func cut(text string, n int) int {
	if len(text) <= n {
		return len(text)
	}
	for i := n; i > n-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			return i
		}
	}
	return n
}

// place is an error's position in the editor's file: the message may say where its
// code begins.
func place(m dict, of *repl.Error) string {
	if of.Pos.Line == 0 {
		return ""
	}
	line, column := int64(of.Pos.Line), int64(of.Pos.Col)
	const most = 1 << 24
	if from := m.number("column"); line == 1 && 1 < from && from < most {
		column += from - 1
	}
	if from := m.number("line"); 1 < from && from < most {
		line += from - 1
	}
	file := strings.ToValidUTF8(m.text("file"), "")
	if i := strings.LastIndexByte(file, '/'); i >= 0 {
		file = file[i+1:]
	}
	if file != "" && len(file) <= maxEcho {
		return fmt.Sprintf("%s:%d:%d: ", file, line, column)
	}
	return fmt.Sprintf("%d:%d: ", line, column)
}
