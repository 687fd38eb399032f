package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/journal"
)

// readOnlyText says that the store takes no more writes.
const readOnlyText = "actions cannot be recorded at the moment, so none is taken"

// noSpace is the error that a caller who may be a model gets when the disk is full: it
// says what to do and reveals nothing about the host. Status tells operators more. It
// wraps [journal.ErrFull].
type noSpace struct{ cause error }

func (*noSpace) Error() string {
	return readOnlyText + "; try again later"
}

func (n *noSpace) Unwrap() error { return n.cause }

// Plain turns an error for lack of space into one that any reader may see.
func Plain(err error) error {
	if errors.Is(err, journal.ErrFull) && !errors.As(err, new(*noSpace)) {
		return &noSpace{err}
	}
	return err
}

// Overloaded returns the text that a model or a user may see for an error that means that
// the engine has too much to do, or cannot record anything at the moment. The text reveals
// nothing about the host. For any other error ok is false.
func Overloaded(err error) (text string, ok bool) {
	var busy *admission.BusyError
	switch {
	case errors.As(err, &busy):
		return busy.Error(), true
	case errors.Is(err, journal.ErrFull):
		return (*noSpace)(nil).Error(), true
	case errors.Is(err, journal.ErrReadOnly):
		return readOnlyText, true
	}
	return "", false
}

// Update is a write that begins something new for a caller who may be a model.
func (l *Ledger) Update(ctx context.Context, f func(*journal.Tx) error) error {
	return Plain(l.J.Update(ctx, f))
}

// pauseMost is the longest pause between two tries to record a receipt while the disk
// lacks the space.
const pauseMost = 5 * time.Second

// finish records the receipt of an effect that has happened. If the disk has no space at
// all, it keeps the receipt until there is space or the engine closes; then the intent is
// in doubt.
func (l *Ledger) finish(ctx context.Context, f func(*journal.Tx) error) error {
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, pauseMost) {
		err := l.J.Finish(ctx, f)
		if !errors.Is(err, journal.ErrFull) {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
			continue
		case <-l.Ctx.Done():
		case <-ctx.Done():
		}
		timer.Stop()
		return err
	}
}
