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
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// Fail ends a program because something could not be judged.
func Fail(format string, args ...any) {
	panic(fmt.Errorf(format, args...))
}

// Hinted is an error with advice for the author of the rule. A model hears only of the
// error.
type Hinted struct {
	Err  error
	Hint string
}

// Error says what is wrong.
func (h *Hinted) Error() string { return h.Err.Error() }

// Unwrap returns the error.
func (h *Hinted) Unwrap() error { return h.Err }

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

// IsNull reports whether v is JSON's null.
func IsNull(v any) bool {
	_, ok := v.(skills.Null)
	return ok
}

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

// Upper is a string in upper case.
func Upper(v any) any { return strings.ToUpper(TextOf(v).(string)) }

// Lower is a string in lower case.
func Lower(v any) any { return strings.ToLower(TextOf(v).(string)) }

// Matched reports whether a [Pattern] matches anywhere in v.
func Matched(v, re any) bool { return re.(*Pattern).Match(TextOf(v).(string)) }
