package index

import (
	"cmp"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr/syntax"
)

// Read finds the names in the text of a rule file, right or not.
func Read(src string, lang Language) *File {
	r := reader{src: src, lang: lang, file: &File{Src: src, Root: syntax.Read(src)}}
	for _, form := range r.file.Root.Kids {
		if form.Kind == syntax.List {
			r.definition(form)
		}
	}
	slices.SortStableFunc(r.file.Mentions, func(a, b Mention) int { return cmp.Compare(a.From, b.From) })
	return r.file
}

type reader struct {
	src  string
	lang Language
	file *File
}

// mention takes down a name at a node that spells it.
func (r *reader) mention(n *syntax.Node, name Name, defines bool, whole *syntax.Node) {
	m := Mention{Name: name, From: n.From, To: n.To, Defines: defines, Whole: whole}
	switch {
	case n.Kind == syntax.String:
		m.From, m.To, m.Form = n.From+1, n.To-1, InString
	case r.src[n.From] == ':':
		m.Form = InKeyword
	}
	r.file.Mentions = append(r.file.Mentions, m)
}

// text returns what a symbol, string or keyword says, or "".
func (r *reader) text(n *syntax.Node) string {
	v, ok := n.Value(r.src)
	if !ok {
		return ""
	}
	return v.Text()
}

// definition reads one top-level form.
func (r *reader) definition(form *syntax.Node) {
	parts := form.Data()
	if len(parts) < 2 {
		return
	}
	name := r.text(parts[1])
	keys := func(from int) map[string]*syntax.Node { return Plist(r.src, parts, from) }
	define := func(kind Kind, of string) { r.mention(parts[1], Name{kind, name, of}, true, form) }
	switch form.Head(r.src) {
	case "include":
		r.mention(parts[1], Name{Kind: Included, Name: name}, false, nil)
	case "deftool":
		define(Tool, "")
		r.schema(name, keys(2))
	case "deflist":
		define(List, "")
	case "defskill":
		define(Skill, "")
		r.skill(name, keys(2))
	case "definvariant":
		define(Invariant, "")
		k := keys(2)
		s := scope{tools: r.toolsOf(k["when"])}
		r.condition(k["when"], s)
		r.condition(k["holds"], s)
	case "defmodels":
		define(Models, "")
		r.condition(keys(2)["when"], scope{})
	case "defcondition":
		define(Condition, "")
		r.named(parts)
	case "defexample":
		r.example(keys(2))
	}
}

// Plist returns the values of the keywords that stand at the places of keys from part
// from on.
func Plist(src string, parts []*syntax.Node, from int) map[string]*syntax.Node {
	out := map[string]*syntax.Node{}
	for i := from; i+1 < len(parts); i += 2 {
		key, ok := parts[i].Keyword(src)
		if !ok {
			i-- // one that is being written
			continue
		}
		if out[key] == nil {
			out[key] = parts[i+1]
		}
	}
	return out
}

// parts returns the data of a list, and none of anything else.
func parts(n *syntax.Node) []*syntax.Node {
	if n == nil || n.Kind != syntax.List {
		return nil
	}
	return n.Data()
}

// schema reads the parameters of a tool, and what names them.
func (r *reader) schema(tool string, keys map[string]*syntax.Node) {
	params := parts(keys["params"])
	for i := 0; i < len(params); i += 2 {
		if name, ok := params[i].Keyword(r.src); ok {
			r.mention(params[i], Name{Param, name, tool}, true, keys["params"])
		}
	}
	for _, list := range []string{"required", "secret"} {
		for _, n := range parts(keys[list]) {
			r.keyword(n, Param, tool)
		}
	}
	r.arguments(keys["roles"], []string{tool})
	spends := parts(keys["spends"])
	for i, n := range spends {
		if name, ok := n.Keyword(r.src); ok && i%2 == 0 {
			r.mention(n, Name{Kind: Budget, Name: name}, true, keys["spends"])
		} else {
			r.keyword(n, Param, tool)
		}
	}
}

// keyword takes down a keyword that names something.
func (r *reader) keyword(n *syntax.Node, kind Kind, of string) {
	if name, ok := n.Keyword(r.src); ok {
		r.mention(n, Name{kind, name, of}, false, nil)
	}
}

// skill reads the trigger and the clauses of a skill.
func (r *reader) skill(skill string, keys map[string]*syntax.Node) {
	s := scope{tools: r.toolsOf(keys["trigger"])}
	r.condition(keys["trigger"], s)
	for _, clause := range parts(keys["gate"]) {
		data := parts(clause)
		if len(data) < 2 {
			continue
		}
		r.mention(data[1], Name{Clause, r.text(data[1]), skill}, true, clause)
		k := Plist(r.src, data, 2)
		s := s
		if len(s.tools) == 0 {
			s.tools = r.toolsOf(k["when"])
		}
		r.condition(k["when"], s)
		r.arguments(k["set"], s.tools)
	}
}

// arguments takes down the keys of a plist of arguments.
func (r *reader) arguments(n *syntax.Node, tools []string) {
	if len(tools) == 0 {
		tools = []string{""}
	}
	for i, key := range parts(n) {
		if i%2 == 0 {
			for _, tool := range tools {
				r.keyword(key, Param, tool)
			}
		}
	}
}

// named reads the arguments and the condition of a defcondition.
func (r *reader) named(parts []*syntax.Node) {
	if len(parts) < 3 || parts[2].Kind != syntax.List {
		return
	}
	var s scope
	for _, n := range parts[2].Data() {
		s = r.bind(s, n, parts[2])
	}
	for _, n := range parts[3:] {
		if n.Kind == syntax.List {
			s.tools = r.toolsOf(n)
		}
		r.condition(n, s)
	}
}

// example reads the names in a defexample.
func (r *reader) example(keys map[string]*syntax.Node) {
	r.action(keys["action"])
	for _, call := range parts(Plist(r.src, parts(keys["session"]), 0)["calls"]) {
		r.action(call)
	}
	expect := parts(keys["expect"])
	if len(expect) > 1 {
		r.reason(expect[1])
	}
}

// action reads a proposal: its tool, and its arguments.
func (r *reader) action(n *syntax.Node) {
	p := Plist(r.src, parts(n), 0)
	if payload := p["payload"]; payload != nil {
		p = Plist(r.src, parts(payload), 0)
	}
	tool := p["tool"]
	if tool == nil {
		return
	}
	name := r.text(tool)
	r.mention(tool, Name{Kind: Tool, Name: name}, false, nil)
	r.arguments(p["args"], []string{name})
}

// reason reads the key of a reason: skill/clause, invariant/name or tier/tool, and /error
// behind it.
func (r *reader) reason(n *syntax.Node) {
	first, rest, ok := strings.Cut(r.text(n), "/")
	if !ok {
		return
	}
	name, _, _ := strings.Cut(rest, "/")
	from, form := n.From, InSymbol
	if n.Kind == syntax.String {
		from, form = from+1, InString
	}
	at := from + len(first) + 1
	if n.Kind == syntax.Atom && strings.Contains(n.Text(r.src), "|") || at+len(name) > n.To {
		return // spelled in another way than it is shown
	}
	second := Mention{From: at, To: at + len(name), Form: form}
	switch first {
	case "tier":
		second.Name = Name{Kind: Tool, Name: name}
	case "invariant":
		second.Name = Name{Kind: Invariant, Name: name}
	default:
		second.Name = Name{Clause, name, first}
		r.file.Mentions = append(r.file.Mentions,
			Mention{Name: Name{Kind: Skill, Name: first}, From: from, To: at - 1, Form: form})
	}
	r.file.Mentions = append(r.file.Mentions, second)
}
