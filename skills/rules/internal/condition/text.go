package condition

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules/internal/teach"
)

// Bounds of a condition that is written as text. They are checked before expr
// sees it: its parser recurses, and a deep enough text would end the process.
const (
	MaxText      = 4 << 10
	maxTextDepth = 64
)

// Form reads a condition in expr's syntax and returns the form that it means. It reports false,
// having said why, if the text has none.
func (b *Language) Form(src Source, v sexpr.Value) (sexpr.Value, bool) {
	return (&lowerer{b: b, src: src}).textForm(v)
}

// textForm reads a condition in expr's syntax and returns the form that it
// means.
func (l *lowerer) textForm(v sexpr.Value) (sexpr.Value, bool) {
	src := v.Text()
	if len(src) > MaxText {
		l.fail(v.Pos(), "a condition of %d bytes of text, expected at most %d", len(src), MaxText)
		return v, false
	}
	depth := 0
	for i := range len(src) { // blind: what looks like a bracket is one
		switch src[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
		if depth > maxTextDepth {
			l.fail(v.Pos(), "brackets at depth %d, expected at most %d", depth, maxTextDepth)
			return v, false
		}
	}
	r := textReader{l: l, in: v}
	tree, err := parseText(src)
	if err != nil {
		p, says := v.Pos(), ""
		var at *file.Error
		if errors.As(err, &at) {
			p, says = r.place(at.From), at.Message
		}
		l.fail(p, "%s", teach.Text(says, src, l.b.callable))
		return v, false
	}
	form := r.form(tree.Node)
	return form, !r.bad
}

// parseText is expr's parser, which must not take the load down with it.
func parseText(src string) (tree *parser.Tree, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("expr cannot read it: %v", p)
		}
	}()
	return parser.Parse(src)
}

// textReader turns expr's tree into forms. What has no form is refused.
type textReader struct {
	l     *lowerer
	in    sexpr.Value // the string that is read
	depth int         // of what is being read; a chain of one operator is one level
	bad   bool
}

// place is the position, in the rule file, of the rune at an offset of the text.
func (r *textReader) place(runes int) sexpr.Pos { return inString(r.l.src.Text(), r.in.Pos(), runes) }

func (r *textReader) at(n ast.Node) sexpr.Pos { return r.place(n.Location().From) }

func (r *textReader) refuse(n ast.Node, format string, args ...any) sexpr.Value {
	if !r.bad {
		r.l.fail(r.at(n), format, args...)
	}
	r.bad = true
	return sexpr.T()
}

func (r *textReader) list(n ast.Node, op string, args ...sexpr.Value) sexpr.Value {
	p := r.at(n)
	return sexpr.ListOf(append([]sexpr.Value{sexpr.Sym(op).At(p)}, args...)...).At(p)
}

func (r *textReader) forms(ns []ast.Node) []sexpr.Value {
	out := make([]sexpr.Value, len(ns))
	for i, n := range ns {
		out[i] = r.form(n)
	}
	return out
}

func (r *textReader) form(n ast.Node) sexpr.Value {
	if r.depth++; r.depth > maxTextDepth && !r.l.b.Recorded {
		r.refuse(n, "operators and calls at depth %d, expected at most %d", r.depth, maxTextDepth)
	}
	defer func() { r.depth-- }()
	if r.bad {
		return sexpr.T()
	}
	switch n := n.(type) {
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.StringNode:
		return r.literal(n)
	case *ast.ArrayNode:
		return r.list(n, "quote", r.literal(n))
	case *ast.MapNode:
		if len(n.Pairs) == 0 {
			return sexpr.EmptyObject().At(r.at(n))
		}
		return r.refuse(n, "an object with members cannot be written in a condition")
	case *ast.NilNode:
		return r.refuse(n, "nil means two things; write null for JSON's null, [] for the empty list")
	case *ast.IdentifierNode:
		return sexpr.Sym(r.name(n.Value)).At(r.at(n))
	case *ast.PointerNode:
		if n.Name != "" {
			return r.refuse(n, "#%s cannot be used; # is the element", n.Name)
		}
		return sexpr.Sym("it").At(r.at(n))
	case *ast.MemberNode:
		return r.member(n)
	case *ast.UnaryNode:
		return r.unary(n)
	case *ast.BinaryNode:
		return r.binary(n)
	case *ast.ConditionalNode:
		return r.list(n, "if", r.form(n.Cond), r.form(n.Exp1), r.form(n.Exp2))
	case *ast.VariableDeclaratorNode:
		p := r.at(n)
		name := sexpr.ListOf(sexpr.Sym(n.Name).At(p), r.form(n.Value)).At(p)
		return r.list(n, "let", sexpr.ListOf(name).At(p), r.form(n.Expr))
	case *ast.BuiltinNode:
		return r.call(n, n.Name, n.Arguments)
	case *ast.PredicateNode:
		return r.form(n.Node)
	case *ast.CallNode:
		if f, ok := n.Callee.(*ast.IdentifierNode); ok {
			return r.call(n, f.Value, n.Arguments)
		}
		return r.refuse(n, "only functions can be called")
	case *ast.ChainNode:
		return r.refuse(n, "?. would make what is missing nil; use has or get")
	}
	return r.refuse(n, "this is not part of rule conditions")
}

// literal reads what may stand in a list.
func (r *textReader) literal(n ast.Node) sexpr.Value {
	p := r.at(n)
	switch n := n.(type) {
	case *ast.BoolNode:
		return sexpr.Bool(n.Value).At(p)
	case *ast.IntegerNode:
		return sexpr.Int64(int64(n.Value)).At(p)
	case *ast.FloatNode:
		return sexpr.Float64(n.Value).At(p)
	case *ast.StringNode:
		return sexpr.Str(n.Value).At(p)
	case *ast.IdentifierNode:
		if n.Value == "null" {
			return sexpr.Null().At(p)
		}
	case *ast.UnaryNode:
		if n.Operator == "-" {
			switch x := n.Node.(type) {
			case *ast.IntegerNode:
				return sexpr.Int64(-int64(x.Value)).At(p)
			case *ast.FloatNode:
				return sexpr.Float64(-x.Value).At(p)
			}
		}
	case *ast.ArrayNode:
		items := make([]sexpr.Value, len(n.Nodes))
		for i, x := range n.Nodes {
			items[i] = r.literal(x)
		}
		return sexpr.ListOf(items...).At(p)
	}
	return r.refuse(n, "a list holds literals")
}

func (r *textReader) unary(n *ast.UnaryNode) sexpr.Value {
	switch n.Operator {
	case "not", "!":
		return r.list(n, "not", r.form(n.Node))
	case "-":
		switch n.Node.(type) {
		case *ast.IntegerNode, *ast.FloatNode:
			return r.literal(n)
		}
		return r.list(n, "-", r.form(n.Node))
	}
	return r.refuse(n, "the operator %s is not part of rule conditions", n.Operator)
}

func (r *textReader) binary(n *ast.BinaryNode) sexpr.Value {
	op, ok := map[string]string{
		"==": "=", "!=": "/=", "and": "and", "&&": "and", "or": "or", "||": "or", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
		"+": "+", "-": "-", "*": "*", "/": "/", "in": "in", "contains": "contains?", "startsWith": "starts-with?",
		"endsWith": "ends-with?", "matches": "matches?",
	}[n.Operator]
	if !ok {
		return r.refuse(n, "the operator %s is not part of rule conditions", n.Operator)
	}
	left := func() sexpr.Value {
		if b, ok := n.Left.(*ast.BinaryNode); ok && b.Operator == n.Operator {
			r.depth-- // a and b and c
			defer func() { r.depth++ }()
		}
		return r.form(n.Left)
	}
	return r.list(n, op, left(), r.form(n.Right))
}

// member reads a path: a.b, a["b"].
func (r *textReader) member(n *ast.MemberNode) sexpr.Value {
	var keys []string
	var base ast.Node = n
	for {
		m, ok := base.(*ast.MemberNode)
		if !ok {
			break
		}
		k, ok := m.Property.(*ast.StringNode)
		switch {
		case !ok:
			return r.refuse(m, "a member is named by a literal string")
		case m.Optional:
			return r.refuse(m, "?. would make what is missing nil; use has or get")
		case strings.Contains(k.Value, ".") || k.Value == "":
			return r.refuse(m, "this name cannot stand in a path; use get(object, key, default)")
		}
		keys = append(keys, k.Value)
		base = m.Node
	}
	b := r.form(base)
	if b.Kind() != sexpr.Symbol {
		return r.refuse(n, "only what has a name has members; give it one with let")
	}
	path := b.Text()
	for i := len(keys) - 1; i >= 0; i-- {
		k := keys[i]
		if below, ok := r.l.b.members[b.Text()]; ok && i == len(keys)-1 {
			k = hyphened(k, below)
		}
		path += "." + k
	}
	return sexpr.Sym(path).At(b.Pos())
}

// hyphened finds the name that is spelled with _ because expr has no -.
func hyphened[V any](name string, known map[string]V) string {
	if _, ok := known[name]; ok {
		return name
	}
	if h := strings.ReplaceAll(name, "_", "-"); h != name {
		if _, ok := known[h]; ok {
			return h
		}
	}
	return name
}

func (r *textReader) name(name string) string { return hyphened(name, r.l.b.Lists) }

// call reads a call. Functions are spelled with _ for - and without ?.
func (r *textReader) call(n ast.Node, name string, args []ast.Node) sexpr.Value {
	switch name {
	case "any":
		name = "some"
	case "all":
		name = "every"
	case "quote", "let", "and", "or", "not", "if":
		return r.refuse(n, "%s is not called in text", name)
	}
	for _, spelled := range []string{name, strings.ReplaceAll(name, "_", "-")} {
		for _, full := range []string{spelled, spelled + "?"} {
			_, op := r.l.b.operators[full]
			_, own := r.l.b.Definitions[full]
			if _, fn := r.l.b.functions[full]; op || fn || own {
				return r.list(n, full, r.forms(args)...)
			}
		}
	}
	known := make([]string, 0, len(r.l.b.functions))
	for _, k := range append(append(keysOf(r.l.b.operators), keysOf(r.l.b.functions)...), keysOf(r.l.b.Definitions)...) {
		known = append(known, strings.ReplaceAll(strings.TrimSuffix(k, "?"), "-", "_"))
	}
	hint := spell.DidYouMean(name, known)
	if other := teach.Operator(strings.ToLower(name)); r.l.b.callable(other) {
		hint = "; did you mean " + strings.ReplaceAll(strings.TrimSuffix(other, "?"), "-", "_") + "?"
	}
	return r.refuse(n, "unknown function %s%s", name, hint)
}

// inString is the place in a text of a character of a string that begins at p,
// counted from 0 once escapes are read.
func inString(text string, p sexpr.Pos, runes int) sexpr.Pos {
	i := offset(text, p)
	if i < 0 || i >= len(text) || text[i] != '"' {
		return p
	}
	p.Col++
	for i++; runes > 0 && i < len(text); runes-- {
		n := escapeLen(text[i:])
		for _, c := range text[i : i+n] {
			if c == '\n' {
				p.Line, p.Col = p.Line+1, 0
			}
			p.Col++
		}
		i += n
	}
	return p
}

// escapeLen is how many bytes of a string literal spell its first character.
func escapeLen(s string) int {
	if s[0] != '\\' || len(s) < 2 {
		_, n := utf8.DecodeRuneInString(s)
		return n
	}
	if s[1] != 'u' {
		return 2
	}
	if strings.HasPrefix(s, `\u{`) {
		return max(2, strings.IndexByte(s, '}')+1)
	}
	n := min(6, len(s))
	if n == 6 && (s[2] == 'd' || s[2] == 'D') && s[3] >= '8' && strings.HasPrefix(s[6:], `\u`) {
		n = min(12, len(s)) // a pair spells one character
	}
	return n
}

// offset is where p is in a text, in bytes; -1 if nowhere.
func offset(text string, p sexpr.Pos) int {
	i := 0
	for n := p.Line; n > 1; n-- {
		j := strings.IndexByte(text[i:], '\n')
		if j < 0 {
			return -1
		}
		i += j + 1
	}
	for n := p.Col; n > 1; n-- {
		if i >= len(text) {
			return -1
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return i
}
