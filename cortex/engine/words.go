package engine

import (
	"github.com/opencortex-go/cortex/cortex/internal/clock"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/internal/policy"
	"github.com/opencortex-go/cortex/cortex/internal/session"
)

// The words of the API that the rooms of the engine define.
type (
	Plugins           = policy.Plugins
	Gate              = policy.Gate
	Handler           = session.Handler
	Outcome           = session.Outcome
	Accepted          = session.Accepted
	Cursor            = session.Cursor
	Compensation      = ledger.Compensation
	CompensationState = ledger.CompensationState
	CompensationError = ledger.CompensationError
	Doubt             = ledger.Doubt
	NotAllowed        = ledger.NotAllowed
)

// How it may stand with making up for an intent.
const (
	CompensationRunning  = ledger.CompensationRunning
	CompensationInDoubt  = ledger.CompensationInDoubt
	CompensationFailed   = ledger.CompensationFailed
	CompensationDone     = ledger.CompensationDone
	CompensationNeedless = ledger.CompensationNeedless
)

// Errors that callers tell apart.
var (
	ErrClosed      = ledger.ErrClosed
	ErrNoMode      = ledger.ErrNoMode
	ErrKilled      = ledger.ErrKilled
	ErrUsed        = ledger.ErrUsed
	ErrFinished    = ledger.ErrFinished
	ErrNoDoubt     = ledger.ErrNoDoubt
	ErrNoIntent    = ledger.ErrNoIntent
	ErrNothing     = ledger.ErrNothing
	ErrUnsettled   = ledger.ErrUnsettled
	ErrElsewhere   = ledger.ErrElsewhere
	ErrOldTry      = ledger.ErrOldTry
	ErrUnknownCard = ledger.ErrUnknownCard
	ErrClock       = clock.ErrClock
	ErrInterrupted = session.ErrInterrupted
	ErrNotOwner    = session.ErrNotOwner
	ErrUnanswered  = session.ErrUnanswered
)

// Interrupted is the cause to cancel a context with when a person stops what they asked
// for themselves: the answer on record says so, and no engine takes it up again. Others
// who work in the session are not stopped, as [Operations.Interrupt] would.
func Interrupted(by string) error { return session.Interrupted(by) }

// Overloaded returns what a model or a user may be told of an error that says that there
// is too much to do, or no way to record it, at the moment: nothing about the host.
// Another error is not ok.
func Overloaded(err error) (text string, ok bool) { return ledger.Overloaded(err) }
