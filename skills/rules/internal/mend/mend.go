// Package mend reads the conditions of a rule that asks for a hint. It finds the
// arguments that they look at, and the rule's own words about each: what an edit that
// mends a denial may be made of.
//
// A word of a rule belongs to the arguments that stand in the same form as it, or in the
// nearest form around that. So "/work" in (under? action.args.path "/work") is for :path
// alone, and a word that is compared with a fact is for no argument.
package mend

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Names is what the names in conditions stand for. The conditions have been compiled, so
// that no definition uses itself.
type Names struct {
	List       func(name string) ([]sexpr.Value, bool)
	Definition func(name string) (params []sexpr.Value, body sexpr.Value, ok bool)
	Origin     func(function string) bool // whether it asks where a value came from
}

// Read reads the conditions of one rule. origin is a function about origin that one of
// them calls, or "".
func Read(names Names, conditions ...sexpr.Value) (m *skills.Mend, origin string) {
	r := reader{names: names, mend: &skills.Mend{}}
	for _, c := range conditions {
		r.claim("", r.form(c, nil))
	}
	return r.mend, r.origin
}

type reader struct {
	names  Names
	mend   *skills.Mend
	origin string
}

// seen is what a form mentions: arguments, as [skills.Part] names them, and words that no
// argument has claimed yet.
type seen struct {
	args  []string
	words []sexpr.Value
}

func (s *seen) add(o seen) {
	s.args = append(s.args, o.args...)
	s.words = append(s.words, o.words...)
}

// scope is what local names stand for.
type scope map[string]seen

func (s scope) with(name string, what seen) scope {
	out := scope{name: what}
	for k, v := range s {
		if k != name {
			out[k] = v
		}
	}
	return out
}

func (r *reader) form(v sexpr.Value, in scope) seen {
	switch v.Kind() {
	case sexpr.String, sexpr.Int, sexpr.Float:
		return seen{words: []sexpr.Value{v}}
	case sexpr.Keyword: // in a condition, the string of its name
		return seen{words: []sexpr.Value{sexpr.Str(v.Text())}}
	case sexpr.Symbol:
		return r.symbol(v.Text(), in)
	case sexpr.List:
	}
	items := v.Items()
	if len(items) == 0 {
		return seen{}
	}
	if items[0].Kind() != sexpr.Symbol {
		return r.all(items, in)
	}
	return r.call(items[0].Text(), items[1:], in)
}

func (r *reader) all(items []sexpr.Value, in scope) (out seen) {
	for _, x := range items {
		out.add(r.form(x, in))
	}
	return out
}

// symbol is what a name mentions.
func (r *reader) symbol(name string, in scope) seen {
	first, rest, dotted := strings.Cut(name, ".")
	if local, ok := in[first]; ok {
		if !dotted || first == "it" {
			return local
		}
		out := seen{}
		for _, a := range local.args {
			out.args = append(out.args, strings.TrimPrefix(a+"."+rest, "."))
		}
		return out
	}
	switch {
	case name == "action", name == "action.args", name == "action.text":
		return seen{args: []string{""}}
	case strings.HasPrefix(name, "action.args."):
		return seen{args: []string{strings.TrimPrefix(name, "action.args.")}}
	}
	items, _ := r.names.List(name)
	return seen{words: items}
}

// call is what a form mentions that begins with a name.
func (r *reader) call(head string, args []sexpr.Value, in scope) (out seen) {
	if r.origin == "" && r.names.Origin(head) {
		r.origin = head
	}
	params, body, defined := r.names.Definition(head)
	switch {
	case head == "quote":
		return r.all(slices.Concat(lists(args)...), in)
	case defined && len(params) == len(args):
		return r.definition(params, body, args, in)
	case head == "let" && len(args) == 2:
		return r.let(args, in)
	case loops(head) && len(args) > 0:
		over := r.form(args[0], in)
		out.add(over)
		out.add(r.all(args[1:], in.with("it", over)))
	case absent(head) && len(args) > 1 && args[0].IsSym("action.args") && args[1].Kind() == sexpr.String:
		out.args = append(out.args, args[1].Text())
		out.add(r.all(args[2:], in))
	case head == "if" && len(args) > 0:
		out.args = r.form(args[0], in).args
		out.add(r.all(args[1:], in))
	case sinceCalls(head):
		out.add(r.all(args, in.with("it", seen{})))
	default:
		out.add(r.all(args, in))
	}
	if connects(head) {
		out.words = nil // each operand is a test of its own
	}
	return r.claim(head, out)
}

// lists are the elements of each of some lists.
func lists(of []sexpr.Value) (out [][]sexpr.Value) {
	for _, v := range of {
		out = append(out, v.Items())
	}
	return out
}

// definition reads a named condition where it is used.
func (r *reader) definition(params []sexpr.Value, body sexpr.Value, args []sexpr.Value, in scope) (out seen) {
	own := scope{}
	for i, p := range params {
		s := r.form(args[i], in)
		out.args = append(out.args, s.args...)
		own[p.Text()] = s
	}
	out.args = append(out.args, r.form(body, own).args...)
	return out
}

func (r *reader) let(args []sexpr.Value, in scope) (out seen) {
	for _, b := range args[0].Items() {
		if b.Len() == 2 {
			s := r.form(b.Items()[1], in)
			out.args = append(out.args, s.args...)
			in = in.with(b.Items()[0].Text(), s)
		}
	}
	out.add(r.form(args[1], in))
	return out
}

// claim gives the words of a form to the arguments in it, if there are any.
func (r *reader) claim(head string, s seen) seen {
	for _, at := range s.args {
		i := slices.IndexFunc(r.mend.Parts, func(p skills.Part) bool { return p.At == at })
		if i < 0 {
			i = len(r.mend.Parts)
			r.mend.Parts = append(r.mend.Parts, skills.Part{At: at})
		}
		for _, w := range s.words {
			put(&r.mend.Parts[i], w, wholes(head))
		}
	}
	if len(s.args) > 0 {
		s.words = nil
	}
	return s
}

// put adds a word of a rule to a part, once. A string may stand whole where the rule
// compares whole values.
func put(p *skills.Part, w sexpr.Value, whole bool) {
	if w.Kind() == sexpr.String && !slices.Contains(p.Words, w.Text()) {
		p.Words = append(p.Words, w.Text())
	}
	if w.Kind() == sexpr.String && !whole {
		return
	}
	if !slices.ContainsFunc(p.Values, func(x sexpr.Value) bool { return sexpr.Equal(x, w) }) {
		p.Values = append(p.Values, w)
	}
}

func wholes(head string) bool {
	return slices.Contains([]string{"=", "/=", "in", "domain-in?"}, head)
}

func connects(head string) bool {
	return slices.Contains([]string{"and", "or", "not", "some-call-since", "no-call-since"}, head)
}

func sinceCalls(head string) bool { return head == "some-call-since" || head == "no-call-since" }

func absent(head string) bool { return slices.Contains([]string{"has?", "missing?", "get"}, head) }

func loops(head string) bool {
	return slices.Contains([]string{
		"some", "every", "none", "every-or-empty", "none-or-empty", "count", "filter", "map", "sum",
	}, head)
}
