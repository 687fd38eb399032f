package index

import (
	"slices"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/sexpr/syntax"
	"github.com/opencortex-go/cortex/skills/facts"
)

// scope is what a condition may name besides what the files define.
type scope struct {
	tools  []string // the action is on one of these
	locals []local
}

// local is a name that let gives, or an argument of a defcondition.
type local struct{ name, of string }

// bind adds the local name that a node gives; it is seen inside of within.
func (r *reader) bind(s scope, n, within *syntax.Node) scope {
	name := n.Symbol(r.src)
	if name == "" {
		return s
	}
	l := local{name, strconv.Itoa(n.From)}
	r.mention(n, Name{Local, l.name, l.of}, true, within)
	s.locals = append(slices.Clone(s.locals), l)
	return s
}

// condition finds the names in a condition. Texts in expr's syntax are left alone.
func (r *reader) condition(n *syntax.Node, s scope) {
	if n == nil {
		return
	}
	switch n.Kind {
	case syntax.Atom:
		r.symbol(n, s)
	case syntax.List:
		r.call(n, s)
	default:
	}
}

// call finds the names in a form.
func (r *reader) call(n *syntax.Node, s scope) {
	data := n.Data()
	if len(data) == 0 {
		return
	}
	head, args := data[0].Symbol(r.src), data[1:]
	f, isFunction := r.lang.Function(head)
	_, _, isOperator := r.lang.Operator(head)
	switch {
	case head == "":
		args = data
	case head == "quote":
		return
	case head == "let" && len(args) > 0:
		r.let(args, s)
		return
	case isFunction:
		r.known(f, args)
	case isOperator:
		r.compared(args)
	default:
		r.mention(data[0], Name{Kind: Condition, Name: head}, false, nil)
	}
	for _, a := range args {
		r.condition(a, s)
	}
}

// let finds the names in (let ((name value)...) body): each value sees the names before.
func (r *reader) let(args []*syntax.Node, s scope) {
	for _, binding := range parts(args[0]) {
		pair := parts(binding)
		if len(pair) == 0 {
			continue
		}
		for _, v := range pair[1:] {
			r.condition(v, s)
		}
		s = r.bind(s, pair[0], args[0])
	}
	for _, a := range args[1:] {
		r.condition(a, s)
	}
}

// known takes down the arguments of a function that name tools and budgets.
func (r *reader) known(f facts.Function, args []*syntax.Node) {
	for i, p := range f.Params {
		if i >= len(args) || args[i].Kind != syntax.String && args[i].Kind != syntax.Atom {
			continue
		}
		_, key := args[i].Keyword(r.src)
		if !key && args[i].Kind != syntax.String {
			continue
		}
		switch p.Names {
		case facts.ATool:
			r.mention(args[i], Name{Kind: Tool, Name: r.text(args[i])}, false, nil)
		case facts.ABudget:
			r.mention(args[i], Name{Kind: Budget, Name: r.text(args[i])}, false, nil)
		case facts.Anything:
		}
	}
}

// compared takes down the strings that a .tool is compared with.
func (r *reader) compared(args []*syntax.Node) {
	if !slices.ContainsFunc(args, r.isTool) {
		return
	}
	for _, a := range args {
		for _, n := range append(parts(a), a) {
			if n.Kind == syntax.String {
				r.mention(n, Name{Kind: Tool, Name: r.text(n)}, false, nil)
			}
		}
	}
}

// isTool reports whether a node reads the tool of an action or a call.
func (r *reader) isTool(n *syntax.Node) bool { return strings.HasSuffix(n.Symbol(r.src), ".tool") }

// toolsOf returns the tools that a condition wants the action to be on.
func (r *reader) toolsOf(n *syntax.Node) []string {
	data := parts(n)
	if len(data) < 2 {
		return nil
	}
	switch data[0].Symbol(r.src) {
	case "and":
		for _, c := range data[1:] {
			if tools := r.toolsOf(c); tools != nil {
				return tools
			}
		}
	case "=", "in":
		if data[1].Symbol(r.src) != "action.tool" || len(data) < 3 {
			return nil
		}
		var out []string
		for _, n := range append(parts(data[2]), data[2]) {
			if n.Kind == syntax.String {
				out = append(out, r.text(n))
			}
		}
		return out
	}
	return nil
}

// symbol takes down a symbol that stands for a value.
func (r *reader) symbol(n *syntax.Node, s scope) {
	name := n.Symbol(r.src)
	if name == "" {
		return
	}
	segments := strings.Split(name, ".")
	for i := len(s.locals) - 1; i >= 0; i-- {
		if l := s.locals[i]; l.name == segments[0] {
			m := Mention{Name: Name{Local, l.name, l.of}, From: n.From, To: n.From + len(l.name)}
			r.file.Mentions = append(r.file.Mentions, m)
			return
		}
	}
	if len(segments) > 2 && segments[0] == "action" && segments[1] == "args" {
		r.param(n, segments[2], s)
	}
	_, _, operator := r.lang.Operator(name)
	if len(segments) == 1 && !operator && len(r.lang.Members(name)) == 0 && !slices.Contains(reserved(), name) {
		r.mention(n, Name{Kind: List, Name: name}, false, nil)
	}
}

// reserved are the words that stand for themselves.
func reserved() []string { return []string{"t", "nil", "false", "null", "{}", "it", "now"} }

// param takes down the name behind action.args.
func (r *reader) param(n *syntax.Node, name string, s scope) {
	const before = len("action.args.")
	rest := n.Text(r.src)
	if len(rest) <= before || strings.Contains(rest[:before], "|") {
		return // spelled in another way than it is shown
	}
	rest = rest[before:]
	end := strings.IndexByte(rest, '.')
	if strings.HasPrefix(rest, "|") {
		end = strings.IndexByte(rest[1:], '|') + 2
	}
	if end <= 0 {
		end = len(rest)
	}
	m := Mention{From: n.From + before, To: n.From + before + end}
	for _, tool := range append(s.tools[:len(s.tools):len(s.tools)], "")[:max(1, len(s.tools))] {
		m.Name = Name{Param, name, tool}
		r.file.Mentions = append(r.file.Mentions, m)
	}
}
