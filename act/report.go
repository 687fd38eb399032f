package act

import (
	"context"
	"errors"
	"fmt"
)

// ErrOurs says that a receipt for an action that the dispatcher runs itself came from
// somebody else.
var ErrOurs = errors.New("act: this tool runs here, and its own actuator reports the outcome")

// Report records the outcome of an action that somebody else ran under a permit that is
// lost, because the process that held it has ended. A tool with an actuator here is
// [ErrOurs]. The recorder's errors say if the intent is settled already.
func (d *Dispatcher) Report(ctx context.Context, in Intent, r Receipt) error {
	if _, err := d.tools.Find(in.Action.Tool()); err == nil {
		return fmt.Errorf("%s: %w", in.Action.Tool(), ErrOurs)
	}
	if in.Dry && r.State != Nothing {
		return ErrDry
	}
	r = r.tidy()
	if err := r.Valid(); err != nil {
		return err
	}
	return d.recorder.CloseIntent(ctx, in, r)
}
