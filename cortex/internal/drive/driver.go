package drive

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/perceive"
)

// Driver goes on with runs. One call at a time is made for a run; calls for several runs are made
// side by side.
type Driver interface {
	// Drive folds the log of the run, looks what is due, goes on, and returns when nothing is due
	// or the run waits. It is called again whenever something has happened that the run may wait
	// for, and after a crash: so it must be idempotent. It must not hold the turn of the log when
	// it takes a step. After an error or a panic the run stays due; the next heartbeat tries
	// again, and counts that as a take-up.
	Drive(ctx context.Context, r *Run) (Rest, error)
}

// ByFamily drives the runs whose logs are of a family with the driver of that family.
type ByFamily map[string]Driver

// Drive implements [Driver]. A run of a family that is not here is an error: it stays due.
func (f ByFamily) Drive(ctx context.Context, r *Run) (Rest, error) {
	if d := f[r.Family]; d != nil {
		return d.Drive(ctx, r)
	}
	if d := f[""]; d != nil {
		return d.Drive(ctx, r)
	}
	return Rest{}, fmt.Errorf("no driver for runs of the family %q", r.Family)
}

// Rest says how a call of [Driver.Drive] ended.
type Rest struct {
	Why string // what the run waits for, for the record and people; "" if nothing is due
	// Later says that the run waits for what passes by itself: see [StepLater]. It stays due, and
	// the next heartbeat looks again.
	Later bool
}

// Run is a run that is being driven. Once Drive has returned its methods return [ErrOver].
type Run struct {
	Log       string
	Family    string     // of the log
	Acts      string     // the session that its steps are calls of
	Logs      *logs.Logs // of the record
	Root      uint64     // its root signal
	Principal string     // who started it
	Roles     []string
	// Stuck says that engines have taken the run up [MaxTakeUps] times since its last advance. No
	// step of it is begun. The driver notes in the log that it is blocked, and it rests until a
	// person releases it with an append that wakes it.
	Stuck bool

	keeper *Keeper
	signal perceive.Signal // the root
	over   atomic.Bool
}

// MaxTakeUps is how often engines take up a run that does not advance, before its driver is told.
// After as many more the engine puts it to rest itself.
const MaxTakeUps = 3

// Errors of runs that callers tell apart.
var (
	// ErrOver is returned by a [Run] whose Drive has returned.
	ErrOver = errors.New("the run is not being driven any more; a Run must not be kept")
	// ErrStuck says that no step is taken of a run that does not advance.
	ErrStuck = errors.New("the run was taken up again and again without an advance: a person has to release it")
	// ErrNoSession says that the log of a run acts in no session.
	ErrNoSession = errors.New("the run's log acts in no session, so that nothing can be a call of it; see Tx.Acts")
)
