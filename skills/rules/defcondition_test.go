package rules

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/skills"
)

const payTools = `(deftool pay :params (:to string :amount number :note string) :required (:to :amount))
(deftool look :params (:at string) :required (:at))
`

// TestNamedConditions: a condition with a name is used wherever a condition may stand,
// in any file.
func TestNamedConditions(t *testing.T) {
	b, err := Load(folder(t,
		"z.lisp", payTools+`(deflist friends "ana" "bo")
(defcondition friend? (who) "Somebody we know." (in (lower who) friends))
(defcondition payment () (= action.tool "pay"))
(defcondition big? (n limit) (> n limit))
(defcondition big-payment? (limit) (and (payment) (big? action.args.amount limit)))
(defcondition spoken? (text) "text contains 'please'")`,
		"a.lisp", `
(defskill s :trigger (payment)
  :gate ((deny strange :when (not (friend? action.args.to)))
         (ask big :when "big(action.args.amount, 100) and not spoken(get(action.args.note, ''))")))
(definvariant cap :when (payment) :holds (not (big-payment? 1000)))`))
	require.NoError(t, err)
	for args, want := range map[string][]string{
		`(:to "Ana" :amount 5)`:                    nil,
		`(:to "eve" :amount 5)`:                    {"deny s/strange"},
		`(:to "bo" :amount 500)`:                   {"ask s/big"},
		`(:to "bo" :amount 500 :note "please do")`: nil,
		`(:to "bo" :amount 5000)`:                  {"ask s/big", "deny invariant/cap"},
	} {
		assert.Equal(t, want, judge(t, b, call(t, "pay", args), nil), args)
	}
	assert.Empty(t, b.Skills("look"), "the index sees through a name")
	args, doc, ok := b.Calculator().Condition("friend?")
	assert.Equal(t, []any{"who", "Somebody we know.", true}, []any{args, doc, ok})
}

// TestNamedConditionsGoWrong: what is wrong is told where it stands, and where it is used.
func TestNamedConditionsGoWrong(t *testing.T) {
	used := func(cond string) string {
		return "\n(defskill s :trigger (= action.tool \"pay\") :gate ((deny x :when " + cond + ")))"
	}
	const here, here2 = ", used at a.lisp:4:65", ", used at a.lisp:4:77"
	for text, want := range map[string]string{
		// wrong by itself: told once, and not again where it is used
		`(defcondition c (x) (> x "a" 5))` + used(`(c 5)`): "a.lisp:3:21: > takes 2 arguments, found 3",
		`(defcondition c (x) (> y 5))` + used(`(c 5)`):     "a.lisp:3:24: unknown name y",
		`(defcondition c (x) "x > y")` + used(`(c 5)`):     "a.lisp:3:26: unknown name y",
		`(defcondition c (x) "x >")` + used(`(c 5)`):       "a.lisp:3:24: the text ends where a value is due",
		`(defcondition c (x) 5)` +
			used(`(c 5)`): "a.lisp:3:21: found an integer, expected a condition, which is t or false",
		`(defcondition c (x) (= it 5))` + used(`(c 5)`): "a.lisp:3:24: it stands for an element",
		`(defcondition c? (x) (d? x)) (defcondition d? (x) (c? x))`: "a.lisp:3:51: a cycle: c? uses d? uses c?; a " +
			"condition cannot be made of itself",
		`(defcondition c () (not (c)))`: "a.lisp:3:25: a cycle: c uses c; a condition",
		`(defcondition c (x))`: "a.lisp:3:1: found (defcondition c (x)), expected " +
			"(defcondition c (x ...) CONDITION)",
		`(defcondition c x t)`:        "expected (defcondition c (x ...) CONDITION)",
		`(defcondition c (5) t)`:      "a.lisp:3:18: found 5, expected a name for an argument",
		`(defcondition c (x.y) t)`:    "a.lisp:3:18: found x.y, expected a name for an argument",
		`(defcondition c (x x) t)`:    "a.lisp:3:20: the name x is taken already",
		`(defcondition c (now) t)`:    "a.lisp:3:18: the name now is built in",
		`(defcondition under? (x) t)`: "a.lisp:3:15: the name under? is built in",
		`(defcondition c () t) (deflist c 1)`: "a.lisp:3:1: the name c is taken already, by a " +
			"deflist at a.lisp:3:32",
		`(defcondition c () t) (defcondition c () t)`: "a.lisp:3:37: defcondition c is defined twice, first " +
			"at a.lisp:3:15",
		`(defcondition big? (x) t)` + used(`(bigg? 5)`): "unknown operator or function bigg?; did you mean big?",
		// wrong where it is used
		`(defcondition c (x) (> x 5))` +
			used(`(c "a")`): `a.lisp:3:21: a string and an integer cannot be compared` + here,
		`(defcondition c (x) (> x 5))` +
			used(`(c action.args.to)`): `a.lisp:3:21: a string and an integer cannot be compared` + here,
		`(defcondition c () (= action.args.too "x"))` + used(`(c)`): `a.lisp:3:23: pay has no too; did you mean to?` +
			here,
		`(defcondition c (x) (matches? action.text x))` +
			used(`(c "(")`): "the pattern cannot be read: missing closing ): `(`" +
			here,
		`(defcondition c (x) (> (len (calls x)) 1))` +
			used(`(c "lok")`): `no tool "lok" is declared; did you mean look?; a deftool declares it, also where others run it` +
			here,
		`(defcondition c (x) (matches? "a" x))` +
			used(`(c action.text)`): `a.lisp:3:35: a pattern is a literal string; it comes last: (matches? TEXT "PATTERN")` +
			here,
		`(defcondition c (x y) t)` +
			used(`(c 5)`): `a.lisp:4:65: c takes 2 arguments, found 1: (c x y)`,
		`(defcondition c (x) t)` + used(`(c action)`): `a.lisp:4:68: the action itself is not a value`,
		`(defcondition c (x) (some x (= it 1))) (defcondition d (x) (c x))` +
			used(`(d 5)`): `a.lisp:3:27: found an integer, expected a list, used at a.lisp:3:60` + here,
		`(defcondition c (x) (some x (some x t)))` +
			used(`(some ("a") (c ("a")))`): "a.lisp:3:29: some inside 2 others, expected at most 2 loops inside each other" +
			here2,
		`(defcondition c (x) (some x (= it 1)))` +
			used(`(some ("a") (some ("b") (c (1))))`): "a.lisp:3:21: some inside 2 others",
	} {
		_, err := Load(folder(t, "a.lisp", payTools+text))
		if !assert.ErrorContains(t, err, want, text) {
			continue
		}
		if !strings.Contains(want, "used at") {
			var list ErrorList
			require.ErrorAs(t, err, &list)
			assert.Len(t, list, 1, "%s\n%s", text, err)
		}
	}
}

// TestNamedConditionsCost: what a condition costs is what it says, written out.
func TestNamedConditionsCost(t *testing.T) {
	var b strings.Builder
	b.WriteString("(defcondition c0 (x) (and (= x 1) (= x 1)))\n")
	for i := range 15 {
		fmt.Fprintf(&b, "(defcondition c%d (x) (and (c%d x) (c%d x)))\n", i+1, i, i)
	}
	use := func(cond string) error {
		_, err := Load(folder(t, "a.lisp", b.String()+"(defskill s :gate ((deny x :when "+cond+")))"))
		return err
	}
	assert.NoError(t, use(`(c5 1)`))
	assert.ErrorContains(t, use(`(some session.calls (c7 1))`), "steps, expected at most 50000")
	assert.ErrorContains(t, use(`(c15 1)`), "with all definitions written out, the condition has more than 10000 forms, "+
		"used at a.lisp:9:27, used at a.lisp:10:34, used at a.lisp:17:34") // of fifteen places the first and the last
	b.Reset()
	b.WriteString("(defcondition c0 (x) (= x 1))\n")
	for i := range 16 {
		fmt.Fprintf(&b, "(defcondition c%d (x) (c%d x))\n", i+1, i)
	}
	assert.NoError(t, use(`(c15 1)`))
	assert.ErrorContains(t, use(`(if nil (c16 1) t)`), "17 conditions inside each other, expected at most 16")
}

// TestNamedConditionsThatErr: what cannot be judged is told with its place in the
// definition's file; where that is used is for people alone.
func TestNamedConditionsThatErr(t *testing.T) {
	b, err := Load(folder(t, "b.lisp", "(defcondition c (x)\n  (> x action.args.limit))\n(defcondition d (y) (c y))",
		"a.lisp", "(defskill s :gate ((deny x\n  :when (d action.args.n) :reason \"r\")))"))
	require.NoError(t, err)
	v, err := b.Skills("")[0].Gates[0].Judge(context.Background(),
		skills.NewCase(call(t, "x", `(:n 5)`), nil, &skills.Facts{}))
	require.NoError(t, err)
	assert.Equal(t, skills.Deny{Reason: skills.Reason{
		Key: "s/x/error", Text: "could not be judged (r): action.args.limit is not there", Pos: "b.lisp:2:8",
		Advice: "used at b.lisp:3:21, used at a.lisp:2:9", Retryable: true,
	}}, v)
	v, err = b.Skills("")[0].Gates[0].Judge(context.Background(),
		skills.NewCase(call(t, "x", `(:m 5)`), nil, &skills.Facts{}))
	require.NoError(t, err)
	assert.Equal(t, "a.lisp:2:12", v.(skills.Deny).Reason.Pos, "an argument stands where it is written")
}

// TestAskKeysHoldTheConditionsTheyName: who edits a condition, or one that it uses, or a
// list that this names, must be asked again.
func TestAskKeysHoldTheConditionsTheyName(t *testing.T) {
	key := func(list, inner, outer string) string {
		b := load(t, fmt.Sprintf(`(deflist l %s) (defcondition c (x) %s) (defcondition d (x) %s)
			(defskill s :gate ((ask a :when (d action.tool))))`, list, inner, outer))
		v, err := b.Skills("")[0].Gates[0].Judge(context.Background(),
			skills.NewCase(call(t, "x", `()`), nil, &skills.Facts{}))
		require.NoError(t, err)
		return v.(skills.Ask).Slot.Key.String()
	}
	one := key(`"x"`, `(in x l)`, `(c x)`)
	assert.Equal(t, one, key(`"x"`, `(in x l)`, `(c x)`))
	assert.NotEqual(t, one, key(`"x" "y"`, `(in x l)`, `(c x)`))
	assert.NotEqual(t, one, key(`"x"`, `(in x ("x"))`, `(c x)`))
	assert.NotEqual(t, one, key(`"x"`, `(in x l)`, `(and (c x))`))
}

// TestNamedConditionsOfModels: the models are chosen before there is an action, by
// whatever name it is looked at.
func TestNamedConditionsOfModels(t *testing.T) {
	_, err := Load(folder(t, "a.lisp", `(defcondition c () (= action.tool "x")) (defcondition d () (not (c)))
		(defmodels m :when (d) :use ("small"))`))
	assert.ErrorContains(t, err, "defmodels m looks at the action")
}

// TestNamesThatWereGivenBefore: a rulebook on record may have given a name that is built
// in by now. It means what it meant.
func TestNamesThatWereGivenBefore(t *testing.T) {
	const text = `(deflist upper "a") (defcondition lower (x) (= x 1))
		(defskill s :gate ((deny x :when (let ((len 1)) (and (in "a" upper) (lower len))))))`
	_, err := Load(folder(t, "a.lisp", text))
	assert.ErrorContains(t, err, "the name upper is built in")
	assert.Equal(t, []string{"deny s/x"}, judge(t, recorded(t, text), call(t, "x", "()"), nil))
}
