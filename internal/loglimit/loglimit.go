// Package loglimit keeps a log readable, and programs from waiting for it, while the same thing happens again and
// again, such as a client that is turned away and comes back at once. It passes a message on a few times a second,
// counts the rest, and says with the next one how many it left out.
package loglimit

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	each  = 20          // lines of one message
	every = time.Second // in this time
	most  = 1024        // messages that are counted at a time
)

// Handler is a [slog.Handler] that passes on at most 20 lines a second of one message. It is safe for concurrent use.
type Handler struct {
	slog.Handler
	counts *counts
}

// New returns a handler that passes on to another.
func New(h slog.Handler) Handler { return Handler{h, &counts{by: map[string]*count{}}} }

// Handle implements [slog.Handler].
func (h Handler) Handle(ctx context.Context, r slog.Record) error {
	pass, without := h.counts.count(r.Message, time.Now())
	if !pass {
		return nil
	}
	if without > 0 {
		r = r.Clone()
		r.AddAttrs(slog.Int("left_out", without))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return Handler{h.Handler.WithAttrs(attrs), h.counts}
}

// WithGroup implements [slog.Handler].
func (h Handler) WithGroup(name string) slog.Handler {
	return Handler{h.Handler.WithGroup(name), h.counts}
}

type counts struct {
	mu sync.Mutex
	by map[string]*count // by message
}

// count is what has come of one message.
type count struct {
	since   time.Time // when its lines were first counted
	n       int       // lines since then
	without int       // lines that were left out and that no line tells
}

// count counts a line. It reports whether the line passes, and how many of its message were left out before it.
func (c *counts) count(message string, now time.Time) (pass bool, without int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.by[message]
	if x == nil {
		if len(c.by) >= most { // messages are few; these are made of what comes
			return true, 0
		}
		x = &count{since: now}
		c.by[message] = x
	}
	if now.Sub(x.since) >= every {
		x.since, x.n = now, 0
	}
	if x.n++; x.n > each {
		x.without++
		return false, 0
	}
	without, x.without = x.without, 0
	return true, without
}
