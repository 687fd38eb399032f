package skills

import (
	"cmp"
	"context"
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
)

// Gate judges one clause of a skill. It is deterministic and has no state and no
// side effects. An error, a panic and a nil Verdict all deny.
type Gate interface {
	// Key names the gate in reasons and traces: "skill/clause".
	Key() string
	// Judge answers for the case as it stands. ctx bounds gates that run in
	// other processes; an in-process gate's cost is bounded when it is loaded.
	Judge(ctx context.Context, c *Case) (Verdict, error)
}

// Skill is an authored unit: a trigger, a priority, gates in the order they are
// written, and additions to a prompt. It is immutable once in a [Policy].
type Skill struct {
	Name      string // unique in a policy
	Doc       string
	Priority  int  // highest first; equal priorities go by name
	Mandatory bool // the engine does not start without it
	// Trigger reports whether the skill applies to the case; nil means always. An
	// error denies. Triggers also select prompts and augments, for a case without
	// an action.
	Trigger func(*Case) (bool, error)
	// Tools, if not nil, promises that Trigger is false, without error, for
	// every action on another tool. Policies index by it.
	Tools   []string
	Gates   []Gate
	Prompt  string // replaces the signal's text in the prompt
	Augment string // a line for the system prompt
	// Speak, if set, is asked for prompt and augment in place of the two above. An
	// error adds nothing.
	Speak func(ctx context.Context, c *Case) (prompt, augment string, err error)
}

// Compare orders skills as they are asked: by falling priority, then by name.
func Compare(a, b *Skill) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Name, b.Name))
}

// Sort puts skills in the order in which they are asked.
func Sort(s []*Skill) { slices.SortFunc(s, Compare) }

// Policy is everything that decisions depend on: skills, invariants, tools and
// limits, immutable and named by one hash. Package skills/rules makes policies from
// rule files.
type Policy interface {
	// Hash names the policy: same hash, same decisions.
	Hash() sexpr.Digest
	// Empty reports that the policy has no rules, so that everything is denied.
	Empty() bool
	// Skills returns the skills that may apply to an action on tool, in order,
	// or all of them for "".
	Skills(tool string) []*Skill
	// Len is the total number of gates, so that a trace can count the skipped ones.
	Len() int
	// Invariants returns the conditions that may bear on an action on tool.
	// A violated one answers with Deny, any other answer is Pass.
	Invariants(tool string) []Gate
	// Tool finds a declared tool by its exact name.
	Tool(name string) (*Tool, bool)
	// Tools returns every declared tool, sorted by name.
	Tools() []*Tool
	// UnknownTool is the tier of undeclared tools: TierAsk or TierDeny, never
	// TierAllow.
	UnknownTool() Tier
}
