package condition

import (
	"fmt"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
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
		"min":          {2, -1, "A B...", "The least of numbers, by exact value."},
		"max":          {2, -1, "A B...", "The greatest of numbers, by exact value."},
		"mod":          {2, 2, "A B", "What is left of A, divided by B: two integers, and the sign is that of B."},
		"floor":        {1, 1, "A", "The greatest integer that is at most A; one that is too large is an error."},
		"abs":          {1, 1, "A", "A without its sign."},
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
		"some-call-since": {2, 2, "C1 C2", "Whether, after the session's last call that satisfies C1, a call satisfies C2. " +
			"In both, it is the call. False if no call satisfies C1."},
		"no-call-since": {2, 2, "C1 C2", "Whether a call of the session satisfies C1, and no call after the last of these " +
			"satisfies C2."},
		"len":   {1, 1, "X", "Characters of a string, elements of a list, members of an object."},
		"upper": {1, 1, "TEXT", "A string in upper case."},
		"lower": {1, 1, "TEXT", "A string in lower case."},
		"get": {2, 3, "PATH DEFAULT",
			"What stands at a path such as action.args.timeout, or the default where nothing does; also (get OBJECT \"KEY\" " +
				"DEFAULT)."},
		"has?":     {1, 2, "PATH", "Whether something stands at a path; also (has? OBJECT \"KEY\")."},
		"missing?": {1, 2, "PATH", "Whether nothing, or null, stands at a path; also (missing? OBJECT \"KEY\")."},
	}
}

// apply lowers a call of an operator or function.
func (l *lowerer) apply(v sexpr.Value) term {
	items := v.Items()
	op, args := items[0].Text(), items[1:]
	if d := l.b.Definitions[op]; d != nil {
		return l.defined(v, d)
	}
	a, ok := l.b.operators[op]
	if !ok {
		return l.call(v)
	}
	if len(args) < a.least || a.most >= 0 && len(args) > a.most {
		return l.miscounted(v, a)
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
	case "+", "-", "*", "/", "min", "max", "mod", "floor", "abs":
		return l.arithmetic(v.Pos(), op, args)
	case "contains?", "starts-with?", "ends-with?":
		return l.substring(v.Pos(), op, args)
	case "matches?":
		return l.matches(v.Pos(), args)
	case "has?", "missing?", "get":
		return l.absence(v.Pos(), op, args)
	case "some-call-since", "no-call-since":
		return l.order(v.Pos(), op, args)
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
