package engine

import (
	"context"

	"github.com/opencortex-go/cortex/cortex/internal/session"
)

// Cursors remember how far streams of signals have been read.
type Cursors struct{ e *Engine }

// Cursors returns the engine's cursors.
func (e *Engine) Cursors() Cursors { return Cursors{e} }

// Accept is [Engine.Accept] for a signal that was read from a stream: the cursor becomes
// durable with it. A repeat moves the cursor too.
func (c Cursors) Accept(ctx context.Context, sig Signal, at session.Cursor) (*session.Accepted, error) {
	return c.e.sessions.AcceptAt(ctx, sig, at)
}

// Of returns where to go on reading a source; 0 at the beginning.
func (c Cursors) Of(source string) (int64, error) { return c.e.sessions.CursorOf(source) }

// Advance moves a cursor over what is not a signal. A cursor never goes back.
func (c Cursors) Advance(ctx context.Context, at session.Cursor) error {
	return c.e.sessions.Advance(ctx, at)
}
