package client

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"time"

	"github.com/opencortex-go/cortex/gateways/internal/protocol"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// call is a request that waits for its answer.
type call struct {
	accepted func(uint64)            // nil for none
	part     func(sexpr.Value) error // takes a part of the answer; nil if it comes at once
	answer   chan sexpr.Value
	parts    chan sexpr.Value
	over     chan struct{} // closed when the caller no longer waits
}

// receive hands answers to those who wait for them, until the stream ends.
func (c *Conn) receive(in *bufio.Reader) {
	defer close(c.done)
	var said error
	for {
		v, err := sexpr.Reader{Limits: protocol.Answers}.ReadFrame(in)
		if err != nil {
			c.over(said, err)
			return
		}
		if err := complaint(v); err != nil {
			said = err
			continue
		}
		if n, missed, ok := noticeOf(v); ok {
			c.heard.add(n, missed)
			continue
		}
		c.hand(v)
	}
}

// over fails what still waits, with what the daemon said last if that is known.
func (c *Conn) over(said, err error) {
	switch {
	case said != nil:
		err = said
	default:
		err = ended(err)
	}
	_ = c.nc.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

// hand gives one message to the call that it answers.
func (c *Conn) hand(v sexpr.Value) {
	id := v.GetInt("id")
	c.mu.Lock()
	w := c.waiting[id]
	part := w != nil && w.part != nil && protocol.Word(v, "status") == protocol.Part
	if w != nil && protocol.Word(v, "type") != perceive.Status && !part {
		delete(c.waiting, id)
	}
	c.mu.Unlock()
	switch {
	case w == nil:
	case part:
		select {
		case w.parts <- v: // what the daemon says next waits for anyone who takes this
		case <-w.over:
		}
	case protocol.Word(v, "type") != perceive.Status:
		w.answer <- v
	case w.accepted != nil:
		p, _ := v.Get("payload")
		w.accepted(uint64(p.GetInt("signal")))
	}
}

// roundTrip sends a message and waits for its answer. If ctx ends it waits no longer;
// the daemon goes on.
func (c *Conn) roundTrip(ctx context.Context, b plist.Builder, w *call) (sexpr.Value, error) {
	w.answer, w.parts, w.over = make(chan sexpr.Value, 1), make(chan sexpr.Value), make(chan struct{})
	defer close(w.over)
	c.mu.Lock()
	c.last++
	id := c.last
	c.waiting[id] = w
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
	}()
	b.Int("id", id)
	if err := c.write(ctx, b.Done()); err != nil {
		return sexpr.Value{}, err
	}
	for waiting := true; waiting; {
		select {
		case v := <-w.answer:
			return v, nil
		case v := <-w.parts:
			if err := w.part(v); err != nil {
				return sexpr.Value{}, err
			}
		case <-ctx.Done():
			return sexpr.Value{}, waited(ctx)
		case <-c.done:
			waiting = false
		}
	}
	select {
	case v := <-w.answer: // it came just before the end
		return v, nil
	default:
		return sexpr.Value{}, c.Err()
	}
}

func (c *Conn) write(ctx context.Context, v sexpr.Value) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	if ctx.Err() != nil {
		return waited(ctx)
	}
	gaveUp := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { _ = c.nc.SetWriteDeadline(time.Now()); close(gaveUp) })
	err := sexpr.WriteFrame(c.nc, v)
	if !stop() {
		<-gaveUp
		_ = c.nc.SetWriteDeadline(time.Time{})
	}
	if errors.Is(err, os.ErrDeadlineExceeded) { // half of it may have been sent: nothing can follow
		_ = c.nc.Close()
		return waited(ctx)
	}
	broken := (*net.OpError)(nil)
	if errors.As(err, &broken) {
		<-c.done // the reader knows better why
		return c.Err()
	}
	return err
}

// in adds the session to a message.
func (c *Conn) in(b *plist.Builder, session string) {
	if session == "" {
		session = c.Session
	}
	if session != "" {
		b.Add("meta", sexpr.Plist("session", sexpr.Str(session)))
	}
}

// ask begins a request.
func (c *Conn) ask(target string, payload sexpr.Value) (b plist.Builder) {
	b.Add("type", sexpr.Key(perceive.Request))
	b.Add("target", sexpr.Key(target))
	c.in(&b, "")
	b.Add("payload", payload)
	return b
}

// result is the payload of an answer, or the error that it says.
func result(v sexpr.Value, err error) (sexpr.Value, error) {
	if err != nil {
		return v, err
	}
	p, _ := v.Get("payload")
	if protocol.Word(v, "status") != "ok" {
		return p, asError(p)
	}
	return p, nil
}
