package thoughts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// field is where in a call something is to be masked.
type field struct {
	tool   string // * for all
	result bool   // of the result; else of the arguments
	path   []string
}

// fieldsOf reads the fields of [Options.Mask].
func fieldsOf(mask []string) (out []field, err error) {
	for _, text := range mask {
		f, ok := fieldOf(text)
		if !ok {
			return nil, fmt.Errorf("cortex: Options.Traces.Mask has %q, expected a tool, then args or result, then the "+
				"names on the way to the field, such as login.args.password or *.result.token", text)
		}
		out = append(out, f)
	}
	return out, nil
}

func fieldOf(text string) (f field, ok bool) {
	for _, part := range []string{".args.", ".result."} {
		tool, path, found := strings.Cut(text, part)
		if f = (field{tool, part == ".result.", strings.Split(path, ".")}); found && tool != "" {
			return f, !slices.Contains(f.path, "")
		}
	}
	return f, false
}

// of reports whether a field is one of a tool's.
func (f field) of(tool string) bool { return f.tool == "*" || strings.EqualFold(f.tool, tool) }

// each calls see with every value at the field's place in v.
func (f field) each(v sexpr.Value, see func(sexpr.Value)) { at(v, f.path, see) }

func at(v sexpr.Value, path []string, see func(sexpr.Value)) {
	switch {
	case len(path) == 0:
		see(v)
	case v.IsPlist():
		for kv := v.Items(); len(kv) > 1; kv = kv[2:] {
			if here(path[0], kv[0].Text()) {
				at(kv[1], path[1:], see)
			}
		}
	case v.Kind() == sexpr.List: // a list has the field if its members do
		for _, x := range v.Items() {
			at(x, path, see)
		}
	}
}

// put returns v with what change makes of each value at a place in it.
func put(v sexpr.Value, path []string, change func(sexpr.Value) sexpr.Value) sexpr.Value {
	switch {
	case len(path) == 0:
		return change(v)
	case v.IsPlist():
		out := v
		for kv := v.Items(); len(kv) > 1; kv = kv[2:] {
			if here(path[0], kv[0].Text()) {
				out = out.With(kv[0].Text(), put(kv[1], path[1:], change))
			}
		}
		return out
	case v.Kind() == sexpr.List && !v.IsNil():
		out := make([]sexpr.Value, v.Len())
		for i, x := range v.Items() {
			out[i] = put(x, path, change)
		}
		return sexpr.ListOf(out...)
	}
	return v
}

func here(want, name string) bool { return want == "*" || strings.EqualFold(want, name) }
