package fields

import (
	"maps"
	"slices"
	"strconv"
)

// Leaf is one scalar in an action's arguments.
type Leaf struct {
	Keys  []string // the names on the way to it, from the argument's
	Path  string   // "recipients[0]"
	Value any
}

// Leaves lists the scalars of arguments by their names in order. What nests deeper than MaxDepth is left out.
func Leaves(args map[string]any) []Leaf {
	var out []Leaf
	var walk func(v any, keys []string, path string)
	walk = func(v any, keys []string, path string) {
		switch v := v.(type) {
		case map[string]any:
			if len(keys) > MaxDepth {
				return
			}
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(v[k], append(keys[:len(keys):len(keys)], k), under(path, k))
			}
		case []any:
			for i, e := range v {
				walk(e, keys, path+"["+strconv.Itoa(i)+"]")
			}
		case nil:
		default:
			if len(keys) > 0 {
				out = append(out, Leaf{Keys: keys, Path: path, Value: v})
			}
		}
	}
	walk(args, nil, "")
	return out
}

// Scalars lists the scalars of a value, which may be a list or an object.
func Scalars(v any) (out []any) {
	for _, l := range Leaves(map[string]any{"v": v}) {
		out = append(out, l.Value)
	}
	return out
}
