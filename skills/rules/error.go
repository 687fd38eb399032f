package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
)

// Error is one thing that is wrong with a rule file.
type Error struct {
	File string    // slash path, below its root
	Pos  sexpr.Pos // where in the file; zero if the file as a whole is meant
	Msg  string    // what is wrong and what would be right; lower case, no full stop
	Err  error     // the cause, or nil

	line string  // the line of the file, for Caret
	src  *source // for the order
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

// Caret draws the line in question and a caret under the place, as two lines
// without an end; "" if the place is not known.
func (e *Error) Caret() string {
	if e.line == "" || e.Pos.Col < 1 {
		return ""
	}
	line := strings.ReplaceAll(e.line, "\t", " ")
	col := min(int(e.Pos.Col)-1, utf8.RuneCountInString(line))
	const width = 120 // a longer line is shown around the place
	if r := []rune(line); len(r) > width {
		from := max(0, min(col-width/2, len(r)-width))
		line, col = string(r[from:from+width]), col-from
	}
	return "  " + line + "\n  " + strings.Repeat(" ", col) + "^"
}

// ErrorList is everything that is wrong with a load, by file and place. It is
// never empty.
type ErrorList []*Error

// Error prints one error a line.
func (l ErrorList) Error() string {
	var b strings.Builder
	for i, e := range l {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

// Unwrap returns the errors.
func (l ErrorList) Unwrap() []error {
	out := make([]error, len(l))
	for i, e := range l {
		out[i] = e
	}
	return out
}

// sort orders errors by file and place.
func (l ErrorList) sort(order map[*source]int) {
	slices.SortStableFunc(l, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(order[a.src], order[b.src]), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
}

// Unjudged is the error of a condition that could not be judged: something it
// reads is not there, not known or of the wrong kind. Its text may be shown to a
// model.
type Unjudged = condition.Unjudged

// ErrUnknown is the cause of an [Error] about a name that nothing has.
var ErrUnknown = condition.ErrUnknown

// maxErrors bounds how much a hostile or generated file makes us say.
const maxErrors = 200

// faults collects errors while loading.
type faults struct {
	list     ErrorList
	warnings ErrorList // of what loads all the same
	more     int
	// broken says that a file could not be read, so that names may be missing
	// through no fault of who uses them.
	broken bool
}

func (f *faults) add(src *source, p sexpr.Pos, cause error, format string, args ...any) {
	if len(f.list) == maxErrors {
		f.more++
		return
	}
	e := &Error{File: src.path, Pos: p, Msg: fmt.Sprintf(format, args...), Err: cause, line: src.line(p), src: src}
	if src.linked && p.Line > 0 {
		e.Msg, e.Err = "this is wrong in the file that a link leads to; check that file itself to see what", nil
	}
	f.list = append(f.list, e)
}

// warn takes down what loads, and should be written otherwise.
func (f *faults) warn(src *source, p sexpr.Pos, format string, args ...any) {
	if len(f.warnings) < maxErrors && !src.linked {
		f.warnings = append(f.warnings,
			&Error{File: src.path, Pos: p, Msg: fmt.Sprintf(format, args...), line: src.line(p), src: src})
	}
}

func (f *faults) count() int { return len(f.list) + f.more }

// enough says that so much is wrong that looking on does not help.
func (f *faults) enough() bool { return f.more > 4*maxErrors }

// err returns what was collected, in order and without repetitions; nil if
// nothing was.
func (f *faults) err(order map[*source]int) error {
	if len(f.list) == 0 {
		return nil
	}
	f.list.sort(order)
	f.list = slices.CompactFunc(f.list, func(a, b *Error) bool {
		return a.src == b.src && a.Pos == b.Pos && a.Msg == b.Msg
	})
	if f.more > 0 {
		last := f.list[len(f.list)-1]
		f.list = append(f.list, &Error{File: last.File, Msg: fmt.Sprintf("and %d more errors", f.more)})
	}
	return f.list
}
