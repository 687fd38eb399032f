package rules_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills/rules"
)

const hintTools = `
(deftool pay :params (:to string :amount integer) :required (:to :amount) :tier :allow :class :pay)
(defcondition strange? (x) (not (trusted? x)))
`

// A denial that rests on origin gives no hint, wherever the question stands.
func TestAHintForADenialThatRestsOnOriginDoesNotLoad(t *testing.T) {
	const origin = "rests on origin (trusted?), and no edit of the model's mends where a value came from; take :hint out"
	const none = "reads no argument, so no edit of the arguments mends what it denies; take :hint out"
	for _, c := range []struct{ rule, want string }{
		{`(defskill s :gate ((deny d :when (not (trusted? action.args.to)) :reason "x" :hint t)))`,
			"a.lisp:4:84: what deny d denies " + origin},
		{`(defskill s :gate ((deny d :when "not trusted(action.args.to)" :reason "x" :hint t)))`, origin},
		{`(defskill s :gate ((deny d :when (and (> action.args.amount 5) (strange? action.args.to)) :reason "x" :hint t)))`,
			origin},
		{`(defskill s :trigger (strange? action.args.to) :gate ((deny d :when (> action.args.amount 5) :reason "x" :hint t)))`,
			origin},
		{`(definvariant i :holds (trusted? action.args.to) :hint t)`, "what definvariant i denies " + origin},
		{`(definvariant i :when (strange? action.args.to) :holds (< action.args.amount 5) :hint t)`, origin},
		{`(defskill s :gate ((deny d :reason "x" :hint t)))`, "the condition of deny d " + none},
		{`(defskill s :gate ((deny d :when (= session.principal "eve") :reason "x" :hint t)))`, none},
		{`(defskill s :gate ((deny d :when (> action.args.amount 5) :reason "x" :hint "yes")))`,
			`:hint is "yes", expected t or nil`},
		{`(defskill s :gate ((ask d :when (> action.args.amount 5) :reason "x" :hint t)))`, "unknown key :hint in ask d"},
		{`(defskill s :gate ((allow d :when (> action.args.amount 5) :reason "x" :hint t)))`, "unknown key :hint in allow d"},
	} {
		_, err := rules.Load(fstest.MapFS{"a.lisp": {Data: []byte(hintTools + c.rule)}})
		require.Error(t, err, c.rule)
		assert.Contains(t, err.Error(), c.want)
	}
	for _, good := range []string{
		`(defskill s :gate ((deny d :when (> action.args.amount 5) :reason "x" :hint t)))`,
		`(defskill s :gate ((deny d :when (not (trusted? action.args.to)) :reason "x" :hint nil)))`,
		`(definvariant i :when (= action.tool "pay") :holds (< action.args.amount 5) :hint t)`,
	} {
		_, err := rules.Load(fstest.MapFS{"a.lisp": {Data: []byte(hintTools + good)}})
		assert.NoError(t, err, good)
	}
}

// An example may say which hint it expects, or none.
func TestAnExampleExpectsAHint(t *testing.T) {
	for want, problem := range map[string]string{
		`(:at ("amount") :set 5)`: "",
		`nil`:                     "found (:at (\"amount\") :set 5) in its hint, expected nil",
		`(:at ("amount") :set 4)`: "found (:at (\"amount\") :set 5) in its hint, expected (:at (\"amount\") :set 4)",
		`5`:                       `:hint is 5, expected an edit such as (:at ("amount") :set 500), or nil for none`,
	} {
		_, err := reason.LoadRules(fstest.MapFS{"a.lisp": {Data: []byte(hintTools + `
(defskill s :gate ((deny d :when (> action.args.amount 5) :reason "x" :hint t)))
(defexample "e" :action (:tool "pay" :args (:to "ana" :amount 9)) :expect (deny s/d) :hint ` + want + ")")}})
		if problem == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, problem)
	}
}
