package reason

import (
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Request is everything a decision depends on. Nothing else does: no clock, no
// store, no order of maps.
type Request struct {
	Policy skills.Policy
	// Proposal is what a model or client wants done, as it was read. Action, if
	// set, stands for it: an action in canonical form already.
	Proposal sexpr.Value
	Action   *skills.Action
	Facts    *skills.Facts // nil means none are known
	// Halt, if set, is why everything is denied: the kill switch, a read-only
	// engine.
	Halt *skills.Reason
	// Answered says that a person has put the answer into a question of ask_person. Nothing
	// else may bring one.
	Answered bool
	// InDoubt holds the digests of this session's actions of which it is not known
	// yet whether they happened. The same final action is denied.
	InDoubt []sexpr.Digest
	// Places must not be touched by any action; nil or empty where there are none
	// to keep.
	Places *Places
	// Grants are approvals not consumed yet, of this session, requester and
	// policy. Decide uses the first one for the final action's digest.
	Grants []Grant
	// Lookup answers what stands neither in the action nor in the facts, such as
	// where a symbolic link leads ([facts.Lookup]); nil looks nothing up. Each answer
	// is kept in the decision, and a replay gives them back with [Recorded].
	Lookup func(function, argument string) (string, error)
	// Observe says that the action will run as it is proposed, whatever is decided,
	// unless it may touch a protected place.
	Observe bool
	// NoTrace leaves Decision.Trace out.
	NoTrace bool
	// Passes has the trace list the gates that passed too, and not count them.
	Passes bool

	within *run // the decision that this one is a part of; nil: it stands for itself
	tried  bool // it judges a step of the plan of within; else it looks for a hint
}

// Places are what self-protection keeps every action away from: the engine's
// folder, rules, plugins, configuration, secrets and sockets.
type Places struct {
	Paths []string // absolute; everything below is meant too
	Hosts []string // host names or host:port, in lower case

	kept []place // the paths made ready; nil: not yet
}

// The keys of reasons that Decide itself gives. Rules give theirs as
// "skill/clause".
const (
	KeyProposal    = "proposal"                   // no canonical form; retryable
	KeyEmpty       = "rulebook/empty"             // no rules: everything is denied
	KeyProtection  = "self-protection"            // touches a protected place
	KeyUnresolved  = "self-protection/unresolved" // may touch one: it cannot be determined
	KeyUnsettled   = "rewrite/unsettled"          // three rounds, and still rewriting
	KeyInDoubt     = "in-doubt"                   // the same action may have happened already
	KeyUnknownTool = "default/unknown-tool"       // the tool is not declared
)

func schemaKey(tool string) string { return "schema/" + tool }
func budgetKey(b string) string    { return "budget/" + b }
func tierKey(tool string) string   { return "tier/" + tool }
func failedKey(gate string) string { return "gate/" + gate + "/failed" }
func triggerKey(s string) string   { return s + "/trigger/error" }
