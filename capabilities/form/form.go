package form

import (
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// SchemaVersion is the version of the canonical form. [Load] refuses another.
const SchemaVersion = 1

// Bounds of a capability.
const (
	MaxSteps = 32
	MaxText  = 1 << 20 // bytes of a plan file
)

// Capability is one capability of one version. It is immutable; share it freely, and change no
// slice of it. Its JSON names are those of [Capability.Canonical].
type Capability struct {
	ID      string   `json:"id"`      // at least one dot, made of [a-z0-9._-]
	Version string   `json:"version"` // a semantic version
	Owner   string   `json:"owner,omitempty"`
	Scope   string   `json:"scope"`             // ScopeProject or ScopeOrg
	Roles   []string `json:"roles,omitempty"`   // that may call it; none: all may. See [Capability.Clauses]
	Doc     string   `json:"doc,omitempty"`     // what it is for, for people and models
	Augment string   `json:"augment,omitempty"` // as defskill's :augment
	Compat  Compat   `json:"compat,omitzero"`
	Inputs  []Field  `json:"inputs,omitempty"` // in the order of writing
	Outputs []Field  `json:"outputs,omitempty"`
	Needs   Needs    `json:"needs,omitzero"`
	Offer   Offer    `json:"offer,omitzero"`
	Once    *Once    `json:"once,omitempty"` // nil: it may run any number of times
	Budget  Budget   `json:"budget,omitzero"`
	Steps   []Step   `json:"steps"` // in order, 1 to [MaxSteps]
	// Result gives each output its value, by name. Texts in the values have slots.
	Result []Named `json:"result,omitempty"`
	// Gate is a list of clauses for defskill's :gate, as they are written; nil for none. Those of
	// :roles are not among them.
	Gate    sexpr.Value `json:"-"`
	Tests   []Test      `json:"tests,omitempty"`
	Fuzz    Fuzz        `json:"fuzz,omitzero"`
	MinRate Rates       `json:"rates,omitzero"`
	From    Provenance  `json:"provenance,omitzero"` // zero if people made it
	Parsers []Parser    `json:"parsers,omitempty"`   // by input

	at        sexpr.Pos
	canonical []byte
	hash      sexpr.Digest
}

// The scopes.
const (
	ScopeProject = "project"
	ScopeOrg     = "org"
)

// Compat says where a capability fits: hard filters, compared with facts.env. What is empty fits
// anywhere.
type Compat struct {
	Env     []string `json:"env,omitempty"`
	Toolset string   `json:"toolset,omitempty"`
	Repo    string   `json:"repo,omitempty"`
}

// Field is an input or an output.
type Field struct {
	Name string      `json:"name"`
	Type skills.Type `json:"-"`
	// From is the fact that an input takes its value from where the call has none, such as
	// "facts.ctx.app"; "" for none.
	From string `json:"from,omitempty"`
	// To is the key of work that an output is put under; "" for its own name.
	To       string `json:"to,omitempty"`
	Required bool   `json:"required,omitempty"` // of an input; outputs are all there
	Secret   bool   `json:"secret,omitempty"`   // of an input: stored encrypted, shown redacted, never parsed
}

// Needs must hold before a capability is considered.
type Needs struct {
	Tools []string     `json:"tools,omitempty"` // that must be declared
	When  []*Condition `json:"when,omitempty"`  // all must hold
}

// Offer says when a capability is shown to a model, and how much must speak for it.
type Offer struct {
	Goals    []string `json:"goals,omitempty"`
	Keywords []string `json:"keywords,omitempty"`
	Weights  Weights  `json:"weights,omitzero"`
	Tau      float64  `json:"tau,omitempty"`      // the least score; 0: any
	Cooldown int64    `json:"cooldown,omitempty"` // seconds between two starts; 0: none
	AtOnce   int      `json:"atOnce,omitempty"`   // runs at the same time; 0: any number
}

// Weights are what each cue adds to the score. None is negative, so that no cue speaks against.
type Weights struct {
	Goal    float64 `json:"goal,omitempty"`
	Keyword float64 `json:"keyword,omitempty"`
	Entity  float64 `json:"entity,omitempty"` // a required value that stands in the user's words
	Recent  float64 `json:"recent,omitempty"` // recent success
}

// Once names what may be done once: see [Capability.OnceKey].
type Once struct {
	Key    []KeyPart `json:"key"`
	Within int64     `json:"within,omitempty"` // seconds; 0: as long as the record keeps the run
}

// KeyPart is a part of a once-key: a text, or the value of an input if Input is not "".
type KeyPart struct {
	Text  string `json:"text,omitempty"`
	Input string `json:"input,omitempty"` // or [Principal]
}

// Principal stands in a once-key for who calls. No input has this name.
const Principal = "principal"

// Budget bounds one run; 0 leaves it open.
type Budget struct {
	USD float64 `json:"usd,omitempty"`
	MS  int64   `json:"ms,omitempty"` // waiting for people is not counted
}

// Step is one action of a plan, with what makes up for it.
type Step struct {
	Name       string      `json:"name"`
	Tool       string      `json:"tool"`
	Args       sexpr.Value `json:"args"`         // an object; texts in it may have slots
	MS         int64       `json:"ms,omitempty"` // one try may take as long; 0: as the tool says
	Retries    int         `json:"retries,omitempty"`
	Idempotent bool        `json:"idempotent,omitempty"` // it may be tried again after it failed
	When       *Condition  `json:"when,omitempty"`       // false: the step is skipped
	Guard      *Condition  `json:"guard,omitempty"`      // asked before the step; false: the run fails
	Out        []Out       `json:"out,omitempty"`        // by name
	// Exactly one of Undo and Why is set: what makes up for the step, or why nothing needs to.
	Undo *Undo  `json:"undo,omitempty"`
	Why  string `json:"why,omitempty"`

	at sexpr.Pos
}

// OnlyReads is the Why of a step that changes nothing.
const OnlyReads = "only reads"

// External reports whether the step changes something, as far as its author says. What its tool
// declares comes first where that is known: see [Capability.Check].
func (s *Step) External() bool { return s.Why != OnlyReads }

// Out puts a part of a step's receipt into work.
type Out struct {
	Name string `json:"name"`
	Part string `json:"part"` // "text", trimmed, or "result" with a path: "result.id"
}

// Undo is the action that makes up for a step.
type Undo struct {
	Tool string      `json:"tool"`
	Args sexpr.Value `json:"args"` // as those of a step; the step's own outputs can be filled in too
}

// Named is a value with a name.
type Named struct {
	Name  string      `json:"name"`
	Value sexpr.Value `json:"value"`
}

// Test is a unit case, or the name of a file of one if File is set.
type Test struct {
	Name   string      `json:"name,omitempty"`
	File   string      `json:"file,omitempty"`
	Inputs sexpr.Value `json:"inputs,omitzero"` // an object
	Facts  sexpr.Value `json:"facts,omitzero"`  // an object: ctx, env, work and policy
	Stubs  []Stub      `json:"stubs,omitempty"` // what steps return; one without gives an empty text
	Expect Expect      `json:"expect,omitzero"`
}

// Stub is what the tool of a step returns in a test.
type Stub struct {
	Step   string      `json:"step"`
	Text   string      `json:"text,omitempty"`
	Result sexpr.Value `json:"result,omitzero"`
	Error  string      `json:"error,omitempty"` // not "": the step fails with it
}

// Expect is what a test must come to.
type Expect struct {
	Status  string      `json:"status"`           // "ok", "partial_failure" or "refused"
	Outputs sexpr.Value `json:"outputs,omitzero"` // an object; zero: not compared
	Steps   []string    `json:"steps,omitempty"`  // those that ran, in order; nil: not compared
}

// Fuzz says how many cases are made up, and how.
type Fuzz struct {
	Count     int      `json:"count,omitempty"`
	Mutations []string `json:"mutations,omitempty"` // see [Mutations]; none: all
}

// Rates are the shares of cases, 0 to 1, that must pass.
type Rates struct {
	Unit float64 `json:"unit,omitempty"`
	Fuzz float64 `json:"fuzz,omitempty"`
}

// Provenance says what a capability was learnt from.
type Provenance struct {
	Traces    []string `json:"traces,omitempty"`
	Support   float64  `json:"support,omitempty"`   // the share of traces that have its calls, 0 to 1
	Success   float64  `json:"success,omitempty"`   // the share of those that succeeded, 0 to 1
	DeltaCost float64  `json:"deltaCost,omitempty"` // relative to doing without: -0.42 is 42 % less
	DeltaP95  float64  `json:"deltaP95,omitempty"`  // the same of the 95th percentile of time
}

// Parser finds an input in the user's words. Its model answers at temperature 0.
type Parser struct {
	Input  string `json:"input"`
	Model  string `json:"model"`
	Prompt string `json:"prompt"` // a text, or the name of one
}
