package condition

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
)

// TestUnknownIsNotFalse goes through lists that hold what is not known ("?"), a
// glob pattern ("*") and a shell word ("w"). Nothing unknown ever answers t or
// false by itself; what stands before it may.
func TestUnknownIsNotFalse(t *testing.T) {
	const unknown, pattern, empty = "error: a word cannot be told", `error: what "*" matches`, "error: nothing was found"
	const several = `error: how many words "*" becomes`
	rows := []struct{ words, form, want string }{
		// the cut stands at the end
		{`a ?`, `(some (words) (= it "a"))`, "t"},
		{`a ?`, `(some (words) (= it "b"))`, unknown},
		{`a ?`, `(some (words) nil)`, unknown},
		{`?`, `(some (words) t)`, unknown},
		{`a ?`, `(every (words) (= it "a"))`, unknown},
		{`a ?`, `(every (words) (= it "b"))`, "false"},
		{`a ?`, `(every (words) t)`, unknown},
		{`a ?`, `(every-or-empty (words) t)`, unknown},
		{`?`, `(every-or-empty (words) t)`, unknown},
		{`a ?`, `(none (words) (= it "a"))`, "false"},
		{`a ?`, `(none (words) (= it "b"))`, unknown},
		{`?`, `(none-or-empty (words) t)`, unknown},
		{`a ?`, `(= (count (words) t) 1)`, unknown},
		{`a ?`, `(= (len (words)) 2)`, unknown},
		{`a ?`, `(= (filter (words) t) ("a"))`, unknown},
		{`a ?`, `(= (map (words) "x") ("x"))`, unknown},
		{`a ?`, `(in "a" (words))`, "t"},
		{`a ?`, `(in "b" (words))`, unknown},
		{`a ?`, `(not (in "b" (words)))`, unknown},
		{`a ?`, `(= (words) ("a"))`, unknown},
		{`a ?`, `(let ((ws (words))) (some ws (= it "b")))`, unknown},
		{`a ?`, `(let ((ws (words))) (none ws (= it "b")))`, unknown},
		// one in the middle is met in its turn, if it is read
		{`a ? b`, `(some (words) (= it "a"))`, "t"},
		{`a ? b`, `(some (words) (= it "b"))`, unknown},
		{`a ? b`, `(= (count (words) t) 3)`, "t"},
		{`a ? b`, `(in "b" (words))`, unknown},
		{`a ? b`, `(every (words) (or (= it "x") (= it "a")))`, unknown},
		{`a ? b`, `(every (words) (= it "x"))`, "false"},
		{`a ? b`, `(= (map (words) it) (1))`, unknown},
		{`a ? b`, `(some (filter (words) t) (= it "b"))`, unknown},
		{`a ? b`, `(some (words) (globby? it))`, unknown},
		{`a ? b`, `(some (words) (let ((x it)) t))`, "t"},
		{`? b`, `(some (words) (let ((x it)) t))`, unknown},
		// patterns and words
		{`*`, `(some (words) (globby? it))`, "t"},
		{`*`, `(let ((ws (words))) (some ws (let ((x it)) (globby? x))))`, "t"},
		{`*`, `(some (words) (= it "*"))`, pattern},
		{`*`, `(some (words) (contains? it "*"))`, pattern},
		{`*`, `(some (words) (matches? it "."))`, pattern},
		{`*`, `(some (words) (< it "b"))`, pattern},
		{`*`, `(some (words) (in it ("a")))`, pattern},
		{`*`, `(in "a" (words))`, pattern},
		{`*`, `(= (upper "a") (upper (if t "a" "b")))`, "t"},
		{`*`, `(some (map (words) it) (= it "a"))`, several},
		{`*`, `(= (sum (words) (len it)) 1)`, several},
		{`*`, `(= (len (words)) 1)`, several},
		{`*`, `(= (count (words) (globby? it)) 1)`, several},
		{`w`, `(= (len (words)) 1)`, "t"},
		{`?`, `(= (len (words)) 1)`, unknown},
		{`w`, `(some (words) (= it "w"))`, "t"},
		{`w`, `(some (words) (globby? it))`, "false"},
		{`w`, `(some (words) (in it ("w")))`, "t"},
		{`w`, `(some (words) (and (contains? it "w") (matches? it "^w$") (= (upper it) "W") (<= it "w")))`, "t"},
		{`w`, `(= (words) ("w"))`, "t"},
		{`w`, `(= (map (words) (len it)) (1))`, "t"},
		// fields of what was found
		{`a b`, `(some (things) (= it.name "b"))`, "t"},
		{`a *`, `(some (things) (= it.name "b"))`, pattern},
		{`a * b`, `(some (things) (some it.parts (= it "b")))`, pattern},
		{`a ?`, `(every (things) (some it.parts (= it "a")))`, unknown},
		{`a ?`, `(some (things) (none it.parts t))`, unknown},
		{`a ?`, `(some (things) (= (len it.parts) 1))`, unknown},
		// nothing was found, perhaps because something was missed
		{``, `(every (words) (= it "a"))`, empty},
		{``, `(none (words) (= it "a"))`, empty},
		{``, `(every-or-empty (words) (= it "a"))`, "t"},
		{``, `(none-or-empty (words) (= it "a"))`, "t"},
		{``, `(some (words) (= it "a"))`, "false"},
		{``, `(= (count (words) t) 0)`, "t"},
		{``, `(every (filter (words) t) nil)`, empty},
		{``, `(none (map (words) it) t)`, empty},
		{``, `(every (let ((ws (words))) ws) nil)`, empty},
		{``, `(every (if t (words) ("a")) nil)`, empty},
		{`a`, `(every (filter (words) nil) nil)`, empty},
		{`a`, `(every (things) (every it.parts (= it "a")))`, "t"},
		{`a`, `(not (every (words) (= it "a")))`, "false"},
	}
	b, src := bench(t)
	for _, row := range rows {
		c, err := compileText(t, b, src, row.form)
		if !assert.NoError(t, err, row.form) {
			continue
		}
		k := aCase(t)
		var words []sexpr.Value
		for _, w := range strings.Fields(row.words) {
			words = append(words, sexpr.Str(w))
		}
		k.Facts.Ctx = sexpr.Plist("words", sexpr.ListOf(words...))
		got := verdictOf(c, k)
		if strings.HasPrefix(row.want, "error: ") {
			assert.True(t, strings.HasPrefix(got, row.want), "%s over %q: found %s, expected %s", row.form, row.words, got,
				row.want)
			continue
		}
		assert.Equal(t, row.want, got, "%s over %q", row.form, row.words)
	}
}

// TestLongListsAreNotRead: a list that is longer than its price is an error.
func TestLongListsAreNotRead(t *testing.T) {
	b, src := bench(t)
	for _, form := range []string{`(some facts.ctx.long (= it 1))`,
		`(in 1 facts.ctx.long)`, `(= (sum facts.ctx.long) 1)`, `(every facts.ctx.long t)`} {
		c, err := compileText(t, b, src, form)
		require.NoError(t, err)
		k := aCase(t)
		items := make([]sexpr.Value, 256)
		for i := range items {
			items[i] = sexpr.Int64(int64(i))
		}
		k.Facts.Ctx = sexpr.Plist("long", sexpr.ListOf(items...))
		assert.NotContains(t, verdictOf(c, k), "error", form)
		k = aCase(t)
		k.Facts.Ctx = sexpr.Plist("long", sexpr.ListOf(append(items, sexpr.Int64(1))...))
		assert.Equal(t, "error: a list of 257 elements, expected at most 256", verdictOf(c, k), form)
	}
}

// A crash of a function is not a condition that could not be judged: the gate
// gives no answer at all, and reason denies.
func TestACrashIsNoVerdict(t *testing.T) {
	b, src := bench(t)
	c, err := compileText(t, b, src, `(crashes?)`)
	require.NoError(t, err)
	_, err = c.Holds(aCase(t))
	var u *Unjudged
	require.Error(t, err)
	assert.False(t, errors.As(err, &u), "found %v", err)
	assert.Contains(t, err.Error(), "1:1: assignment to entry in nil map")

	c, err = compileText(t, b, src, `(and t (fails?))`)
	require.NoError(t, err)
	_, err = c.Holds(aCase(t))
	require.ErrorAs(t, err, &u)
	assert.Equal(t, sexpr.Pos{Line: 1, Col: 8}, u.Pos, "the error knows the form")
	ok, err := c.Holds(aCase(t))
	assert.False(t, ok)
	assert.Error(t, err, "a machine that met an error is fit for the next run")
}
