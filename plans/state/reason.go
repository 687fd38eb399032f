package state

import "strings"

// Code says why an attempt did not pass: category:detail. The set is closed.
type Code string

// The codes. Those of user-only dependencies can be met by a person alone; those of
// contracts by a better output; those of capabilities by a new observation.
const (
	NeedsSecret      Code = "user_only_dependency:needs_user_secret_or_token"
	NeedsAccess      Code = "user_only_dependency:needs_user_account_access"
	NeedsArtifact    Code = "user_only_dependency:needs_user_artifact"
	NeedsChoice      Code = "user_only_dependency:needs_user_choice"
	NeedsApproval    Code = "user_only_dependency:needs_user_approval"
	NeedsEnvironment Code = "user_only_dependency:needs_user_environment_action"

	MissingOutput  Code = "contract_violation:missing_required_output"
	InvalidOutput  Code = "contract_violation:invalid_required_output"
	MissingNotes   Code = "contract_violation:missing_required_notes"
	MissingContext Code = "contract_violation:missing_context_key"
	InvalidContext Code = "contract_violation:invalid_context_key" // a condition or loop cannot use its value
	ContextBudget  Code = "contract_violation:context_budget_exceeded"
	FollowUp       Code = "contract_violation:assessment_followup_required"
	GateDenied     Code = "contract_violation:gate_denied"

	CapabilityUnknown     Code = "capability_missing:required_capability_unknown"
	CapabilityUnavailable Code = "capability_missing:required_capability_unavailable"

	InvariantViolation Code = "unexpected:invariant_violation"
	StorageCorruption  Code = "unexpected:storage_corruption_detected"
	InDoubt            Code = "unexpected:in_doubt"      // an effect may have happened or not
	AttemptLimit       Code = "unexpected:attempt_limit" // the breaker
)

// codes are all, and what a blocker calls them.
var codes = map[Code]string{
	NeedsSecret: "USER_ONLY_DEPENDENCY", NeedsAccess: "USER_ONLY_DEPENDENCY", NeedsArtifact: "USER_ONLY_DEPENDENCY",
	NeedsChoice: "USER_ONLY_DEPENDENCY", NeedsApproval: "USER_ONLY_DEPENDENCY", NeedsEnvironment: "USER_ONLY_DEPENDENCY",
	MissingOutput: "MISSING_REQUIRED_OUTPUT", InvalidOutput: "INVALID_REQUIRED_OUTPUT",
	MissingNotes: "MISSING_REQUIRED_NOTES", MissingContext: "MISSING_CONTEXT_KEY", InvalidContext: "INVALID_CONTEXT_KEY",
	ContextBudget: "CONTEXT_BUDGET_EXCEEDED", FollowUp: "ASSESSMENT_FOLLOWUP_REQUIRED", GateDenied: "GATE_DENIED",
	CapabilityUnknown: "REQUIRED_CAPABILITY_UNKNOWN", CapabilityUnavailable: "REQUIRED_CAPABILITY_UNAVAILABLE",
	InvariantViolation: "INVARIANT_VIOLATION", StorageCorruption: "STORAGE_CORRUPTION_DETECTED",
	InDoubt: "IN_DOUBT", AttemptLimit: "ATTEMPT_LIMIT",
}

// Category is the part of a code that modes look at.
type Category string

// The categories.
const (
	UserOnly          Category = "user_only_dependency"
	ContractViolation Category = "contract_violation"
	CapabilityMissing Category = "capability_missing"
	Unexpected        Category = "unexpected"
)

// Category is the part of the code before the colon.
func (c Code) Category() Category {
	category, _, _ := strings.Cut(string(c), ":")
	return Category(category)
}

// Detail is the part of the code behind the colon.
func (c Code) Detail() string {
	_, detail, _ := strings.Cut(string(c), ":")
	return detail
}

// Known says whether the code is one of the closed set.
func (c Code) Known() bool { return codes[c] != "" }

// Terminal says that no retry can help: an invariant is broken, the store is corrupt, or the
// breaker fell. Everything else may be tried again on new evidence.
func (c Code) Terminal() bool {
	return c == InvariantViolation || c == StorageCorruption || c == AttemptLimit
}

// Reason is one reason why an attempt does not pass.
type Reason struct {
	Code    Code
	Pointer Pointer
	Message string // what is wrong, at most 512 bytes
	Fix     string // what would be right, at most 1024 bytes; "" where nothing is to be said
}

// Gap is a recorded shortfall that a run went on in spite of.
type Gap struct {
	Severity string   `json:"severity"` // info, warning or critical
	Category Category `json:"category"`
	Detail   string   `json:"detail"`
	Summary  string   `json:"summary"` // at most 512 bytes
}

// Gap is the reason as a critical gap, with the same category and detail.
func (r Reason) Gap() Gap {
	return Gap{Severity: "critical", Category: r.Code.Category(), Detail: r.Code.Detail(), Summary: r.Message}
}
