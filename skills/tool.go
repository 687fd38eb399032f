package skills

import "github.com/opencortex-go/cortex/sexpr"

// Tier is a declared tool's default answer. The zero Tier is TierAsk.
type Tier uint8

// The tiers: a person must approve, always denied, allowed without approval.
const (
	TierAsk Tier = iota
	TierDeny
	TierAllow
)

// String returns "ask", "deny" or "allow".
func (t Tier) String() string {
	switch t {
	case TierDeny:
		return "deny"
	case TierAllow:
		return "allow"
	case TierAsk:
	}
	return "ask"
}

// Effect says what running a tool changes. The zero Effect is EffectExternal.
type Effect uint8

// The effects: the outside world, only this machine's workspace, nothing.
const (
	EffectExternal Effect = iota
	EffectLocal
	EffectNone
)

// String returns "external", "local" or "none".
func (e Effect) String() string {
	switch e {
	case EffectLocal:
		return "local"
	case EffectNone:
		return "none"
	case EffectExternal:
	}
	return "external"
}

// ParamKind is the kind of a parameter.
type ParamKind uint8

// The kinds of language.md. Command, Path, Host, URL and SQL are strings with a
// meaning.
const (
	KindAny ParamKind = iota
	KindString
	KindBoolean
	KindInteger
	KindNumber
	KindEnum
	KindList
	KindObject
	KindCommand
	KindPath
	KindHost
	KindURL
	KindSQL
)

// Type is the type of a parameter or of what stands inside one.
type Type struct {
	Kind     ParamKind
	Nullable bool     // null is a value too
	Bounded  bool     // Lo and Hi hold, both inclusive; for integer and number
	Lo, Hi   float64  // exact up to 2^53
	Enum     []string // the words of KindEnum
	Elem     *Type    // of KindList
	Params   []Param  // of KindObject
	Required []string // of KindObject
	Dialect  string   // of KindSQL
}

// Param is one named parameter.
type Param struct {
	Name string
	Type Type
}

// Spending says that a call takes the amount in argument Arg, or the constant
// Fixed where Arg is "", from a budget.
type Spending struct {
	Budget string
	Arg    string
	Fixed  float64
}

// Tool is a deftool declaration: one schema for all callers, and data for act and
// recovery.
type Tool struct {
	Name       string
	Doc        string
	Params     []Param // in the order of writing
	Required   []string
	Tier       Tier
	Effect     Effect
	Idempotent bool
	Trusted    bool            // whether its whole output may steer later actions
	Fields     map[string]bool // the same by field of the output, where declared so
	Mixed      bool            // the output is trusted in part; only Fields says where
	// What follows is declared by the words of :class, :nouns and :roles; what is not
	// declared is taken from the name, the description and the parameters.
	Classes []string          // what kind of effect it has: "pay", "comm"
	Nouns   []string          // what its calls are about: "mail"
	Roles   map[string]string // what an argument steers: "principal", by its name
	Secret  []string          // arguments stored encrypted and shown redacted
	Spends  []Spending        // what one call adds to budgets
	Builtin bool              // part of Cortex, such as reply
	Source  sexpr.Value       // the definition, for messages and hashes
}
