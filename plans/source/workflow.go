package source

import "github.com/opencortex-go/cortex/sexpr"

// The tags of fields direct the decoder and the printer:
//
//	is:"name"        the JSON name; no tag: not read
//	need:"y"         must be there
//	len:"3..64"      characters of a text, elements of a list, or the value of a number
//	one:"a b"        the only texts allowed
//	form:"id"        a pattern of [patterns]
//	unique:"y"       each element once

// Text is a string with its place. Its zero value is a text that is not there.
type Text struct {
	S  string
	At sexpr.Pos
}

// Workflow is one workflow as it is written.
type Workflow struct {
	At             sexpr.Pos
	ID             Text         `is:"id" need:"y" len:"3..64"`
	Name           Text         `is:"name" need:"y" len:"1..128"`
	Description    Text         `is:"description" len:"1..512"`
	Version        Text         `is:"version" need:"y" form:"version"`
	About          Text         `is:"about" len:"1..4096"`
	Examples       []Text       `is:"examples" len:"1..6"`
	Tags           []Text       `is:"tags"`
	AgentRole      Text         `is:"agentRole" len:"10..1024"`
	ModelTier      Text         `is:"modelTier" one:"lightweight mid heavy"`
	MetricsProfile Text         `is:"metricsProfile" one:"coding review research design ticket none"`
	SpecVersion    *Int         `is:"validatedAgainstSpecVersion" len:"1..1000"`
	OnFail         Text         `is:"onFail" one:"block make-up"`
	Preferences    *Preferences `is:"recommendedPreferences"`
	Capabilities   Texts        `is:"capabilities"`
	Features       []Feature    `is:"features"`
	Assessments    []Assessment `is:"assessments"`
	References     []Reference  `is:"references"`
	Extensions     []Extension  `is:"extensionPoints"`
	Preconditions  []Text       `is:"preconditions" unique:"y"`
	Clarifications []Text       `is:"clarificationPrompts" unique:"y"`
	MetaGuidance   []Text       `is:"metaGuidance" unique:"y"`
	Functions      []Function   `is:"functionDefinitions"`
	Steps          []Step       `is:"steps" need:"y" len:"1.."`
}

// Preferences are what a workflow recommends.
type Preferences struct {
	Autonomy   Text `is:"recommendedAutonomy" one:"guided full_auto_stop_on_user_deps full_auto_never_stop"`
	RiskPolicy Text `is:"recommendedRiskPolicy" one:"conservative balanced aggressive"`
}

// Feature names a feature, as a text or as an object with its configuration.
type Feature struct {
	ID     Text  `is:"id" need:"y"`
	Config *Data `is:"config"`
}

// Extension is a place in prompts that a project may fill: {{wr.bindings.slot}}.
type Extension struct {
	SlotID  Text   `is:"slotId" need:"y" form:"word"`
	Purpose Text   `is:"purpose" need:"y"`
	Default Text   `is:"default" need:"y"`
	Kinds   []Text `is:"acceptedKinds"`
}

// Reference is a pointer at something outside.
type Reference struct {
	ID            Text `is:"id" need:"y" form:"id"`
	Title         Text `is:"title" need:"y" len:"1..128"`
	Source        Text `is:"source" need:"y" len:"1..512"`
	Purpose       Text `is:"purpose" need:"y" len:"1..512"`
	Authoritative Bool `is:"authoritative"`
	ResolveFrom   Text `is:"resolveFrom" one:"workspace package"`
}

// Assessment is a judgement that steps ask for.
type Assessment struct {
	ID         Text        `is:"id" need:"y" form:"id"`
	Purpose    Text        `is:"purpose" need:"y"`
	Dimensions []Dimension `is:"dimensions" need:"y" len:"1.."`
}

// Dimension is one question of an assessment.
type Dimension struct {
	ID       Text   `is:"id" need:"y" form:"id"`
	Purpose  Text   `is:"purpose" need:"y"`
	Levels   []Text `is:"levels" need:"y" len:"2.." unique:"y"`
	Required *Bool  `is:"required"`
}

// Consequence follows from an assessment.
type Consequence struct {
	At   sexpr.Pos
	When struct {
		AnyLevel      Text `is:"anyEqualsLevel" need:"y"`
		ForAssessment Text `is:"forAssessment"`
	} `is:"when" need:"y"`
	Effect struct {
		Kind     Text `is:"kind" need:"y" one:"require_followup"`
		Guidance Text `is:"guidance" need:"y" len:"1.."`
	} `is:"effect" need:"y"`
}

// Function is a definition that prompts refer to.
type Function struct {
	Name       Text        `is:"name" need:"y" form:"name"`
	Definition Text        `is:"definition" need:"y"`
	Parameters []Parameter `is:"parameters"`
	Scope      Text        `is:"scope" one:"workflow loop step"`
}

// Parameter is one parameter of a function.
type Parameter struct {
	Name        Text   `is:"name" need:"y" form:"name"`
	Type        Text   `is:"type" need:"y" one:"string number boolean array object"`
	Required    Bool   `is:"required"`
	Description Text   `is:"description"`
	Enum        []Data `is:"enum" len:"1.."`
	Default     *Data  `is:"default"`
}

// FunctionCall is a function with arguments.
type FunctionCall struct {
	Name Text `is:"name" need:"y" form:"name"`
	Args Data `is:"args" need:"y"`
}
