package teach

import (
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
)

// levels are the operators that people write between their arguments, from those that
// bind least, under the names they have there.
var levels = []map[string]string{
	{"or": "or", "||": "or", "": "or"}, // the reader takes || for the empty name
	{"and": "and", "&&": "and"},
	{"=": "=", "==": "=", "eq": "=", "equals": "=", "is": "=", "/=": "/=", "!=": "/=", "<>": "/=", "<": "<", "<=": "<=",
		">": ">", ">=": ">=", "in": "in", "contains": "contains?", "contains?": "contains?", "matches": "matches?",
		"matches?": "matches?", "starts-with?": "starts-with?", "startswith": "starts-with?", "ends-with?": "ends-with?",
		"endswith": "ends-with?"},
	{"+": "+", "-": "-"},
	{"*": "*", "/": "/"},
}

// Between is the name of an operator that v spells as one writes it between its arguments.
func Between(v sexpr.Value) (string, bool) {
	if v.Kind() != sexpr.Symbol {
		return "", false
	}
	for _, l := range levels {
		if name, ok := l[v.Text()]; ok {
			return name, true
		}
	}
	return "", false
}

// Prefix turns forms with operators between them, such as those of (a = 1 and not b), into
// the one form they mean.
func Prefix(items []sexpr.Value) (sexpr.Value, bool) {
	if len(items) < 3 || !slices.ContainsFunc(items[1:len(items)-1], isBetween) {
		return sexpr.Value{}, false
	}
	return prefix(items)
}

func isBetween(v sexpr.Value) bool { _, ok := Between(v); return ok }

func prefix(items []sexpr.Value) (sexpr.Value, bool) {
	switch {
	case len(items) == 1:
		_, operator := Between(items[0])
		if list := items[0].Items(); len(list) > 2 {
			if _, first := Between(list[0]); !first {
				if in, ok := Prefix(list); ok {
					return in, true
				}
			}
		}
		return items[0], !operator
	case len(items) == 0:
		return sexpr.Value{}, false
	}
	for i, level := range levels {
		if i == 2 && (items[0].IsSym("not") || items[0].IsSym("!")) {
			inner, ok := prefix(items[1:])
			return sexpr.ListOf(sexpr.Sym("not"), inner), ok
		}
		// From the right: a - b - c is (- a b c), or else (- (- a b) c).
		for at := len(items) - 2; at > 0; at-- {
			name, ok := level[items[at].Text()]
			if !ok || items[at].Kind() != sexpr.Symbol {
				continue
			}
			left, ok := prefix(items[:at])
			right, ok2 := prefix(items[at+1:])
			if !ok || !ok2 {
				return left, false
			}
			if args := left.Items(); at > 1 && name != "=" && len(args) > 2 && args[0].IsSym(name) &&
				items[at-2].IsSym(items[at].Text()) {
				return sexpr.ListOf(append(slices.Clone(args), right)...), true
			}
			return sexpr.ListOf(sexpr.Sym(name), left, right), true
		}
	}
	return sexpr.Value{}, false
}
