package plans

// Capabilities are what an agent must have, should have, or must do without; each list by name.
type Capabilities struct {
	Required  []string `json:"required,omitempty"`
	Preferred []string `json:"preferred,omitempty"`
	Disabled  []string `json:"disabled,omitempty"`
}

// Preferences are what a workflow recommends; "" recommends nothing.
type Preferences struct {
	Autonomy   string `json:"recommendedAutonomy,omitempty"`
	RiskPolicy string `json:"recommendedRiskPolicy,omitempty"`
}

// Feature is a feature of the host that a workflow switched on. What it does is in the steps.
type Feature struct {
	ID     string `json:"featureId"`
	Config Data   `json:"config,omitzero"`
}

// Reference points at something outside, which is looked up when a run starts.
type Reference struct {
	ID            string `json:"id"`
	Title         string `json:"title"`
	Source        string `json:"source"`
	Purpose       string `json:"purpose"`
	Authoritative bool   `json:"authoritative"`
	ResolveFrom   string `json:"resolveFrom,omitempty"` // workspace or package; "": workspace
}

// Function is a definition that prompts refer to by name.
type Function struct {
	Name       string      `json:"name"`
	Definition string      `json:"definition"`
	Parameters []Parameter `json:"parameters,omitempty"`
	Scope      string      `json:"scope,omitempty"` // workflow, loop or step
}

// Parameter is one parameter of a function.
type Parameter struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // string, number, boolean, array or object
	Required    bool   `json:"required,omitempty"`
	Description string `json:"description,omitempty"`
	Enum        []Data `json:"enum,omitempty"`
	Default     Data   `json:"default,omitzero"`
}

// FunctionCall is a function with arguments.
type FunctionCall struct {
	Name string `json:"name"`
	Args Data   `json:"args"`
}

// Assessment is a judgement that an agent hands in as an artifact of wr.contracts.assessment.
type Assessment struct {
	ID         string      `json:"id"`
	Purpose    string      `json:"purpose"`
	Dimensions []Dimension `json:"dimensions"` // in authored order, at least one
}

// Dimension is one question of an assessment.
type Dimension struct {
	ID       string   `json:"id"`
	Purpose  string   `json:"purpose"`
	Levels   []string `json:"levels"` // at least two, in authored order
	Required bool     `json:"required"`
}

// Consequence is what follows from an assessment of the step.
type Consequence struct {
	AnyLevel      string `json:"anyEqualsLevel"`          // any dimension is at this level
	ForAssessment string `json:"forAssessment,omitempty"` // "": any that the step names
	// Guidance is what the agent is told; the step is blocked until it followed.
	Guidance string `json:"guidance"`
}

// Criteria are checks of the notes of a step: one rule, or others put together. Exactly one of
// Rule, And, Or and Not is set.
type Criteria struct {
	Rule *Rule      `json:"rule,omitempty"`
	And  []Criteria `json:"and,omitempty"`
	Or   []Criteria `json:"or,omitempty"`
	Not  *Criteria  `json:"not,omitempty"`
}

// Rule is one check of the notes.
type Rule struct {
	Type    string     `json:"type"` // contains, regex, length or schema
	Value   string     `json:"value,omitempty"`
	Pattern string     `json:"pattern,omitempty"` // RE2, flags included; known to compile
	Min     *int       `json:"min,omitempty"`     // characters
	Max     *int       `json:"max,omitempty"`
	Schema  Data       `json:"schema,omitzero"`
	Message string     `json:"message"`
	When    *Condition `json:"condition,omitempty"`
}

// Warning is something that compiles, and should be written otherwise. Its text is not a part of
// the plan; see [Warning.String].
type Warning struct {
	Code   string `json:"code"`
	StepID string `json:"stepId,omitempty"`
}
