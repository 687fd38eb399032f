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

// noSpace is how those hear of a full disk who may be a model: it says what to do,
// and nothing of the machine. [Status] tells operators more. It wraps
// [journal.ErrFull].
type noSpace struct{ cause error }

func (*noSpace) Error() string {
	return readOnlyText + "; try again later"
}

func (n *noSpace) Unwrap() error { return n.cause }

// Plain puts an error for want of space into words for anybody.
func Plain(err error) error {
	if errors.Is(err, journal.ErrFull) && !errors.As(err, new(*noSpace)) {
		return &noSpace{err}
	}
	return err
}

// Overloaded returns what anybody may be told of an error that says that there is
// too much to do, or no way to record it, at the moment: nothing of the machine.
// Another error is not ok.
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

// Update is a write that begins something new, on behalf of who may be a model.
func (l *Ledger) Update(ctx context.Context, f func(*journal.Tx) error) error {
	return Plain(l.J.Update(ctx, f))
}

// pauseMost is the longest pause between two tries to record a receipt for which
// there is no space.
const pauseMost = 5 * time.Second

// finish records what came of an effect. It has happened, so even where the disk
// has no space left at all, its receipt is kept until it has, or the engine closes:
// then the intent is in doubt.
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
