package lint

import "fmt"

// Finding is one rule that does not mean what it says.
type Finding struct {
	ID        string `json:"id"` // the class, one of those of [Classes]
	Rule      string `json:"rule,omitempty"`
	File      string `json:"file"`
	Line      int32  `json:"line"`
	Col       int32  `json:"col"`
	Text      string `json:"text"`                // what is wrong
	Right     string `json:"right"`               // what would be right
	Witness   string `json:"witness,omitempty"`   // an action that shows it, in the notation
	Answer    string `json:"answer,omitempty"`    // what the rules answered to the witness
	Condition string `json:"condition,omitempty"` // a form that holds and shows it, if a part of a condition does
}

// String prints "file:line:col: text [class]".
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d:%d: %s; %s [%s]", f.File, f.Line, f.Col, f.Text, f.Right, f.ID)
}

// Class is a kind of finding.
type Class struct{ ID, Doc, Example string }

// The classes.
const (
	dead          = "dead-clause"
	always        = "always-true"
	shadowed      = "shadowed-clause"
	contradictory = "contradictory-clauses"
	overlapping   = "overlapping-clauses"
	vain          = "allow-without-effect"
	flagOperand   = "flag-among-operands"
	relative      = "relative-pattern"
	letterCase    = "letter-case"
	written       = "written-path"
	missing       = "missing-field"
	costly        = "costly-pattern"
	noReason      = "silence-without-reason"
	idle          = "useless-silence"
	guessed       = "guessed-declaration"
)

// Classes returns every kind of finding, in the order of the documentation.
func Classes() []Class {
	return []Class{
		{dead, "No action meets the condition.",
			"`(and (> action.args.amount 100) (< action.args.amount 50))`"},
		{always, "Every action on the tool meets the condition.",
			"`(>= action.args.amount 0)` where the schema says so"},
		{shadowed, "A clause before it decides every action that it applies to.",
			"a clause behind a `deny` without `:when`"},
		{contradictory, "An `allow` applies only where a `deny` or an `ask` applies too, and these win.",
			"an `allow` and an `ask` of one condition"},
		{overlapping, "Two rewrites set an argument to different values for one action, or two asks put one question twice.",
			"two rewrites of `:limit`"},
		{vain, "The tier of the tool already decides, so an `allow` adds nothing.",
			"an `allow` for a tool with `:tier :allow`"},
		{flagOperand, "A flag is looked for among operands, which hold none.",
			"`(some it.operands (= it \"--force\"))`"},
		{relative, "A pattern of relative paths is held against paths, which are absolute.",
			"`(some (paths action) (glob-any? it (\"*.env\")))`"},
		{letterCase, "A text in one case is compared with a word in the other.",
			"`(= (host action.args.url) \"Evil.net\")`"},
		{written, "A place is compared with a path as it is written, so that a link leads around the rule.",
			"`(under? action.args.path \"/srv\")`, where `(some (leads action.args.path) (under? it \"/srv\"))` is meant"},
		{missing, "The condition reads an argument that a call may leave out; such a call gets an error.",
			"`(> action.args.timeout 60)`"},
		{costly, "A pattern repeats so much that a long text takes seconds.",
			"`(matches? action.args.note \"([a-z]+ ){500,900}!\")`"},
		{noReason, "A comment silences lint and gives no reason.", "`; lint: dead-clause`"},
		{idle, "A comment silences a finding that is not there.", "`; lint: dead-clause because ...`"},
		{guessed, "A drafted declaration has a guess that a person has not reviewed.",
			"`; guessed: a read, from the verb \"list\"`"},
	}
}
