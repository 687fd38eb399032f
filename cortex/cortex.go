package cortex

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/integrity"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/retention"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/skills"
)

// Open opens or makes the record in Options.Dir, loads the rules, and takes up what an
// earlier run left: approvals that were answered and not used go on, intents without a
// receipt are in doubt. The context bounds opening alone.
//
// It is [engine.Open] with the store that Cortex brings; programs with a store of their
// own call that, and link no database.
func Open(ctx context.Context, opt Options) (*Engine, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if opt.Dir != "" {
		dir, err := filepath.Abs(opt.Dir)
		if err != nil {
			return nil, err
		}
		opt.Dir = dir
	}
	st, err := store.Open(opt.Dir, store.Options{Logger: opt.Logger, Reserve: opt.Reserve, ReadOnly: opt.ReadOnly})
	if err != nil {
		return nil, fmt.Errorf("cortex: record in %q: %w", opt.Dir, err)
	}
	return engine.Open(ctx, opt, st)
}

// NewAction returns the action that calls tool with args: a map, a struct or JSON bytes,
// as [sexpr.From] takes them, or a plist. The explanation is the proposer's own, and may
// be empty.
func NewAction(tool string, args any, explanation string) (*Action, error) {
	return engine.NewAction(tool, args, explanation)
}

// The words of the API, under the names an embedder imports.
type (
	Engine          = engine.Engine
	Options         = engine.Options
	Signal          = perceive.Signal
	Action          = skills.Action
	Facts           = skills.Facts
	Keys            = record.Keys
	Decision        = record.Decision
	Permit          = act.Permit
	Receipt         = act.Receipt
	Record          = journal.Record
	Plugins         = engine.Plugins
	Gate            = engine.Gate
	Handler         = engine.Handler
	Driver          = engine.Driver
	Run             = engine.Run
	Rest            = engine.Rest
	Step            = engine.Step
	Taken           = engine.Taken
	Models          = engine.Models
	Budgets         = engine.Budgets
	ApprovalOptions = engine.ApprovalOptions
	ClockOptions    = engine.ClockOptions
	Caps            = admission.Caps
	Checkpoints     = integrity.Checkpoints
	Retain          = retention.Retain
	Escalation      = engine.Escalation
)

// What calls return.
type (
	Outcome           = engine.Outcome
	Accepted          = engine.Accepted
	Cursor            = engine.Cursor
	Approval          = approval.Approval
	ApprovalSlot      = approval.Slot
	ApprovalState     = approval.State
	Approver          = approval.Approver
	Posting           = approval.Posting
	Compensation      = engine.Compensation
	CompensationState = engine.CompensationState
	Doubt             = engine.Doubt
	Status            = engine.Status
	Scrub             = integrity.Scrub
	Retention         = retention.Retention
	ReplayOptions     = engine.ReplayOptions
	Replayed          = engine.Replayed
	Difference        = engine.Difference
	Explanation       = engine.Explanation
	Origin            = engine.Origin
)

// Errors that carry something; errors.As finds them.
type (
	NotAllowed        = engine.NotAllowed
	Held              = engine.Held
	StateError        = approval.StateError
	AnswerError       = approval.AnswerError
	BusyError         = admission.BusyError
	CompensationError = engine.CompensationError
	RollbackError     = integrity.RollbackError
)

// The states of an approval.
const (
	Pending    = approval.Pending
	Approved   = approval.Approved
	Denied     = approval.Denied
	Expired    = approval.Expired
	Superseded = approval.Superseded
	Withdrawn  = approval.Withdrawn
	Consumed   = approval.Consumed
)

// How it may stand with making up for an intent.
const (
	CompensationRunning  = engine.CompensationRunning
	CompensationInDoubt  = engine.CompensationInDoubt
	CompensationFailed   = engine.CompensationFailed
	CompensationDone     = engine.CompensationDone
	CompensationNeedless = engine.CompensationNeedless
)

// Errors that callers tell apart; errors.Is finds them.
var (
	ErrClosed       = engine.ErrClosed
	ErrNoMode       = engine.ErrNoMode
	ErrKilled       = engine.ErrKilled
	ErrUsed         = engine.ErrUsed
	ErrFinished     = engine.ErrFinished
	ErrNoDoubt      = engine.ErrNoDoubt
	ErrNoIntent     = engine.ErrNoIntent
	ErrNothing      = engine.ErrNothing
	ErrUnsettled    = engine.ErrUnsettled
	ErrElsewhere    = engine.ErrElsewhere
	ErrOldTry       = engine.ErrOldTry
	ErrClock        = engine.ErrClock
	ErrInterrupted  = engine.ErrInterrupted
	ErrNotOwner     = engine.ErrNotOwner
	ErrUnanswered   = engine.ErrUnanswered
	ErrOtherMessage = engine.ErrOtherMessage
	ErrUnknownCard  = engine.ErrUnknownCard
	ErrOpenSession  = retention.ErrOpenSession
	ErrUnknownToken = approval.ErrUnknownToken
	ErrNotApprover  = approval.ErrNotApprover
)

// Interrupted is the cause to cancel a context with when a person stops what they asked
// for themselves: the answer on record says so, and no engine takes it up again.
func Interrupted(by string) error { return engine.Interrupted(by) }

// Overloaded returns what a model or a user may be told of an error that says that there
// is too much to do, or no way to record it, at the moment. Another error is not ok.
func Overloaded(err error) (text string, ok bool) { return engine.Overloaded(err) }
