package condition

import (
	"fmt"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// isConstant reports whether a symbol is a value and not a name.
func isConstant(v sexpr.Value) bool {
	return v.IsSym("t") || v.IsSym("false") || v.IsSym("null") || v.IsSym("{}")
}

// literal lowers a value that stands for itself.
func (l *lowerer) literal(v sexpr.Value) term {
	lit, err := literal(v)
	if err != nil {
		if guess := between(v.Items()); guess != "" {
			return l.fail(v.Pos(), "%s", guess)
		}
		return l.fail(err.pos, "%s", err.msg)
	}
	return l.value(v.Pos(), lit, atoms(v))
}

// posError is an error before its file is known.
type posError struct {
	pos sexpr.Pos
	msg string
}

// literal turns a form into the value it stands for. A keyword is the string of
// its name; a list is a list, even if it starts with a keyword.
func literal(v sexpr.Value) (any, *posError) {
	switch v.Kind() {
	case sexpr.String, sexpr.Keyword:
		return v.Text(), nil
	case sexpr.Int:
		return v.Int(), nil
	case sexpr.Float:
		return v.Float(), nil
	case sexpr.Symbol:
		switch v.Text() {
		case "t":
			return true, nil
		case "false":
			return false, nil
		case "null":
			return skills.Null{}, nil
		case "{}":
			return map[string]any{}, nil
		}
		return nil, &posError{v.Pos(), fmt.Sprintf("%s is a name, expected a literal such as %q", v.Text(), v.Text())}
	case sexpr.List:
	}
	out := make([]any, v.Len())
	for i, x := range v.Items() {
		var err *posError
		if out[i], err = literal(x); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Literal is the value that a form stands for, if it is one.
func Literal(v sexpr.Value) (any, bool) {
	lit, err := literal(v)
	return lit, err == nil
}

func atoms(v sexpr.Value) int {
	n := 1
	for _, x := range v.Items() {
		n += atoms(x)
	}
	return n
}

// typeOf is the type of a value that is known.
func typeOf(v any) facts.Type {
	switch v := v.(type) {
	case string:
		return facts.Type{Kind: facts.String}
	case int64:
		return facts.Type{Kind: facts.Int}
	case float64:
		return facts.Type{Kind: facts.Number}
	case bool:
		return facts.Type{Kind: facts.Bool}
	case map[string]any:
		return facts.Type{Kind: facts.Record}
	case []any:
		t := facts.Type{Kind: facts.List, Max: len(v)}
		for i, x := range v {
			e := typeOf(x)
			if i > 0 && e.Kind != t.Elem.Kind {
				t.Elem = nil
				return t
			}
			t.Elem = &e
		}
		return t
	}
	return facts.Type{}
}
