package value

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// order compares two numbers exactly, or two strings by their bytes.
func order(a, b any) int {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y)
		}
	case int64:
		switch y := b.(type) {
		case int64:
			return cmp.Compare(x, y)
		case float64:
			return compareIntFloat(x, y)
		}
	case float64:
		switch y := b.(type) {
		case int64:
			return -compareIntFloat(y, x)
		case float64:
			return cmp.Compare(x, y)
		}
	}
	Fail("%s and %s cannot be compared", KindOf(a), KindOf(b))
	return 0
}

// compareIntFloat compares by exact value; f is finite.
func compareIntFloat(i int64, f float64) int {
	switch {
	case f >= 1<<63:
		return -1
	case f < -(1 << 63):
		return 1
	}
	whole := math.Trunc(f)
	if c := cmp.Compare(i, int64(whole)); c != 0 {
		return c
	}
	return cmp.Compare(whole, f)
}

// Less reports whether a is less than b: two numbers, or two strings by their bytes.
func Less(a, b any) bool { return order(Seen(a), Seen(b)) < 0 }

// LessEqual reports whether a is at most b.
func LessEqual(a, b any) bool { return order(Seen(a), Seen(b)) <= 0 }

// More reports whether a is more than b.
func More(a, b any) bool { return order(Seen(a), Seen(b)) > 0 }

// MoreEqual reports whether a is at least b.
func MoreEqual(a, b any) bool { return order(Seen(a), Seen(b)) >= 0 }

// Equal reports whether a and b are the same value. Kinds that differ are an
// error, but for null, which equals only itself, and for nil, which is the empty
// list and false.
func Equal(a, b any) bool {
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			return x == y
		}
	}
	a, b = Seen(a), Seen(b)
	if IsNull(a) || IsNull(b) {
		return IsNull(a) && IsNull(b)
	}
	switch x := a.(type) {
	case bool:
		switch y := b.(type) {
		case bool:
			return x == y
		case []any:
			if len(y) == 0 {
				return !x
			}
		}
	case []any:
		switch y := b.(type) {
		case bool:
			if len(x) == 0 {
				return !y
			}
		case []any:
			return equalLists(x, y)
		}
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			return equalObjects(x, y)
		}
	default:
		return order(a, b) == 0
	}
	Fail("%s and %s are never equal", KindOf(a), KindOf(b))
	return false
}

func equalLists(a, b []any) bool {
	a, b = whole(a), whole(b)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// equalObjects goes by sorted keys, so that the first error is always the same.
func equalObjects(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	keys := slices.Sorted(maps.Keys(a))
	for _, k := range keys {
		if _, ok := b[k]; !ok {
			return false
		}
	}
	for _, k := range keys {
		if !Equal(a[k], b[k]) {
			return false
		}
	}
	return true
}
