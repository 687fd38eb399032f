package value

import (
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/skills/facts"
)

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

// The loops see lists through these. Most is a [Limit].

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
		panic(errNothing)
	}
	return Front(v, most)
}

var errNothing = &Hinted{errors.New("nothing was found to look at"),
	"where finding nothing is fine, write every-or-empty for every, and none-or-empty for none"}

// Ended is true of a list that is known to its end, and an error otherwise.
func Ended(v any) bool { whole(v.([]any)); return true }

// Cut is false of such a list, and the same error.
func Cut(v any) bool { whole(v.([]any)); return false }

// Reached reports whether at is the place of an element of list. If it is none, because
// nothing was found in a list that was cut off, that is an error.
func Reached(list, at any) bool {
	if _, ok := at.(int); ok {
		return true
	}
	whole(list.([]any))
	return false
}

// Before is the part of a list before the place at.
func Before(list, at any) any { return list.([]any)[:at.(int)] }
