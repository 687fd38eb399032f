package form

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
)

var (
	testMembers = []member{
		{"inputs", "keys and values", false}, {"facts", "keys and values", false},
		{"stubs", "names of steps with stubs", false}, {"expect", "object", true},
	}
	stubMembers = []member{
		{"text", "text", false}, {"result", "keys and values", false}, {"error", "text", false},
	}
	expectMembers = []member{
		{"status", "`:ok`, `:partial_failure` or `:refused`", false}, {"outputs", "keys and values", false},
		{"steps", "texts", false},
	}
	factMembers = []member{{name: "ctx"}, {name: "env"}, {name: "work"}, {name: "policy"}}
	fuzzMembers = []member{{"count", "whole number", false}, {"mutations", "texts", false}}
	rateMembers = []member{{"unit", "number, 0 to 1", false}, {"fuzz", "number, 0 to 1", false}}
)

// Mutations are the ways in which cases are made up out of unit cases: a required input is left out,
// an input has the wrong type, an input has a value that tries to be more than one, or the named
// input has another value of its type, "alt_app".
func Mutations(inputs []Field) []string {
	all := []string{"missing_slot", "wrong_type", "hostile"}
	for _, in := range inputs {
		all = append(all, "alt_"+in.Name)
	}
	return all
}

// tests reads unit cases, what is made up, and the rates that must be reached.
func (c *Capability) tests(o object) {
	for _, v := range o.items("tests", `cases such as (name :inputs (...) :expect (...)), or files`) {
		if v.Kind() == sexpr.String {
			c.Tests = append(c.Tests, Test{File: c.file(o, v)})
			continue
		}
		t, ok := c.test(o, v)
		if !ok {
			continue
		}
		if slices.ContainsFunc(c.Tests, func(x Test) bool { return x.Name == t.Name }) {
			o.add(v.Pos(), "there are two tests %s; give this one another name", t.Name)
		}
		c.Tests = append(c.Tests, t)
	}
	if v, ok := o.get("fuzz"); ok {
		p := o.object(v, ":fuzz", fuzzMembers)
		c.Fuzz = Fuzz{Count: int(p.whole("count", 0, 1e6)), Mutations: p.texts("mutations")}
		for _, m := range c.Fuzz.Mutations {
			if all := Mutations(c.Inputs); !slices.Contains(all, m) {
				o.add(v.Pos(), "unknown mutation %q, expected %s%s", clip(m), list(all, "or"), spell.DidYouMean(m, all))
			}
		}
	}
	if v, ok := o.get("rates"); ok {
		p := o.object(v, ":rates", rateMembers)
		c.MinRate = Rates{Unit: p.number("unit", 0, 1), Fuzz: p.number("fuzz", 0, 1)}
	}
}

// file reads the name of a file with a case, which lies below the plan's folder.
func (c *Capability) file(o object, v sexpr.Value) string {
	name := v.Text()
	if name == "" || len(name) > 256 || strings.HasPrefix(name, "/") || strings.ContainsAny(name, "\\\x00") ||
		slices.Contains(strings.Split(name, "/"), "..") {
		o.add(v.Pos(), "%q cannot be a file of tests; write a path below the folder of the plan", clip(name))
	}
	return name
}

// test reads (name :inputs (...) :facts (...) :stubs (:step (:text "...")) :expect (:status :ok)).
func (c *Capability) test(o object, v sexpr.Value) (t Test, ok bool) {
	items := v.Items()
	if len(items) == 0 || items[0].Kind() != sexpr.Symbol && items[0].Kind() != sexpr.String ||
		!nameShape.MatchString(items[0].Text()) {
		o.add(v.Pos(), "found %s, expected a test such as (name :inputs (...) :expect (:status :ok))", found(v))
		return t, false
	}
	t.Name = items[0].Text()
	p := object{faults: o.faults, what: "test " + t.Name, at: v.Pos(), has: map[string]sexpr.Value{}}
	p.take(items[1:], testMembers)
	t.Inputs, t.Facts = p.data("inputs"), p.data("facts")
	o.object(t.Facts, "the :facts of test "+t.Name, factMembers)
	names, values := p.pairs("stubs", "a stub such as (:text \"...\")")
	for i, n := range names {
		c.mustBeStep(o, n, n.Text())
		s := o.object(values[i], "the stub of "+n.Text(), stubMembers)
		stub := Stub{Step: n.Text(), Text: s.text("text", 64<<10), Error: s.text("error", 500)}
		if _, ok := s.get("result"); ok {
			stub.Result = s.data("result")
		}
		t.Stubs = append(t.Stubs, stub)
	}
	if v, ok := p.get("expect"); ok {
		e := o.object(v, "the :expect of test "+t.Name, expectMembers)
		t.Expect = Expect{Status: e.oneOf("status", "ok", "partial_failure", "refused"), Steps: e.texts("steps")}
		if _, ok := e.get("outputs"); ok {
			t.Expect.Outputs = e.data("outputs")
		}
		for _, name := range t.Expect.Steps {
			c.mustBeStep(o, v, name)
		}
	}
	return t, true
}

func (c *Capability) mustBeStep(o object, at sexpr.Value, name string) {
	var names []string
	for _, s := range c.Steps {
		names = append(names, s.Name)
	}
	if !slices.Contains(names, name) {
		o.add(at.Pos(), "the plan has no step %s%s", clip(name), spell.DidYouMean(name, names))
	}
}
