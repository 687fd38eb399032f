package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// Error is one thing that is wrong with a workflow.
type Error struct {
	File string    // as the caller named it
	Pos  sexpr.Pos // zero if the whole text is meant
	Msg  string    // what is wrong and what would be right; lower case, no full stop
	Err  error     // the cause, or nil
}

// Error prints "file:line:col: msg".
func (e *Error) Error() string {
	if e.Pos.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%s: %s", e.File, e.Pos, e.Msg)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrorList is everything that is wrong with a workflow, by place. It is never empty.
type ErrorList []*Error

// Error prints one error a line.
func (l ErrorList) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors.
func (l ErrorList) Unwrap() []error {
	out := make([]error, len(l))
	for i, e := range l {
		out[i] = e
	}
	return out
}

// maxErrors bounds what a hostile text makes us say.
const maxErrors = 200

// Faults collects what is wrong with one text.
type Faults struct {
	File string
	list ErrorList
	more int
}

// Add takes one mistake down.
func (f *Faults) Add(at sexpr.Pos, cause error, format string, args ...any) {
	if len(f.list) == maxErrors {
		f.more++
		return
	}
	f.list = append(f.list, &Error{File: f.File, Pos: at, Msg: fmt.Sprintf(format, args...), Err: cause})
}

// None reports whether nothing is wrong so far.
func (f *Faults) None() bool { return len(f.list) == 0 }

// Err returns an [ErrorList] by place without repetitions, or nil.
func (f *Faults) Err() error {
	if len(f.list) == 0 {
		return nil
	}
	slices.SortStableFunc(f.list, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	f.list = slices.CompactFunc(f.list, func(a, b *Error) bool { return a.Pos == b.Pos && a.Msg == b.Msg })
	if f.more > 0 {
		f.list = append(f.list, &Error{File: f.File, Msg: fmt.Sprintf("and %d more errors", f.more)})
		f.more = 0
	}
	return f.list
}
