package source

import "github.com/opencortex-go/cortex/sexpr"

// Int is a whole number with its place.
type Int struct {
	N  int
	At sexpr.Pos
}

// Bool is a truth value with its place.
type Bool struct {
	B  bool
	At sexpr.Pos
}

// Data is a value of free shape.
type Data struct{ V sexpr.Value }

// Cond is a condition, as a form of the rule language; nil if there is none.
type Cond struct{ Form *sexpr.Value }

// Confirmation is requireConfirmation: true or false, a kind, or a condition.
type Confirmation struct {
	At   sexpr.Pos
	Kind string // "": none
	When Cond
}

// Count is how often a loop runs: a number, or the key of work that says so.
type Count struct {
	N   *Int
	Key Text
}

// Prose is a text in pieces: texts, and ids of snippets.
type Prose struct {
	At    sexpr.Pos
	Parts []Part
}

// Part is a text, or a snippet if Ref.S is set.
type Part struct{ Text, Ref Text }

// Proses are texts by name, sorted.
type Proses []NamedProse

// NamedProse is a text with a name.
type NamedProse struct {
	Name Text
	Is   Prose
}

// Texts are short texts by name, sorted.
type Texts []NamedText

// NamedText is a text with a name.
type NamedText struct{ Name, Is Text }

// Criteria is validationCriteria: one rule, a list of rules, or others put together.
type Criteria struct {
	At      sexpr.Pos
	Rule    *Rule
	And, Or []Criteria
	Not     *Criteria
}

// IsZero reports whether there are none.
func (c Criteria) IsZero() bool { return c.Rule == nil && c.And == nil && c.Or == nil && c.Not == nil }

// Body is the body of a loop: steps, or the id of a step of the workflow.
type Body struct {
	At    sexpr.Pos
	Ref   Text
	Steps []Step
}
