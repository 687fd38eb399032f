package facts

import (
	"slices"

	"github.com/opencortex-go/cortex/skills"
)

// leaf is one string in the arguments of an action, with what the tool's schema
// says of it.
type leaf struct {
	text string
	kind skills.ParamKind
}

// leaves lists the strings of an action's arguments in canonical order, and the
// keys of objects that no schema names: those are strings too.
func leaves(c *skills.Case) []leaf {
	var params []skills.Param
	if c.Tool != nil {
		params = c.Tool.Params
	}
	var out []leaf
	gather(&out, c.Action.Native(), &skills.Type{Kind: skills.KindObject, Params: params}, 0)
	return out
}

// gather walks native values, no deeper than the reader lets them nest.
func gather(out *[]leaf, v any, t *skills.Type, depth int) {
	if t == nil {
		t = &skills.Type{}
	}
	switch v := v.(type) {
	case string:
		*out = append(*out, leaf{v, t.Kind})
	case []any:
		elem := t.Elem
		if t.Kind != skills.KindList {
			elem = nil
		}
		for _, x := range v {
			gather(out, x, elem, depth+1)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			var inner *skills.Type
			if t.Kind == skills.KindObject {
				if i := slices.IndexFunc(t.Params, func(p skills.Param) bool { return p.Name == k }); i >= 0 {
					inner = &t.Params[i].Type
				}
			}
			if inner == nil && depth > 0 {
				*out = append(*out, leaf{k, skills.KindAny})
			}
			gather(out, v[k], inner, depth+1)
		}
	}
}
