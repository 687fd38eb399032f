package facts

import "github.com/opencortex-go/cortex/sexpr"

// Lookup answers what is not in the action and the facts: where a symbolic link
// leads, whether a vault holds a value. Whoever decides passes it, and records
// each call, so that a replay gets the same answers.
//
// Ask returns the result of one look-up as a value that records can hold.
// Function names it, such as "realpath"; an error counts as unknown. No
// function of [Core] asks: without a Lookup, nothing leaves the process.
type Lookup interface {
	Ask(function string, args ...sexpr.Value) (sexpr.Value, error)
}

// Looked is one look-up as it was recorded: the digest of its arguments stands
// for them.
type Looked struct {
	Function string
	Args     sexpr.Digest
	Result   sexpr.Value
	Err      string // "" if it was answered
}
