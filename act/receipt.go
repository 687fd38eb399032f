package act

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/sexpr"
)

// State is the outcome of an effect.
type State string

// The states of a receipt. The zero State is not valid.
const (
	Done    State = "done"    // it happened
	Failed  State = "failed"  // it was tried and reported an error; it may have happened in part
	Nothing State = "nothing" // it certainly did not happen, and spends nothing
	Unknown State = "unknown" // the outcome is not known: in doubt
)

// Receipt is what an actuator reports after an effect.
type Receipt struct {
	State  State
	Result sexpr.Value // typed output for rules and replay; nil for none
	Text   string      // output for the model and the user
	Error  string      // what went wrong, for the model and the user
	Took   time.Duration
	Cut    bool    // the caller saw more than Result, Text and Error hold
	Cost   float64 // US dollars that the effect cost, as the tool reports it; 0 for none or unknown
}

const (
	// maxText bounds Text and Error of a receipt, in bytes.
	maxText = 4 << 20
	// maxResult bounds the canonical text of a Result, in bytes.
	maxResult = 16 << 20
)

// Valid returns an error if the receipt's state is not one of the four, its result has no
// canonical form, or its cost is negative or infinite.
func (r Receipt) Valid() error {
	switch r.State {
	case Done, Failed, Nothing, Unknown:
	default:
		return fmt.Errorf("act: receipt with state %q, expected done, failed, nothing or unknown", r.State)
	}
	if err := storable(r.Result); err != nil {
		return fmt.Errorf("act: result of the receipt: %w", err)
	}
	if !amount(r.Cost) {
		return fmt.Errorf("act: receipt with a cost of %v dollars", r.Cost)
	}
	return nil
}

func storable(v sexpr.Value) error {
	if v.IsNil() {
		return nil
	}
	if err := sexpr.CheckJSON(v); err != nil {
		return err
	}
	text, err := sexpr.Canonical(v)
	if err == nil && len(text) > maxResult {
		err = fmt.Errorf("%d bytes long, expected at most %d", len(text), maxResult)
	}
	return err
}

// Show returns a tool's receipt as the user and the model see it: its text, or
// else "TOOL [name] RESULT: ..." or "ERROR [name]: ...".
func (r Receipt) Show(tool string) string {
	switch {
	case r.Text != "":
		return r.Text
	case r.State != Done:
		return fmt.Sprintf("ERROR [%s]: %s", tool, r.message())
	case r.Result.IsNil():
		return fmt.Sprintf("TOOL [%s] RESULT: done", tool)
	}
	return fmt.Sprintf("TOOL [%s] RESULT: %s", tool, r.Result)
}

// message is the error text, or a default one.
func (r Receipt) message() string {
	switch {
	case r.Text != "":
		return r.Text
	case r.Error != "":
		return r.Error
	case r.State == Nothing:
		return "nothing was done"
	case r.State == Unknown:
		return "it is not known whether it happened"
	}
	return "it failed and did not say why"
}

func amount(dollars float64) bool { return dollars >= 0 && !math.IsInf(dollars, 1) }

// tidy makes a receipt that any record can hold. A tool's result may be too long
// or have no canonical form; the record must still say that the tool ran. A cost below zero or
// without end makes a failure of what was done, since a budget cannot count it.
func (r Receipt) tidy() Receipt {
	if !amount(r.Cost) {
		r.Error = strings.TrimPrefix(fmt.Sprintf("%s; a cost of %v dollars was reported", r.Error, r.Cost), "; ")
		if r.Cost = 0; r.State == Done {
			r.State = Failed
		}
	}
	r.Cut = r.Cut || len(r.Text) > maxText || len(r.Error) > maxText
	r.Text, r.Error = bounded(printable(r.Text)), bounded(printable(r.Error))
	if err := storable(r.Result); err != nil {
		r.Result, r.Cut = sexpr.Nil(), true
		if r.Error != "" {
			r.Error += "; "
		}
		r.Error += bounded(printable("the typed result was left out: " + err.Error()))
	}
	return r
}

func bounded(s string) string {
	if len(s) <= maxText {
		return s
	}
	cut := maxText
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + fmt.Sprintf("\n... (text truncated to %d bytes)", cut)
}

// printable replaces characters that strings of the notation may not hold:
// invalid UTF-8, NUL and byte order marks.
func printable(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !strings.ContainsAny(s, "\x00\uFEFF") {
		return s
	}
	return strings.NewReplacer("\x00", "\uFFFD", "\uFEFF", "\uFFFD").Replace(s)
}
