// Package value is what the operators of conditions do with values. What is missing,
// not known or of the wrong kind is an error and never false: numbers compare by
// exact value, arithmetic does not wrap, and a list that was cut off is unknown past
// the cut.
//
// Programs of expr call these functions directly, so they take and give any. They
// panic with an error, which the machine that runs the program returns with its
// place: expr has no other way out of a function that is called without reflection.
package value

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

// Fail ends a program because something could not be judged.
func Fail(format string, args ...any) {
	panic(fmt.Errorf(format, args...))
}

// Seen is v as a condition reads it: the text of a shell word, and an error for
// what is not known.
func Seen(v any) any {
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

// KindOf names the kind of a value in messages.
func KindOf(v any) string {
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

// Truth is the boolean v; nil, the empty list, is false.
func Truth(v any) bool {
	switch v := Seen(v).(type) {
	case bool:
		return v
	case []any:
		if len(v) == 0 {
			return false
		}
	}
	Fail("found %s, expected t or false", KindOf(v))
	return false
}

// TextOf checks that v is a string.
func TextOf(v any) any {
	v = Seen(v)
	if _, ok := v.(string); !ok {
		Fail("found %s, expected a string", KindOf(v))
	}
	return v
}

// Known lets any element through that is known, shell words as they are.
func Known(v any) any {
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

// Less and its kin compare two numbers, or two strings by their bytes.
func Less(a, b any) bool      { return order(Seen(a), Seen(b)) < 0 }
func LessEqual(a, b any) bool { return order(Seen(a), Seen(b)) <= 0 }
func More(a, b any) bool      { return order(Seen(a), Seen(b)) > 0 }
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

// IsNull reports whether v is JSON's null.
func IsNull(v any) bool {
	_, ok := v.(skills.Null)
	return ok
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

// In reports whether list holds an element equal to v, looked at in order.
func In(v, list any) bool {
	v = Seen(v)
	for _, x := range listOf(list, MaxList) {
		if Equal(v, x) { // an element that is not known is an error
			return true
		}
	}
	return false
}

// Words is a set of strings, for in over a list that is known at load.
type Words struct{ Has map[string]bool }

// InWords reports whether v stands in a set of [Words].
func InWords(v, set any) bool {
	v = Seen(v)
	s, ok := v.(string)
	if !ok {
		if !IsNull(v) {
			Fail("%s and a string are never equal", KindOf(v))
		}
		return false
	}
	return set.(*Words).Has[s]
}

// MaxList bounds the lists that a condition goes through, where nothing tighter
// is declared.
const MaxList = 256

// Limit is how many elements a list may have.
type Limit int

func listOf(v any, most Limit) []any {
	xs, ok := v.([]any)
	if !ok {
		Fail("found %s, expected a list", KindOf(Seen(v)))
	}
	n := len(xs)
	if n > 0 && isUnknown(xs[n-1]) {
		n--
	}
	if n > int(most) {
		Fail("a list of %d elements, expected at most %d", n, most)
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

// Closed is a list that must be known to its end before anything is asked of it.
func Closed(v, most any) any {
	whole(listOf(v, most.(Limit)))
	return v
}

// Countable is Closed for a list of which the number is asked, too.
func Countable(v, most any) any {
	counted(listOf(v, most.(Limit)))
	return v
}

// Front is a list up to where it is cut off; Ended is asked after it.
func Front(v, most any) any {
	xs := listOf(v, most.(Limit))
	if n := len(xs); n > 0 && isUnknown(xs[n-1]) {
		return xs[:n-1]
	}
	return v
}

// SomeFront is Front for a list that must not be empty, because a function that
// found nothing may have missed something.
func SomeFront(v, most any) any {
	if len(listOf(v, most.(Limit))) == 0 {
		Fail("nothing was found to look at")
	}
	return Front(v, most)
}

// Ended is true of a list that is known to its end, and an error otherwise;
// Cut is its opposite.
func Ended(v any) bool { whole(v.([]any)); return true }
func Cut(v any) bool   { whole(v.([]any)); return false }

// LengthOf is the number of characters, elements or members of v.
func LengthOf(v any) any {
	switch v := Seen(v).(type) {
	case string:
		return int64(utf8.RuneCountInString(v))
	case []any:
		return int64(len(counted(v)))
	case map[string]any:
		return int64(len(v))
	}
	Fail("found %s, expected a string, a list or an object", KindOf(v))
	return nil
}

// ToInt64 turns expr's counts into our integers.
func ToInt64(v any) any {
	if i, ok := v.(int); ok {
		return int64(i)
	}
	return v
}

// Upper is a string in upper case, and Lower one in lower case.
func Upper(v any) any { return strings.ToUpper(TextOf(v).(string)) }
func Lower(v any) any { return strings.ToLower(TextOf(v).(string)) }

// Matched reports whether a [Pattern] matches anywhere in v.
func Matched(v, re any) bool { return re.(*Pattern).Match(TextOf(v).(string)) }
