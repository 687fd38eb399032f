package engine

import (
	"github.com/opencortex-go/cortex/cortex/internal/clock"
	"github.com/opencortex-go/cortex/cortex/internal/drive"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/internal/policy"
	"github.com/opencortex-go/cortex/cortex/internal/session"
)

// API types that the packages inside the engine define.
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
	Seed              = ledger.Seed
	NotAllowed        = ledger.NotAllowed
	Driver            = drive.Driver
	Run               = drive.Run
	Rest              = drive.Rest
	Step              = drive.Step
	Taken             = drive.Taken
	StepState         = drive.State
)

// The states of a try at a step.
const (
	StepNone    = drive.StepNone
	StepDone    = drive.StepDone
	StepFailed  = drive.StepFailed
	StepDenied  = drive.StepDenied
	StepAsked   = drive.StepAsked
	StepInDoubt = drive.StepInDoubt
	StepLater   = drive.StepLater
)

// Keys of denied steps that are a person's doing, or for want of one.
const (
	KeyRefused   = drive.KeyRefused
	KeyWithdrawn = drive.KeyWithdrawn
	KeyExpired   = drive.KeyExpired
)

// The states of a compensation.
const (
	CompensationRunning  = ledger.CompensationRunning
	CompensationInDoubt  = ledger.CompensationInDoubt
	CompensationFailed   = ledger.CompensationFailed
	CompensationDone     = ledger.CompensationDone
	CompensationNeedless = ledger.CompensationNeedless
)

// Errors that callers may want to tell apart.
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
	ErrRunOver     = drive.ErrOver
	ErrStuck       = drive.ErrStuck
	ErrNoSession   = drive.ErrNoSession

	ErrOtherMessage = session.ErrOtherMessage
)

// Interrupted returns the cause to cancel a context with when a person stops their own
// request. The recorded answer says so, and no engine resumes the request. Unlike
// [Operations.Interrupt] it does not stop other requests in the session.
func Interrupted(by string) error { return session.Interrupted(by) }

// Overloaded returns the text that a model or a user may see for an error that means that
// the engine has too much to do, or cannot record anything at the moment. The text reveals
// nothing about the host. For any other error ok is false.
func Overloaded(err error) (text string, ok bool) { return ledger.Overloaded(err) }
