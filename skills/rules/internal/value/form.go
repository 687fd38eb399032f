package value

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// Form is the form of a value that a condition computed: what [skills.Native] makes v of.
// Keys are sorted. It is an error if anything in v is not known.
func Form(v any) (sexpr.Value, error) {
	v, err := facts.Read(v)
	if err != nil {
		return sexpr.Value{}, err
	}
	switch v := v.(type) {
	case string:
		return sexpr.Str(v), nil
	case int64:
		return sexpr.Int64(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return sexpr.Value{}, fmt.Errorf("found %v, expected a finite number", v)
		}
		return sexpr.Float64(v), nil
	case bool:
		return sexpr.Bool(v), nil
	case skills.Null:
		return sexpr.Null(), nil
	case []any:
		return listForm(v)
	case map[string]any:
		return objectForm(v)
	}
	return sexpr.Value{}, fmt.Errorf("found %s, expected a value", KindOf(v))
}

func listForm(list []any) (sexpr.Value, error) {
	out := make([]sexpr.Value, 0, len(list))
	for _, x := range list {
		f, err := Form(x)
		if err != nil {
			return f, err
		}
		out = append(out, f)
	}
	return sexpr.ListOf(out...), nil
}

func objectForm(object map[string]any) (sexpr.Value, error) {
	if len(object) == 0 {
		return sexpr.EmptyObject(), nil
	}
	out := make([]sexpr.Value, 0, 2*len(object))
	for _, k := range slices.Sorted(maps.Keys(object)) {
		if _, hidden := object[k].(interface{ Hidden() }); hidden {
			continue // functions alone read it
		}
		f, err := Form(object[k])
		if err != nil {
			return f, err
		}
		out = append(out, sexpr.Key(k), f)
	}
	return sexpr.ListOf(out...), nil
}
