package rules

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// The functions below are called by programs. They panic with an error, which
// the machine returns with its place: expr has no other way out of a function
// that is called without reflection.

// unjudged ends a program because something could not be judged.
func unjudged(format string, args ...any) {
	panic(fmt.Errorf(format, args...))
}

// seen is v as a condition reads it: the text of a shell word, and an error for
// what is not known.
func seen(v any) any {
	switch v.(type) {
	case string, int64, float64, bool:
		return v
	}
	v, err := facts.Read(v)
	if err != nil {
		panic(err)
	}
	return v
}

// kindOf names the kind of a value in messages.
func kindOf(v any) string {
	switch v := v.(type) {
	case string:
		return "a string"
	case int64:
		return "an integer"
	case float64:
		return "a float"
	case bool:
		return "a boolean"
	case skills.Null:
		return "null"
	case []any:
		if len(v) == 0 {
			return "an empty list"
		}
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "something else"
}

// truth is the boolean v; nil, the empty list, is false.
func truth(v any) bool {
	switch v := seen(v).(type) {
	case bool:
		return v
	case []any:
		if len(v) == 0 {
			return false
		}
	}
	unjudged("found %s, expected t or false", kindOf(v))
	return false
}

// textOf checks that v is a string.
func textOf(v any) any {
	v = seen(v)
	if _, ok := v.(string); !ok {
		unjudged("found %s, expected a string", kindOf(v))
	}
	return v
}

// known lets any element through that is known, shell words as they are.
func known(v any) any {
	if u, ok := v.(facts.Unknown); ok {
		panic(u)
	}
	return v
}

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
	unjudged("%s and %s cannot be compared", kindOf(a), kindOf(b))
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

func less(a, b any) bool      { return order(seen(a), seen(b)) < 0 }
func lessEqual(a, b any) bool { return order(seen(a), seen(b)) <= 0 }
func more(a, b any) bool      { return order(seen(a), seen(b)) > 0 }
func moreEqual(a, b any) bool { return order(seen(a), seen(b)) >= 0 }

// equal reports whether a and b are the same value. Kinds that differ are an
// error, but for null, which equals only itself, and for nil, which is the empty
// list and false.
func equal(a, b any) bool {
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			return x == y
		}
	}
	a, b = seen(a), seen(b)
	if isNull(a) || isNull(b) {
		return isNull(a) && isNull(b)
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
	unjudged("%s and %s are never equal", kindOf(a), kindOf(b))
	return false
}

func isNull(v any) bool {
	_, ok := v.(skills.Null)
	return ok
}

func equalLists(a, b []any) bool {
	a, b = whole(a), whole(b)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equal(a[i], b[i]) {
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
		if !equal(a[k], b[k]) {
			return false
		}
	}
	return true
}

// in reports whether list holds an element equal to v, looked at in order.
func in(v, list any) bool {
	v = seen(v)
	for _, x := range listOf(list, maxList) {
		if equal(v, x) { // an element that is not known is an error
			return true
		}
	}
	return false
}

// words is a set of strings, for in over a list that is known at load.
type words struct{ has map[string]bool }

func inWords(v, set any) bool {
	v = seen(v)
	s, ok := v.(string)
	if !ok {
		if !isNull(v) {
			unjudged("%s and a string are never equal", kindOf(v))
		}
		return false
	}
	return set.(*words).has[s]
}

// maxList bounds the lists that a condition goes through, where nothing tighter
// is declared.
const maxList = 256

// limit is how many elements a list may have.
type limit int

func listOf(v any, most limit) []any {
	xs, ok := v.([]any)
	if !ok {
		unjudged("found %s, expected a list", kindOf(seen(v)))
	}
	n := len(xs)
	if n > 0 && isUnknown(xs[n-1]) {
		n--
	}
	if n > int(most) {
		unjudged("a list of %d elements, expected at most %d", n, most)
	}
	return xs
}

func isUnknown(v any) bool {
	_, ok := v.(facts.Unknown)
	return ok
}

// whole is the list, if it is known to its end.
func whole(xs []any) []any {
	if n := len(xs); n > 0 && isUnknown(xs[n-1]) {
		panic(xs[n-1])
	}
	return xs
}

// counted is the list, if it is known how many elements it has: a word such as
// *.go may become any number of them.
func counted(xs []any) []any {
	for _, x := range whole(xs) {
		if p, ok := x.(facts.Pattern); ok && p.Several() {
			panic(facts.Unknown{Why: fmt.Sprintf("how many words %q becomes", p.Text)})
		}
	}
	return xs
}

// The loops see lists through these. Most is a limit.

// closed is a list that must be known to its end before anything is asked of it,
// and countable one of which the number is asked, too.
func closed(v, most any) any {
	whole(listOf(v, most.(limit)))
	return v
}

func countable(v, most any) any {
	counted(listOf(v, most.(limit)))
	return v
}

// front is a list up to where it is cut off; ended is asked after it.
func front(v, most any) any {
	xs := listOf(v, most.(limit))
	if n := len(xs); n > 0 && isUnknown(xs[n-1]) {
		return xs[:n-1]
	}
	return v
}

// some is front for a list that must not be empty, because a function that
// found nothing may have missed something.
func someFront(v, most any) any {
	if len(listOf(v, most.(limit))) == 0 {
		unjudged("nothing was found to look at")
	}
	return front(v, most)
}

// ended is true of a list that is known to its end, and an error otherwise;
// cut is its opposite.
func ended(v any) bool { whole(v.([]any)); return true }
func cut(v any) bool   { whole(v.([]any)); return false }

func lengthOf(v any) any {
	switch v := seen(v).(type) {
	case string:
		return int64(utf8.RuneCountInString(v))
	case []any:
		return int64(len(counted(v)))
	case map[string]any:
		return int64(len(v))
	}
	unjudged("found %s, expected a string, a list or an object", kindOf(v))
	return nil
}

// toInt64 turns expr's counts into our integers.
func toInt64(v any) any {
	if i, ok := v.(int); ok {
		return int64(i)
	}
	return v
}

func upper(v any) any { return strings.ToUpper(textOf(v).(string)) }
func lower(v any) any { return strings.ToLower(textOf(v).(string)) }

func matched(v, re any) bool { return re.(*pattern).match(textOf(v).(string)) }
