package author

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
)

// maxFields is how many fields of an output a draft lists. What is not listed is untrusted.
const maxFields = 32

// outputs returns the names of the fields that hold the values of an output, at any
// depth, sorted; none if there are too many to list.
func (r *shapes) outputs(raw json.RawMessage) []string {
	found := map[string]bool{}
	if len(raw) > 0 {
		r.gather(raw, "", 0, found)
	}
	if len(found) > maxFields {
		return nil
	}
	return slices.Sorted(maps.Keys(found))
}

func (r *shapes) gather(raw json.RawMessage, name string, depth int, found map[string]bool) {
	s, why := r.read(raw)
	defer r.enter(s)()
	if inner, null := s.only(); null && inner != nil {
		s, why = r.read(inner)
	}
	s.nullable()
	switch {
	case why == "" && depth < maxDepth && len(found) <= maxFields && len(s.Properties) > 0:
		for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
			r.gather(s.Properties[key], key, depth+1, found)
		}
	case why == "" && depth < maxDepth && s.Type == "array" && len(s.Items) > 0:
		r.gather(s.Items, name, depth+1, found)
	case name != "":
		found[name] = true
	}
}

// byField returns :untrusted, or, where the fields are known, that word for each: a
// person who knows better changes one.
func byField(fields []string) sexpr.Value {
	if len(fields) == 0 {
		return sexpr.Key("untrusted")
	}
	var out []sexpr.Value
	for _, f := range fields {
		out = append(out, sexpr.Key(f), sexpr.Key("untrusted"))
	}
	return sexpr.ListOf(out...)
}
