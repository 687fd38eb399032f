package condition

import (
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

// operator is a name that conditions may call besides functions.
type operator struct {
	least, most int // arguments; most -1 means any number
	args, doc   string
}

// operators are all operators, as the calculator's help describes them.
func operators() map[string]operator {
	return map[string]operator{
		"and": {1, -1, "C...", "Whether all conditions hold: left to right, no further than needed."},
		"or":  {1, -1, "C...", "Whether one condition holds: left to right, no further than needed."},
		"not": {1, 1, "C", "Whether a condition does not hold."},
		"if":  {3, 3, "C A B", "A if the condition holds, else B."},
		"let": {2, 2,
			"((NAME VALUE)...) BODY", "BODY with names for values; each value sees the names before it."},
		"quote": {1, 1, "X", "X as it stands; also written 'X."},
		"=": {2, 2, "A B", "Whether two values are equal: numbers by exact value, lists and objects by their " +
			"parts. Kinds that differ are an error."},
		"/=":           {2, 2, "A B", "Whether two values differ."},
		"<":            {2, 2, "A B", "Whether A is less than B: two numbers, or two strings by their bytes."},
		"<=":           {2, 2, "A B", "Whether A is at most B."},
		">":            {2, 2, "A B", "Whether A is more than B."},
		">=":           {2, 2, "A B", "Whether A is at least B."},
		"+":            {2, -1, "A B...", "The sum of numbers; overflow is an error."},
		"-":            {1, -1, "A B...", "A less the others, or -A."},
		"*":            {2, -1, "A B...", "The product of numbers; overflow is an error."},
		"/":            {2, 2, "A B", "A divided by B, a float; division by zero is an error."},
		"in":           {2, 2, "X LIST", "Whether an element of a list equals X."},
		"contains?":    {2, 2, "TEXT PART", "Whether a string stands in another."},
		"starts-with?": {2, 2, "TEXT PART", "Whether a string begins with another."},
		"ends-with?":   {2, 2, "TEXT PART", "Whether a string ends with another."},
		"matches?":     {2, 2, "TEXT \"PATTERN\"", "Whether an RE2 pattern, a literal, matches anywhere in a string."},
		"some":         {2, 2, "LIST C", "Whether the condition holds for an element, which is it."},
		"every": {2, 2, "LIST C", "Whether the condition holds for every element, which is it. Over an empty " +
			"list that a function found it is an error."},
		"none": {2, 2, "LIST C", "Whether the condition holds for no element, which is it. Over an empty list " +
			"that a function found it is an error."},
		"every-or-empty": {2, 2, "LIST C", "As every, and true of an empty list."},
		"none-or-empty":  {2, 2, "LIST C", "As none, and true of an empty list."},
		"count":          {2, 2, "LIST C", "For how many elements the condition holds."},
		"filter":         {2, 2, "LIST C", "The elements for which the condition holds."},
		"map":            {2, 2, "LIST V", "V for each element, which is it."},
		"sum":            {1, 2, "LIST [V]", "The sum of the elements, or of V for each."},
		"len":            {1, 1, "X", "Characters of a string, elements of a list, members of an object."},
		"upper":          {1, 1, "TEXT", "A string in upper case."},
		"lower":          {1, 1, "TEXT", "A string in lower case."},
		"get": {2, 3, "PATH DEFAULT",
			"What stands at a path such as action.args.timeout, or the default where nothing does; also (get OBJECT \"KEY\" " +
				"DEFAULT)."},
		"has?":     {1, 2, "PATH", "Whether something stands at a path; also (has? OBJECT \"KEY\")."},
		"missing?": {1, 2, "PATH", "Whether nothing, or null, stands at a path; also (missing? OBJECT \"KEY\")."},
	}
}

// otherNames are what people and models write who come from elsewhere.
func otherNames() map[string]string {
	return map[string]string{
		"==": "=", "!=": "/=", "eq": "=", "equal": "=", "equal?": "=", "any": "some", "all": "every", "exists": "some",
		"forall": "every", "&&": "and", "||": "or", "!": "not", "length": "len", "member": "in", "startswith": "starts-with?",
		"endswith": "ends-with?", "contains": "contains?", "matches": "matches?", "regex": "matches?", "has": "has?",
		"missing": "missing?", "null?": "missing?", "upcase": "upper", "downcase": "lower", "under": "under?",
		"flag": "flag?",
		"cond": "if", "when": "and",
	}
}

// apply lowers a call of an operator or function.
func (l *lowerer) apply(v sexpr.Value) term {
	items := v.Items()
	op, args := items[0].Text(), items[1:]
	a, ok := l.b.operators[op]
	if !ok {
		return l.call(v)
	}
	if len(args) < a.least || a.most >= 0 && len(args) > a.most {
		return l.fail(v.Pos(), "%s takes %s, found %d", op, arity(a.least, a.most), len(args))
	}
	switch op {
	case "and", "or":
		return l.junction(v.Pos(), op, args)
	case "not":
		t := l.form(args[0])
		c := l.truth(&t)
		return term{code: notCode(v.Pos(), c), typ: boolean, pos: v.Pos(), cost: 1 + t.cost, sure: true, bad: t.bad}
	case "if":
		return l.conditional(v.Pos(), args)
	case "let":
		return l.let(v)
	case "quote":
		return l.literal(args[0])
	case "=", "/=":
		return l.equality(v.Pos(), op, args)
	case "in":
		return l.membership(v.Pos(), args)
	case "<", "<=", ">", ">=":
		return l.ordering(v.Pos(), op, args)
	case "+", "-", "*", "/":
		return l.arithmetic(v.Pos(), op, args)
	case "contains?", "starts-with?", "ends-with?":
		return l.substring(v.Pos(), op, args)
	case "matches?":
		return l.matches(v.Pos(), args)
	case "has?", "missing?", "get":
		return l.absence(v.Pos(), op, args)
	case "len", "upper", "lower":
		return l.measure(v.Pos(), op, args[0])
	}
	return l.loop(v.Pos(), op, args)
}

var (
	boolean = facts.Type{Kind: facts.Bool}
	text    = facts.Type{Kind: facts.String}
	numeric = facts.Type{Kind: facts.Number}
)

func arity(least, most int) string {
	switch {
	case most < 0:
		return fmt.Sprintf("%d or more arguments", least)
	case least == most && least == 1:
		return "1 argument"
	case least == most:
		return fmt.Sprintf("%d arguments", least)
	}
	return fmt.Sprintf("%d to %d arguments", least, most)
}

// junction lowers and, or: left to right, and no further than needed. In an and,
// a test of action.tool says on which tools the rest is asked.
func (l *lowerer) junction(p sexpr.Pos, op string, args []sexpr.Value) term {
	outer := l.tools
	defer func() { l.tools = outer }()
	out := term{typ: boolean, pos: p, cost: 1, sure: true}
	for i, a := range args {
		t := l.form(a)
		c := l.truth(&t)
		if i == 0 {
			out.code = c
		} else {
			out.code = both(p, op, out.code, c)
		}
		out.cost += t.cost
		out.bad = out.bad || t.bad
		if op == "and" {
			l.tools = narrowed(l.tools, toolTest(a))
		}
	}
	return out
}

// toolTest returns the tools for which a form may be true, if it is nothing but
// a test of action.tool; nil if it is anything else.
func toolTest(v sexpr.Value) []string {
	items := v.Items()
	if len(items) != 3 {
		return nil
	}
	a, b := items[1], items[2]
	switch {
	case items[0].IsSym("=") && a.IsSym("action.tool") && isName(b):
		return []string{b.Text()}
	case items[0].IsSym("=") && b.IsSym("action.tool") && isName(a):
		return []string{a.Text()}
	case items[0].IsSym("in") && a.IsSym("action.tool"):
		if b.Len() == 2 && b.Items()[0].IsSym("quote") {
			b = b.Items()[1]
		}
		out := []string{}
		for _, x := range b.Items() {
			if !isName(x) {
				return nil
			}
			out = append(out, x.Text())
		}
		if b.Kind() == sexpr.List {
			return out
		}
	}
	return nil
}

func isName(v sexpr.Value) bool { return v.Kind() == sexpr.String || v.Kind() == sexpr.Keyword }

func narrowed(tools, to []string) []string {
	if to == nil {
		return tools
	}
	if tools == nil {
		return to
	}
	out := []string{}
	for _, t := range tools {
		if slices.Contains(to, t) {
			out = append(out, t)
		}
	}
	return out
}

func (l *lowerer) conditional(p sexpr.Pos, args []sexpr.Value) term {
	c, yes, no := l.form(args[0]), l.form(args[1]), l.form(args[2])
	cond := l.truth(&c)
	out := term{
		code: choose(p, cond, yes.code, no.code), pos: p, cost: 1 + c.cost + max(yes.cost, no.cost),
		open: yes.open || no.open, found: yes.found || no.found, bad: c.bad || yes.bad || no.bad,
	}
	if yes.typ.Kind == facts.Action || no.typ.Kind == facts.Action {
		return l.fail(p, "the action itself is no value; write action.args or a part of it")
	}
	if yes.typ.Kind == no.typ.Kind {
		out.typ, out.sure = merged(yes.typ, no.typ), yes.sure && no.sure
	}
	return out
}

// merged is the type of what may be of either of two types of one kind.
func merged(a, b facts.Type) facts.Type {
	t := facts.Type{Kind: a.Kind}
	if a.Kind == facts.List {
		most := func(n int) int {
			if n == 0 {
				return value.MaxList
			}
			return n
		}
		t.Max = max(most(a.Max), most(b.Max))
	}
	return t
}

// let binds names in order; each value sees the names before it.
func (l *lowerer) let(v sexpr.Value) term {
	bindings := v.Items()[1]
	outer := len(l.vars)
	defer func() { l.vars = l.vars[:outer] }()
	type bound struct {
		name string
		term term
		pos  sexpr.Pos
	}
	var all []bound
	cost := 1
	if bindings.Kind() != sexpr.List {
		return l.fail(bindings.Pos(), "let takes a list of names with their values: (let ((x 1)) ...)")
	}
	for _, b := range bindings.Items() {
		if b.Len() != 2 || b.Items()[0].Kind() != sexpr.Symbol {
			return l.fail(b.Pos(), "found %s, expected a name and its value, as in (x 1)", b.Kind())
		}
		n := b.Items()[0]
		if why := l.b.Unfit(n.Text()); why != "" {
			return l.fail(n.Pos(), "%s", why)
		}
		if slices.ContainsFunc(l.vars, func(x variable) bool { return x.name == n.Text() }) || l.b.Lists[n.Text()] != nil {
			return l.fail(n.Pos(), "the name %s is taken already", n.Text())
		}
		t := l.form(b.Items()[1])
		if t.typ.Kind == facts.Action {
			return l.fail(t.pos, "the action itself is no value; write action.args or a part of it")
		}
		name := l.temp()
		all = append(all, bound{name, t, b.Pos()})
		cost += t.cost
		inner := t
		inner.code, inner.cost, inner.lit = varCode(n.Pos(), name), 1, nil
		if isEmptyList(t.lit) || t.lit != nil && t.typ.Kind == facts.Any {
			inner.typ, inner.sure = facts.Type{}, false // nil and null change kind with their use
		}
		l.vars = append(l.vars, variable{n.Text(), inner})
	}
	out := l.form(v.Items()[2])
	out.cost += cost
	for i := len(all) - 1; i >= 0; i-- {
		out.code = bind(all[i].pos, all[i].name, all[i].term.code, out.code)
		out.bad = out.bad || all[i].term.bad
	}
	out.lit = nil
	return out
}

func (l *lowerer) equality(p sexpr.Pos, op string, args []sexpr.Value) term {
	a, b := l.form(args[0]), l.form(args[1])
	l.checkToolName(args[0], b)
	l.checkToolName(args[1], a)
	out := term{typ: boolean, pos: p, cost: 1 + a.cost + b.cost, sure: true, bad: a.bad || b.bad}
	if !out.bad && !comparable(a, b) {
		return l.fail(p, "%s and %s are never equal", described(a), described(b))
	}
	out.code = native(p, value.Equal, a.code, b.code)
	if op == "/=" {
		out.code = notCode(p, out.code)
	}
	return out
}

// checkToolName reports the name of a tool that differs from a declared one by
// case alone, and in a trigger one that nothing declares: no action that the rules
// know has it, so the guard would be silent for ever.
func (l *lowerer) checkToolName(v sexpr.Value, t term) {
	if s, ok := t.lit.(string); ok && v.IsSym("action.tool") {
		l.toolName(t.pos, s, l.trigger)
	}
}

// toolName sees that a tool is spelled as it is declared, and, where it must be,
// that it is: by a deftool of any file, or by what runs it. Somebody who tries out
// a form may name any.
func (l *lowerer) toolName(p sexpr.Pos, name string, must bool) {
	if l.b.Tools[name] != nil || l.meter != nil {
		return
	}
	for _, known := range l.b.Spellings(name) {
		l.fail(p, "the tool is spelled %q, not %q", known, name)
		return
	}
	if must && !l.b.Recorded {
		l.fail(p, "no tool %q is declared%s; a deftool declares it, also where others run it", name,
			spell.DidYouMean(name, keysOf(l.b.Tools)))
	}
}

// declaredBudget sees that some tool spends from a budget.
func (l *lowerer) declaredBudget(p sexpr.Pos, name string) {
	if l.meter != nil || l.b.Recorded {
		return
	}
	budgets := map[string]bool{}
	for _, t := range l.b.Tools {
		for _, s := range t.Spends {
			if s.Budget == name {
				return
			}
			budgets[s.Budget] = true
		}
	}
	l.fail(p, "no tool spends from a budget %q%s; a deftool says what its calls take: :spends (:%s :amount)", name,
		spell.DidYouMean(name, keysOf(budgets)), name)
}

func (l *lowerer) membership(p sexpr.Pos, args []sexpr.Value) term {
	x, xs := l.form(args[0]), l.form(args[1])
	out := term{typ: boolean, pos: p, sure: true, cost: 1 + x.cost + xs.cost, bad: x.bad || xs.bad}
	most, ok := l.list(&xs)
	if !ok || x.bad {
		out.code, out.bad = constant(p, false), true
		return out
	}
	if lit, ok := xs.lit.([]any); ok {
		set := &value.Words{Has: make(map[string]bool, len(lit))}
		for _, e := range lit {
			et := term{typ: typeOf(e), lit: e, pos: xs.pos}
			if !comparable(x, et) {
				return l.fail(p, "%s and %s are never equal", described(x), described(et))
			}
			l.checkToolName(args[0], et)
			if s, ok := e.(string); ok && set != nil {
				set.Has[s] = true
			} else {
				set = nil
			}
		}
		if set != nil && len(lit) > 0 {
			out.code = native(p, value.InWords, x.code, constant(p, set))
			return out
		}
		if len(lit) > value.MaxList {
			return l.fail(xs.pos, "a list of %d elements, expected at most %d, or strings alone", len(lit), value.MaxList)
		}
	} else if e := l.element(xs); !comparable(x, e) {
		return l.fail(p, "%s and %s are never equal", described(x), described(e))
	}
	out.cost += int(most)
	out.code = native(p, value.In, x.code, xs.code)
	return out
}

func (l *lowerer) ordering(p sexpr.Pos, op string, args []sexpr.Value) term {
	a, b := l.form(args[0]), l.form(args[1])
	out := term{typ: boolean, pos: p, cost: 1 + a.cost + b.cost, sure: true, bad: a.bad || b.bad}
	for _, t := range []*term{&a, &b} {
		if k := t.typ.Kind; !t.bad &&
			(!isNumber(k) && k != facts.String && k != facts.Any || k == facts.Any && t.lit != nil) {
			l.wrong(t, "a number or a string")
			out.bad = true
		}
	}
	if !out.bad && !comparable(a, b) {
		return l.fail(p, "%s and %s cannot be compared", described(a), described(b))
	}
	f := map[string]func(a, b any) bool{"<": value.Less, "<=": value.LessEqual, ">": value.More, ">=": value.MoreEqual}[op]
	out.code = native(p, f, a.code, b.code)
	return out
}

func (l *lowerer) arithmetic(p sexpr.Pos, op string, args []sexpr.Value) term {
	f := map[string]func(a, b any) any{"+": value.Add, "-": value.Subtract, "*": value.Multiply, "/": value.Divide}[op]
	out := term{typ: numeric, pos: p, cost: 1, sure: true}
	integers := op != "/"
	for i, a := range args {
		t := l.form(a)
		c := l.number(&t)
		if i == 0 {
			out.code = c
		} else {
			out.code = native(p, f, out.code, c)
		}
		integers = integers && t.typ.Kind == facts.Int
		out.cost += 1 + t.cost
		out.bad = out.bad || t.bad
	}
	if len(args) == 1 { // only - takes one
		out.code = native(p, value.Negate, out.code)
	}
	if integers {
		out.typ.Kind = facts.Int
	}
	return out
}

func (l *lowerer) substring(p sexpr.Pos, op string, args []sexpr.Value) term {
	a, b := l.form(args[0]), l.form(args[1])
	name := map[string]string{"contains?": "contains", "starts-with?": "startsWith", "ends-with?": "endsWith"}[op]
	c := both(p, name, l.text(&a), l.text(&b))
	return term{code: c, typ: boolean, pos: p, cost: 1 + a.cost + b.cost, sure: true, bad: a.bad || b.bad}
}

// MaxPattern bounds a pattern, in bytes.
const MaxPattern = 1 << 10

func (l *lowerer) matches(p sexpr.Pos, args []sexpr.Value) term {
	a, b := l.form(args[0]), l.form(args[1])
	pattern, ok := b.lit.(string)
	switch {
	case b.bad:
		return b
	case !ok:
		return l.fail(b.pos, "a pattern is a literal string")
	case len(pattern) > MaxPattern:
		return l.fail(b.pos, "a pattern of %d bytes, expected at most %d", len(pattern), MaxPattern)
	}
	if err := l.meter.pattern(pattern); err != nil {
		return l.fail(b.pos, "%s", err)
	}
	re, err := value.NewPattern(pattern)
	if err != nil {
		return l.fail(b.pos, "%s", err)
	}
	l.text(&a)
	c := native(p, value.Matched, a.code, constant(b.pos, re)) // expr's own operator compiles a pattern twice
	return term{code: c, typ: boolean, pos: p, cost: 1 + a.cost + b.cost, sure: true, bad: a.bad}
}

func (l *lowerer) measure(p sexpr.Pos, op string, arg sexpr.Value) term {
	t := l.form(arg)
	out := term{typ: facts.Type{Kind: facts.Int}, pos: p, cost: 1 + t.cost, sure: true, bad: t.bad}
	if op == "len" {
		switch k := t.typ.Kind; {
		case t.bad, k == facts.String, k == facts.List, k == facts.Record, k == facts.Any && t.lit == nil:
			out.code = native(p, value.LengthOf, t.code)
			return out
		}
		out.code, out.bad = l.wrong(&t, "a string, a list or an object"), true
		return out
	}
	out.typ = text
	out.code = native(p, map[string]func(any) any{"upper": value.Upper, "lower": value.Lower}[op], l.text(&t))
	out.bad = t.bad
	return out
}
