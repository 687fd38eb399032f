package reason

import (
	"slices"
	"time"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Kind is what was decided. The zero Kind is Deny.
type Kind uint8

// The kinds of decision.
const (
	Deny Kind = iota
	Ask
	Allow
)

// String returns "deny", "ask" or "allow".
func (k Kind) String() string {
	switch k {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	case Deny:
	}
	return "deny"
}

// Decision is all verdicts on one proposal, combined. It is a pure function of
// the [Request] but for Elapsed and Versions' values, and immutable: it is shared
// by those who read it, and what a record says beside it stands beside it.
type Decision struct {
	Kind     Kind
	Key      string         // first deny reason, else first ask, else who vouched or tier/<tool>
	Proposed *skills.Action // as the model put it; nil if it had no canonical form
	Action   *skills.Action // after all rewrites: what is allowed, or asked about
	Policy   sexpr.Digest
	Reasons  []skills.Reason // every deny reason, or every ask that is open, in order
	Asks     []skills.Ask    // all asks of the last round, whether or not the grant satisfied them
	Plan     []skills.Of     // all steps of the plan that an ask is about, in order; nil for any other action
	Vouched  []skills.Reason // allow clauses of the last round
	Grant    string          // token of the grant that satisfied asks, or ""
	Trace    []Step          // what did something, in every round: gates that gave a verdict, a note or an error
	Passed   int             // how many gates passed, in all rounds, and are not in the trace
	Passes   bool            // they are in the trace, as version 1 of the record had it
	Untraced bool            // no trace was asked for
	Skipped  int             // gates of skills that did not run in the last round
	Rounds   int
	Reads    []string          // versioned keys it depends on, sorted
	Versions map[string]uint64 // of those keys
	Lookups  []Lookup          // what it was told from outside the process; an input, not its identity
	Hint     *Hint             // the search for an edit that mends a denial; nil: no rule asked for one
	Retry    bool              // every deny reason is one that another proposal may mend
	Would    bool              // observe mode: decided and recorded, but nothing is held
	Elapsed  time.Duration     // outside the decision's identity
}

// Outcome says what one gate did, in a trace.
type Outcome string

// The outcomes of a gate.
const (
	Passed  Outcome = "passed"
	Vouched Outcome = "vouched"
	Rewrote Outcome = "rewrote"
	Asked   Outcome = "asked"
	Denied  Outcome = "rejected"
	Failed  Outcome = "failed"
	Noted   Outcome = "noted" // no gate: what canonicalising left out
)

// Step is one gate's part in a decision.
type Step struct {
	Round   int // from 1; 0 is before any gate
	Gate    string
	Outcome Outcome
	Note    string      // reason or error
	Diff    sexpr.Value // what a rewrite set, as a plist; nil otherwise
}

// Grant is an approval that is not consumed yet, as Decide may match it. The
// engine passes it only for the same final digest, session, requester and
// policy.
type Grant struct {
	Token  string
	Digest sexpr.Digest   // of the approved action
	Keys   []sexpr.Digest // ask keys whose slots are filled
	// Step is the step of a plan that a person has approved with the plan, and that the action is;
	// "" for an approval of the action itself. The keys are then those of [skills.StepKey].
	Step string
}

// Satisfies reports whether people have said yes to an ask of the action.
func (g *Grant) Satisfies(ask sexpr.Digest) bool { return slices.Contains(g.Keys, g.KeyOf(ask)) }

// KeyOf is the key that a yes to an ask of the action has here.
func (g *Grant) KeyOf(ask sexpr.Digest) sexpr.Digest {
	if g.Step == "" {
		return ask
	}
	return skills.StepKey(ask, g.Step, g.Digest)
}
