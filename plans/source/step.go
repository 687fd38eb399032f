package source

import "github.com/opencortex-go/cortex/sexpr"

// Step is one step, a loop, or a step that hands work out.
type Step struct {
	At    sexpr.Pos
	ID    Text `is:"id" need:"y" len:"1..64" form:"id"`
	Type  Text `is:"type" one:"loop parallel"`
	Title Text `is:"title" need:"y" len:"1..128"`

	When    Cond         `is:"runCondition"`
	Confirm Confirmation `is:"requireConfirmation"`
	Needs   []Text       `is:"needs" unique:"y"`
	OnFail  Text         `is:"onFail" one:"block make-up"`
	Uses    []Text       `is:"uses" unique:"y"`
	Gives   []Text       `is:"gives" unique:"y"`
	Trusted Bool         `is:"trusted"`

	Prompt    Text       `is:"prompt" len:"1..8192"`
	Blocks    *Blocks    `is:"promptBlocks"`
	Template  *Template  `is:"templateCall"`
	Fragments []Fragment `is:"promptFragments"`
	AgentRole Text       `is:"agentRole" len:"10..1024"`
	ModelTier Text       `is:"modelTier" one:"lightweight mid heavy"`
	Guidance  []Text     `is:"guidance"`

	Tool   Text    `is:"tool" len:"1..128"`
	Args   *Data   `is:"args"`
	Person *Person `is:"person"`
	Role   Text    `is:"role"`

	Delegations  []Delegation `is:"parallelDelegations" len:"1.."`
	Synthesis    *Synthesis   `is:"synthesis"`
	Audit        *Audit       `is:"audit"`
	Verification *Verify      `is:"verification"`

	Output        *Output       `is:"outputContract"`
	Criteria      Criteria      `is:"validationCriteria"`
	NotesOptional Bool          `is:"notesOptional"`
	AskForFiles   Bool          `is:"askForFiles"`
	HasValidation Bool          `is:"hasValidation"`
	Assessments   []Text        `is:"assessmentRefs" unique:"y"`
	Consequences  []Consequence `is:"assessmentConsequences" len:"1..10"`

	Functions    []Function     `is:"functionDefinitions"`
	Calls        []FunctionCall `is:"functionCalls"`
	FunctionRefs []Text         `is:"functionReferences"`

	Loop *Loop `is:"loop"`
	Body Body  `is:"body"`
}

// Loop says how often the body of a loop runs.
type Loop struct {
	At            sexpr.Pos
	Type          Text    `is:"type" need:"y" one:"while until for forEach"`
	MaxIterations *Int    `is:"maxIterations" need:"y" len:"1..1000"`
	Condition     Cond    `is:"condition"`
	Source        *Origin `is:"conditionSource"`
	Count         Count   `is:"count"`
	Items         Text    `is:"items" form:"path"`
	ItemVar       Text    `is:"itemVar" form:"name"`
	IndexVar      Text    `is:"indexVar" form:"name"`
	IterationVar  Text    `is:"iterationVar" form:"name"`
}

// Origin is where a loop learns whether it goes on.
type Origin struct {
	At          sexpr.Pos
	Kind        Text `is:"kind" need:"y" one:"artifact_contract context_condition context_variable"`
	ContractRef Text `is:"contractRef"`
	LoopID      Text `is:"loopId" form:"id"`
	Condition   Cond `is:"condition"`
}

// Template puts steps of the host in the place of a step.
type Template struct {
	ID   Text  `is:"templateId" need:"y"`
	Args *Data `is:"args"`
}

// Blocks are the parts of a prompt.
type Blocks struct {
	At          sexpr.Pos
	Goal        Prose   `is:"goal"`
	Constraints []Prose `is:"constraints"`
	Procedure   []Prose `is:"procedure"`
	Outputs     Proses  `is:"outputRequired"`
	Verify      []Prose `is:"verify"`
}

// Fragment is a conditional piece of a prompt.
type Fragment struct {
	ID   Text `is:"id" need:"y" form:"id"`
	When Cond `is:"when"`
	Text Text `is:"text" need:"y" len:"1..4096"`
}

// Person is a question to a person.
type Person struct {
	At           sexpr.Pos
	Kind         Text   `is:"kind" need:"y" one:"confirm choice artifact answer"`
	Question     Text   `is:"question" need:"y" len:"1..1000"`
	Choices      []Text `is:"choices" unique:"y"`
	NonAssumable Text   `is:"nonAssumable" one:"preference_tradeoff scope_boundary irreversible_action external_side_effect policy_or_compliance"`
}

// Delegation is work that a parallel step hands out.
type Delegation struct {
	At           sexpr.Pos
	WorkflowID   Text   `is:"workflowId" need:"y"`
	Goal         Text   `is:"goal"`
	When         Cond   `is:"runCondition"`
	Mapping      Texts  `is:"contextMapping"`
	Args         Texts  `is:"args"`
	ModelTier    Text   `is:"modelTier" one:"lightweight mid heavy"`
	AllowedTools []Text `is:"allowedTools"`
}

// Synthesis says what to make of the results of delegations.
type Synthesis struct {
	Prompt Text    `is:"prompt"`
	Output *Output `is:"outputContract"`
}

// Audit says how the work of a step is to be looked over.
type Audit struct {
	Prompt Text   `is:"prompt"`
	Rubric []Text `is:"rubric"`
}

// Verify says how the work of a step is to be tried.
type Verify struct {
	Command Text `is:"command"`
	Prompt  Text `is:"prompt"`
}

// Output names the contract of what a step hands in.
type Output struct {
	ContractRef Text  `is:"contractRef" need:"y"`
	Required    *Bool `is:"required"`
}

// Rule is one check of notes.
type Rule struct {
	Type    Text  `is:"type" need:"y" one:"contains regex length schema"`
	Value   Text  `is:"value"`
	Pattern Text  `is:"pattern"`
	Flags   Text  `is:"flags"`
	Min     *Int  `is:"min" len:"0..1000000"`
	Max     *Int  `is:"max" len:"0..1000000"`
	Schema  *Data `is:"schema"`
	Message Text  `is:"message" need:"y"`
	When    Cond  `is:"condition"`
}
