package rules

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// Found is what was decided on an example.
type Found struct {
	Kind, Key string      // "allow", "ask" or "deny", and the key of the reason
	Reason    string      // the text of the reason; "" for an action that a tier allows
	Args      sexpr.Value // after all rewrites
	Hint      sexpr.Value // the edit that mends a denial; nil: none
	Passed    []string    // the clauses that were asked in the last round and had nothing to say
}

// wanted is what an example says of its decision.
type wanted struct {
	kind, key string // key "" is any
	args      *sexpr.Value
	reason    *string
	hint      *sexpr.Value // nil is none
	passed    []string
}

// Difference is one thing in which a decision is not what its example says.
type Difference struct {
	What            string // "decision", "arguments", "reason", "hint" or "passed"
	Found, Expected string
}

// Expected returns the kind of decision that the example expects, and its key; "" is any.
func (e *Example) Expected() (kind, key string) { return e.want.kind, e.want.key }

// ExpectedToPass returns the clauses that the example wants asked, with nothing to say.
func (e *Example) ExpectedToPass() []string { return e.want.passed }

// Wrong returns in what a decision differs from the example; nothing if it holds.
func (e *Example) Wrong(f Found) (out []Difference) {
	w := &e.want
	if f.Kind != w.kind || w.key != "" && f.Key != w.key {
		out = append(out, Difference{"decision", "(" + f.Kind + " " + f.Key + ")",
			"(" + strings.TrimSpace(w.kind+" "+w.key) + ")"})
	}
	if w.args != nil && !sameArgs(f.Args, *w.args) {
		out = append(out, Difference{"arguments", inOrder(f.Args), inOrder(*w.args)})
	}
	if w.reason != nil && f.Reason != *w.reason {
		out = append(out, Difference{"reason", sexpr.Str(f.Reason).String(), sexpr.Str(*w.reason).String()})
	}
	if w.hint != nil && !sexpr.Equal(f.Hint, *w.hint) {
		out = append(out, Difference{"hint", f.Hint.String(), w.hint.String()})
	}
	for _, id := range w.passed {
		if !slices.Contains(f.Passed, id) {
			out = append(out, Difference{"passed", "(" + strings.Join(f.Passed, " ") + ")", id + " among them"})
		}
	}
	return out
}

// inOrder writes arguments with their keys in one order, so that two can be compared.
func inOrder(args sexpr.Value) string {
	if text, err := sexpr.Canonical(args); err == nil {
		return text
	}
	return args.String()
}

func listed(wrong []Difference) string {
	var parts []string
	for _, d := range wrong {
		what := ""
		if d.What != "decision" {
			what = " in its " + d.What
			if d.What == "passed" {
				what = " as what passed"
			}
		}
		parts = append(parts, "found "+d.Found+what+", expected "+d.Expected)
	}
	return strings.Join(parts, "; ")
}

// sameArgs compares arguments whatever the order of their keys.
func sameArgs(a, b sexpr.Value) bool {
	if a.IsNil() || b.IsNil() || a.IsSym("{}") || b.IsSym("{}") {
		return a.Len() == b.Len()
	}
	x, err := sexpr.Canonical(a)
	if err != nil {
		return false
	}
	y, err := sexpr.Canonical(b)
	return err == nil && x == y
}

// wants reads what an example expects.
func (d *definitions) wants(f *fields, e *Example) bool {
	expect, _ := f.get("expect")
	items := expect.Items()
	kinds := []string{"allow", "ask", "deny"}
	if len(items) < 1 || len(items) > 2 || items[0].Kind() != sexpr.Symbol || !contains(kinds, items[0].Text()) {
		f.fault("expect", "(allow), (ask) or (deny), with a key if it matters: (deny skill/clause)")
		return false
	}
	e.want.kind = items[0].Text()
	if len(items) == 2 {
		e.want.key = items[1].Text()
		if !e.names(e.want.key) {
			d.checkKey(f.src, items[1])
		}
	}
	if v, ok := f.get("args"); ok {
		if v = f.object("args"); v.IsNil() {
			v = sexpr.EmptyObject()
		}
		e.want.args = &v
	}
	if _, ok := f.get("reason"); ok {
		text := f.text("reason")
		e.want.reason = &text
	}
	if v, ok := f.get("hint"); ok {
		if at, _ := v.Get("at"); !v.IsNil() && (v.Len() != 4 || at.Len() == 0) {
			f.fault("hint", `an edit such as (:at ("amount") :set 500), or nil for none`)
		}
		e.want.hint = &v
	}
	passed, ok := f.get("passed")
	if ok && (passed.Kind() != sexpr.List || passed.Len() == 0) {
		f.fault("passed", "a list of clauses such as (skill/clause)")
	}
	for _, v := range passed.Items() {
		d.checkKey(f.src, v)
		e.want.passed = append(e.want.passed, v.Text())
	}
	return true
}
