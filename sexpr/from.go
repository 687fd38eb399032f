package sexpr

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// From converts a Go value, as [FromJSON] does JSON: nil becomes the symbol null, a
// bool t or false, a string a string, an integer an integer, a float a float, a slice
// a list, and a map a plist with its keys sorted, or {} if it is empty. A [Value]
// stays unchanged; a [json.RawMessage] or []byte is read as JSON; any other value is
// converted through encoding/json.
//
// An integer beyond 64 bits, an infinite or NaN float, and a value that JSON cannot
// express are errors, which name the place as a path: args.items[2].
func From(v any) (Value, error) { return from("", v) }

func from(path string, v any) (Value, error) {
	switch v := v.(type) {
	case Value:
		return v, nil
	case nil:
		return Null(), nil
	case bool:
		return Bool(v), nil
	case string:
		return Str(v), nil
	case int:
		return Int64(int64(v)), nil
	case int64:
		return Int64(v), nil
	case int32:
		return Int64(int64(v)), nil
	case uint32:
		return Int64(int64(v)), nil
	case uint64:
		if v > math.MaxInt64 {
			return Value{}, notAValue(path, fmt.Errorf("%d has more than 64 bits with its sign", v))
		}
		return Int64(int64(v)), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Value{}, notAValue(path, fmt.Errorf("%v is not a finite number", v))
		}
		return Float64(v), nil
	case json.RawMessage:
		return fromJSON(path, v)
	case []byte:
		return fromJSON(path, v)
	case []any:
		return fromList(path, v)
	case map[string]any:
		return fromMap(path, v)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return Value{}, notAValue(path, err)
	}
	return fromJSON(path, data)
}

func fromJSON(path string, data []byte) (Value, error) {
	v, err := FromJSON(data)
	return v, notAValue(path, err)
}

func fromList(path string, list []any) (Value, error) {
	out := make([]Value, len(list))
	for i, e := range list {
		var err error
		if out[i], err = from(fmt.Sprintf("%s[%d]", path, i), e); err != nil {
			return Value{}, err
		}
	}
	return ListOf(out...), nil
}

func fromMap(path string, m map[string]any) (Value, error) {
	if len(m) == 0 {
		return EmptyObject(), nil
	}
	out := make([]Value, 0, 2*len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		at := k
		if path != "" {
			at = path + "." + k
		}
		e, err := from(at, m[k])
		if err != nil {
			return Value{}, err
		}
		out = append(out, Key(k), e)
	}
	return ListOf(out...), nil
}

// notAValue wraps an error with the path of its value.
func notAValue(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case path == "":
		return fmt.Errorf("sexpr: this Go value cannot be written: %w", err)
	}
	return fmt.Errorf("sexpr: %s cannot be written: %w", path, err)
}
