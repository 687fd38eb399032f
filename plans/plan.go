package plans

import "github.com/opencortex-go/cortex/sexpr"

// SchemaVersion is the version of the compiled form. A plan of another version is refused.
const SchemaVersion = 1

// Plan is a compiled workflow: all text in place, everything that it names embedded. It is
// immutable; share it freely, and change no slice of it. Its JSON names are those of the
// canonical bytes that [Plan.Hash] digests.
type Plan struct {
	SchemaVersion int    `json:"schemaVersion"`
	WorkflowID    string `json:"workflowId"` // namespace.name, or a legacy name without a dot
	Name          string `json:"name,omitempty"`
	Description   string `json:"description,omitempty"`
	Version       string `json:"version,omitempty"` // semantic version, as authored
	AgentRole     string `json:"agentRole,omitempty"`
	// OnFail is what a failed or refused step means where the step does not say. Never empty.
	OnFail       OnFail       `json:"onFail"`
	Preferences  *Preferences `json:"recommendedPreferences,omitempty"`
	Capabilities Capabilities `json:"capabilities"`
	Features     []Feature    `json:"features,omitempty"`    // by id, each once
	Contracts    []Contract   `json:"contracts,omitempty"`   // by id: each that a step or loop names
	Assessments  []Assessment `json:"assessments,omitempty"` // by id
	Functions    []Function   `json:"functionDefinitions,omitempty"`
	References   []Reference  `json:"references,omitempty"` // declarations alone, never what they resolve to
	// MetaGuidance applies to every step; Preconditions and Clarifications are for the start.
	MetaGuidance   []string `json:"metaGuidance,omitempty"`
	Preconditions  []string `json:"preconditions,omitempty"`
	Clarifications []string `json:"clarificationPrompts,omitempty"`
	// Steps are those of the top level in authored order, with loops at their place.
	Steps []Step `json:"steps"`
	// Loops are by id. A loop stands among Steps as a step whose LoopID names it.
	Loops    []Loop    `json:"loops,omitempty"`
	Warnings []Warning `json:"compiledWarnings,omitempty"` // by code and step

	canonical []byte       // the JCS of this plan
	hash      sexpr.Digest // of canonical
}

// By is who does a step.
type By string

// The kinds of step. A loop has none: its By is empty.
const (
	ByPrompt By = "prompt" // the agent that holds the ticket
	ByTool   By = "tool"   // the engine, after a decision
	ByPerson By = "person" // a person, on a card
	ByRole   By = "role"   // another agent, from the fabric's board; reserved, no plan has it yet
)

// OnFail is what a failed or refused step means.
type OnFail string

// The meanings of a failure.
const (
	OnFailBlock  OnFail = "block"   // the run waits at the step
	OnFailMakeUp OnFail = "make-up" // the run undoes what it did
)

// Step is one step, or the place of a loop.
type Step struct {
	// ID is unique in the plan, loop bodies included. A step that a template put in place is
	// named caller.step; ids have no other dots.
	ID    string `json:"stepId"`
	Title string `json:"title"`
	By    By     `json:"by,omitempty"`
	// LoopID names the loop that stands here. Then only ID, Title, LoopID, When, Confirm,
	// Functions and Origin are set.
	LoopID string `json:"loopId,omitempty"`

	When    *Condition    `json:"runCondition,omitempty"`        // nil: always eligible
	Confirm *Confirmation `json:"requireConfirmation,omitempty"` // nil: no confirmation
	// Needs are the steps that must have been taken, and not left out, before this one.
	Needs  []string `json:"needs,omitempty"`
	OnFail OnFail   `json:"onFail,omitempty"` // "": as the plan says

	// Uses are the keys of work that the step declares: an unset one blocks it, and gates see
	// no others. Gives are the keys that its output sets.
	Uses  []string `json:"uses,omitempty"`
	Gives []string `json:"gives,omitempty"`
	// Trusted says that Gives may be read by gates as facts.
	Trusted bool `json:"trusted,omitempty"`

	// Prompt is the whole text of a prompt step, blocks rendered and snippets in place. Only
	// slots of run time are left in it: {{path.of.work}}. Blocks are what it was made of.
	Prompt    string        `json:"prompt,omitempty"`
	Blocks    *PromptBlocks `json:"promptBlocks,omitempty"`
	Fragments []Fragment    `json:"promptFragments,omitempty"`
	AgentRole string        `json:"agentRole,omitempty"`
	Guidance  []string      `json:"guidance,omitempty"`
	Parallel  []Delegation  `json:"parallel,omitempty"` // in authored order

	Tool   *ToolCall `json:"tool,omitempty"`   // with ByTool
	Person *Question `json:"person,omitempty"` // with ByPerson

	Output        *Output       `json:"output,omitempty"`
	Criteria      *Criteria     `json:"validationCriteria,omitempty"`
	NotesOptional bool          `json:"notesOptional,omitempty"`
	AskForFiles   bool          `json:"askForFiles,omitempty"`
	Assessments   []string      `json:"assessmentRefs,omitempty"` // ids of Plan.Assessments
	Consequences  []Consequence `json:"assessmentConsequences,omitempty"`

	Functions    []Function     `json:"functionDefinitions,omitempty"` // of this step, or of the body of the loop
	Calls        []FunctionCall `json:"functionCalls,omitempty"`
	FunctionRefs []string       `json:"functionReferences,omitempty"` // names, without "()"

	// Probe is the capability whose presence this step finds out: its result is strong
	// evidence. Only injected steps have one.
	Probe  string      `json:"probe,omitempty"`
	Refs   []RefOrigin `json:"refs,omitempty"` // the snippets that are in Prompt, in order
	Origin Origin      `json:"provenance"`
}

// Origin says where a step came from.
type Origin struct {
	Source   string `json:"source"`             // authored, template_injected or feature_injected
	OriginID string `json:"originId,omitempty"` // the template, feature or capability
}

// The sources of a step.
const (
	SourceAuthored = "authored"
	SourceTemplate = "template_injected"
	SourceFeature  = "feature_injected"
)

// RefOrigin is a snippet that was put into a prompt.
type RefOrigin struct {
	RefID string `json:"refId"`
	Hash  string `json:"contentHash"` // sha256:... of its text
	Bytes int    `json:"bytes"`
}

// PromptBlocks are the parts of a prompt, snippets in place. At least one is not empty.
type PromptBlocks struct {
	Goal        string   `json:"goal,omitempty"`
	Constraints []string `json:"constraints,omitempty"`
	Procedure   []string `json:"procedure,omitempty"`
	Outputs     []Named  `json:"outputRequired,omitempty"` // by name
	Verify      []string `json:"verify,omitempty"`
}

// Named is a name with its text.
type Named struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Fragment is a piece of prompt that is shown if a condition holds.
type Fragment struct {
	ID   string     `json:"id"`
	When *Condition `json:"when,omitempty"` // nil: always
	Text string     `json:"text"`
}

// Confirmation says that a person confirms before the step is taken.
type Confirmation struct {
	// Kind is human_approval or coordinator_eval.
	Kind string     `json:"kind"`
	When *Condition `json:"when,omitempty"` // nil: always
}

// The kinds of confirmation.
const (
	HumanApproval   = "human_approval"
	CoordinatorEval = "coordinator_eval"
)

// ToolCall is what a tool step does.
type ToolCall struct {
	Tool string `json:"tool"`
	// Args is an object. Its strings may have slots, {{path.of.work}}.
	Args Data `json:"args"`
}

// Question is what a person step asks; see ask_person.
type Question struct {
	Kind     string   `json:"kind"`              // confirm, choice, artifact or answer
	Question string   `json:"question"`          // may have slots
	Choices  []string `json:"choices,omitempty"` // of a choice, at least two
	// NonAssumable says why no agent may choose in the person's stead: preference_tradeoff,
	// scope_boundary, irreversible_action, external_side_effect or policy_or_compliance. A
	// choice has one.
	NonAssumable string `json:"nonAssumable,omitempty"`
}

// Delegation is one piece of work that a parallel step hands out.
type Delegation struct {
	ID      string     `json:"id"`
	When    *Condition `json:"runCondition,omitempty"`
	Details Data       `json:"details"` // the rest of what is written: routine, args, context mapping
}

// Output is what a step must hand in.
type Output struct {
	ContractRef string `json:"contractRef"` // an id of Plan.Contracts
	Required    bool   `json:"required"`
}

// Contract is the shape of an artifact. It comes from a pack of the host.
type Contract struct {
	ID   string `json:"id"`   // such as wr.contracts.loop_control
	Kind string `json:"kind"` // the value of "kind" in an artifact of this shape
	// Schema is a JSON schema. Members that it does not name are kept.
	Schema Data `json:"schema"`
	// Required are lines for the prompt: what the artifact must have.
	Required []string `json:"requirements,omitempty"`
	Example  Data     `json:"example"` // the least artifact that is valid
}

// Loop is a loop: its body is done again and again, at most MaxIterations times.
type Loop struct {
	ID   string   `json:"loopId"`
	Type LoopType `json:"type"`
	// MaxIterations is a count, 1 to 1000: iterations are 0 to MaxIterations-1.
	MaxIterations int `json:"maxIterations"`
	// Control is the contract of the artifact that decides, for while and until; "" if When does.
	Control string `json:"contractRef,omitempty"`
	// When is the condition that the loop goes on while (or until) it holds, if Control is "".
	When *Condition `json:"condition,omitempty"`
	// Count is how often a for loop runs, or CountKey the key of work that says so.
	Count    int    `json:"count,omitempty"`
	CountKey string `json:"countKey,omitempty"`
	Items    string `json:"items,omitempty"` // forEach: the key of work that holds the array
	// The keys that the body sees: never empty where the type has them.
	ItemVar      string     `json:"itemVar,omitempty"`  // forEach; currentItem
	IndexVar     string     `json:"indexVar,omitempty"` // forEach; currentIndex, from 0
	IterationVar string     `json:"iterationVar"`       // currentIteration, from 1
	Body         []Step     `json:"body"`               // in order; none is a loop
	Functions    []Function `json:"functionDefinitions,omitempty"`
}

// LoopType is what makes a loop end.
type LoopType string

// The types of loop.
const (
	LoopWhile   LoopType = "while"
	LoopUntil   LoopType = "until"
	LoopFor     LoopType = "for"
	LoopForEach LoopType = "forEach"
)
