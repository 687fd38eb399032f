package drive

import (
	"cmp"
	"fmt"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Step is a try at a step that acts, or asks a person with ask_person.
type Step struct {
	// ID and Try name the try in its run: each at most [record.MaxName] bytes, UTF-8 without zero
	// bytes, and not empty.
	ID, Try string
	Action  *skills.Action
	Plan    string // what rules read as facts.step.plan: the digest of the plan
	Version int    // as facts.step.version
	Undo    bool   // as facts.step.undo: it makes up for an earlier step
	Undoes  uint64 // the intent of that step, which is made up for once; 0 if the record need not know
	// Timeout bounds the actuator, beside what bounds it anyway; 0 for no bound of the step's own.
	Timeout time.Duration
	// Work is what rules read as facts.work: a plist of variables that no model wrote, at most
	// [MaxWork] bytes long. The caller vouches for that.
	Work sexpr.Value
	// Principal is on whose behalf it is done, with Roles; "" for who started the run. The caller
	// vouches for them, as for the facts of a decision.
	Principal string
	Roles     []string
	Requester string // the agent whose card it is; "" for Options.Agent
}

// MaxWork bounds the canonical text of [Step.Work], in bytes. It leaves room for the spelling of
// what plans measure as 16 KiB of JSON.
const MaxWork = 32 << 10

// State says how a try stands.
type State string

// The states of a try.
const (
	StepNone    State = "none"     // it is not on record
	StepDone    State = "done"     // it was carried out
	StepFailed  State = "failed"   // it was begun, and failed or did nothing: the receipt says which
	StepDenied  State = "denied"   // by the rules or by a person; that holds for this try
	StepAsked   State = "asked"    // it waits for people, and the run is woken when they have answered
	StepInDoubt State = "in-doubt" // whether it happened is not known; the run is woken when that is settled
	StepLater   State = "later"    // it waits for what passes by itself; see [Rest.Later]
)

// Keys of denials that are a person's, or for want of one.
const (
	KeyRefused   = "approval/denied"
	KeyWithdrawn = "approval/withdrawn"
	KeyExpired   = "approval/expired"
)

// Taken is how a try of a step stands.
type Taken struct {
	State     State
	Decision  uint64      // the newest of the try; 0 for none
	Intent    uint64      // 0 for none
	Receipt   uint64      // the record of the receipt, of a step that is done or failed
	Result    act.Receipt // that receipt
	Key       string      // what denied it or holds it up
	Reason    string      // why, for people
	Retryable bool        // the same may be allowed if it is tried again later
	Approval  string      // the token of the card that it waits for
}

// question is what is decided for a step.
func (r *Run) question(s Step) (ledger.Question, error) {
	q := ledger.Question{Cause: ledger.Stepping{Step: record.Step{Root: r.Root, ID: s.ID, Try: s.Try},
		Undoes: s.Undoes},
		Attempt: ledger.First{}, Action: s.Action, Requester: cmp.Or(s.Requester, r.keeper.agent)}
	who, roles := r.Principal, r.Roles
	if s.Principal != "" {
		who, roles = s.Principal, s.Roles
	}
	q.Facts = skills.Facts{Signal: r.signal, Work: s.Work,
		Session: skills.Session{ID: r.Acts, Principal: who, Roles: roles},
		Step:    skills.Step{Plan: s.Plan, Version: s.Version, ID: s.ID, Undo: s.Undo}}
	switch {
	case r.Acts == "":
		return q, fmt.Errorf("run %s: %w", r.Log, ErrNoSession)
	case s.Action == nil:
		return q, fmt.Errorf("run %s, step %s: there is nothing to decide on without an action", r.Log, s.ID)
	case !s.Work.IsNil() && !s.Work.IsObject():
		return q, fmt.Errorf("run %s, step %s: its work is a plist, not a %s", r.Log, s.ID, s.Work.Kind())
	}
	text, err := sexpr.Canonical(s.Work)
	if err == nil && len(text) > MaxWork {
		err = fmt.Errorf("%d bytes, expected at most %d", len(text), MaxWork)
	}
	if err != nil {
		return q, fmt.Errorf("run %s, step %s: work: %w", r.Log, s.ID, err)
	}
	return q, record.Named("principal or requester", who, q.Requester)
}
