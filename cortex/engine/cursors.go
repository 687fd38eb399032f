package engine

import (
	"context"

	"github.com/opencortex-go/cortex/cortex/internal/session"
)

// Cursors remember how far the caller has read streams of signals.
type Cursors struct{ e *Engine }

// Cursors returns the engine's cursors.
func (h Hosts) Cursors() Cursors { return Cursors(h) }

// Accept is [Engine.Accept] for a signal from a stream. The signal and the cursor become
// durable together. A repeated signal moves the cursor too.
func (c Cursors) Accept(ctx context.Context, sig Signal, at session.Cursor) (*session.Accepted, error) {
	return c.e.sessions.AcceptAt(ctx, sig, at)
}

// Of returns the position to read on from in a source; 0 for the beginning.
func (c Cursors) Of(source string) (int64, error) { return c.e.sessions.CursorOf(source) }

// Advance moves a cursor past something that is not a signal. A cursor never moves back.
func (c Cursors) Advance(ctx context.Context, at session.Cursor) error {
	return c.e.sessions.Advance(ctx, at)
}
