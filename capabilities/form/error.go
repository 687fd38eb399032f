package form

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Error is one thing that is wrong with a capability.
type Error struct {
	File string    // as the caller named it
	Pos  sexpr.Pos // zero if the whole text is meant
	Text string    // what is wrong; lower case, no full stop
	Fix  string    // what would be right; "" if Text says it already
}

// Error prints "file:line:col: text; fix".
func (e *Error) Error() string {
	at := e.File
	if e.Pos.Line > 0 {
		at += ":" + e.Pos.String()
	}
	if e.Fix == "" {
		return at + ": " + e.Text
	}
	return at + ": " + e.Text + "; " + e.Fix
}

// maxErrors bounds what a hostile text makes us say.
const maxErrors = 200

// faults collects what is wrong with one file.
type faults struct {
	file string
	list []*Error
	more int
}

// add takes one mistake down. What stands behind "; " says what would be right.
func (f *faults) add(at sexpr.Pos, format string, args ...any) {
	if len(f.list) == maxErrors {
		f.more++
		return
	}
	text, fix, _ := strings.Cut(fmt.Sprintf(format, args...), "; ")
	f.list = append(f.list, &Error{File: f.file, Pos: at, Text: text, Fix: fix})
}

// rules takes down what the rule language says of conditions, clauses and types.
func (f *faults) rules(err error) {
	var list rules.ErrorList
	switch {
	case err == nil:
	case errors.As(err, &list):
		for _, e := range list {
			f.add(e.Pos, "%s", e.Msg)
		}
	default:
		f.add(sexpr.Pos{}, "%s", err)
	}
}

func (f *faults) none() bool { return len(f.list) == 0 }

// err joins what was collected, by place and without repetitions.
func (f *faults) err() error {
	slices.SortStableFunc(f.list, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	f.list = slices.CompactFunc(f.list, func(a, b *Error) bool { return *a == *b })
	all := make([]error, len(f.list))
	for i, e := range f.list {
		all[i] = e
	}
	if f.more > 0 {
		all = append(all, &Error{File: f.file, Text: fmt.Sprintf("and %d more errors", f.more)})
	}
	return errors.Join(all...)
}

// clip shortens a text of the file for a message.
func clip(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "..."
	}
	return s
}

// found names an unexpected value.
func found(v sexpr.Value) string {
	if text := v.String(); len(text) <= 60 {
		return text
	}
	return "a " + v.Kind().String()
}

// list writes names as a sentence does: a, b or c.
func list(names []string, and string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " " + and + " " + names[n-1]
	}
	return strings.Join(names, "")
}
