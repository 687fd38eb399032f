package rules

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

const searchTool = `(deftool search :params (:q string :limit (integer 1 1000) :ratio number :tags (list string)
  :sort (enum "up" "down") :opts (object (:deep boolean :max integer) :required (:deep)) :free any :who (nullable string)))
(deflist safe "a" "b") (defcondition many? (n) (> n 100))
`

// rewritten judges one rewrite clause on an action.
func rewritten(t *testing.T, set, args string) skills.Verdict {
	t.Helper()
	b := load(t, searchTool+`(defskill s :trigger (= action.tool "search") :gate ((rewrite r `+set+` :reason "why")))`)
	tool, _ := b.Tool("search")
	v, err := b.Skills("")[0].Gates[0].Judge(context.Background(),
		skills.NewCase(call(t, "search", args), tool, &skills.Facts{Ctx: sexpr.Plist("big", sexpr.Int64(1<<60))}))
	require.NoError(t, err)
	return v
}

// TestComputedRewrites: a value of :set that is a form is computed on each action;
// everything else is what it is.
func TestComputedRewrites(t *testing.T) {
	for _, row := range []struct{ set, args, want string }{
		{`(:limit 5)`, `(:limit 500)`, `(:limit 5)`},
		{`(:limit (if (many? action.args.limit) 100 action.args.limit))`, `(:limit 500)`, `(:limit 100)`},
		{`(:limit (if (many? action.args.limit) 100 action.args.limit))`, `(:limit 50)`, `(:limit 50)`},
		{`(:q (upper action.args.q) :limit 5)`, `(:q "x")`, `(:q "X" :limit 5)`},
		{`(:q action.args.who)`, `(:who "ana")`, `(:q "ana")`},
		{`(:tags safe)`, `()`, `(:tags ("a" "b"))`},
		{`(:tags ("x" "y"))`, `()`, `(:tags ("x" "y"))`},
		{`(:tags '("x" "y"))`, `()`, `(:tags ("x" "y"))`},
		{`(:tags (filter action.args.tags (in it safe)))`, `(:tags ("a" "c" "b"))`, `(:tags ("a" "b"))`},
		{`(:tags (filter action.args.tags (in it safe)))`, `(:tags ("c"))`, `(:tags nil)`},
		{`(:free (map action.args.tags (len it)))`, `(:tags ("c" "dd"))`, `(:free (1 2))`},
		{`(:opts (:deep (many? action.args.limit) :max 5))`, `(:limit 101)`, `(:opts (:deep t :max 5))`},
		{`(:opts (:max (+ action.args.limit 1)))`, `(:limit 101)`, `(:opts (:max 102))`},
		{`(:free (:a (:b action.args.q)))`, `(:q "x")`, `(:free (:a (:b "x")))`},
		{`(:free action.args)`, `(:q "x" :opts (:deep t))`, `(:free (:opts (:deep t) :q "x"))`},
		{`(:who null :ratio (/ action.args.limit 2))`, `(:limit 5)`, `(:who null :ratio 2.5)`},
		{`(:free (get action.args.opts {}))`, `()`, `(:free {})`},
	} {
		v := rewritten(t, ":set "+row.set, row.args)
		assert.Equal(t, "why", v.(skills.Rewrite).Reason.Text)
		assert.Equal(t, row.want, v.(skills.Rewrite).Set.String(), row.set)
	}
	// What is not known is not set to anything: the action is denied.
	for set, want := range map[string]string{
		`(:limit 5 :q (upper action.args.q))`: "action.args.q is not there",
		`(:limit (+ action.args.limit 1))`:    "action.args.limit is not there",
		`(:free facts.ctx.big)`:               "2^53",
		`(:opts (:deep action.args.who))`:     "action.args.who is not there",
	} {
		v := rewritten(t, ":set "+set, "()")
		assert.Equal(t, "s/r/error", v.(skills.Deny).Reason.Key, set)
		assert.Contains(t, v.(skills.Deny).Reason.Text, want, set)
	}
	assert.Equal(t, skills.Pass{}, rewritten(t, `:when nil :set (:q (upper action.args.q))`, "()"))
}

// TestRewritesAreTyped: what a schema can never take does not load.
func TestRewritesAreTyped(t *testing.T) {
	for set, want := range map[string]string{
		`(:limt 5)`:                      ":limt is not among the :params; did you mean :limit?",
		`(:limit "5")`:                   `:limit is "5", expected an integer from 1 to 1000`,
		`(:limit 5000)`:                  `:limit is 5000, expected an integer from 1 to 1000`,
		`(:limit (upper action.args.q))`: `:limit is computed to be a string, expected an integer from 1 to 1000`,
		`(:limit action.args.q)`:         `:limit is computed to be a string, expected an integer from 1 to 1000`,
		`(:q (+ action.args.limit 1))`:   `:q is computed to be an integer, expected a string`,
		`(:tags action.args.q)`:          `:tags is computed to be a string, expected a list, each of it a string`,
		`(:sort "sideways")`:             `:sort is "sideways", expected one of`,
		`(:sort (if t "sideways" "up"))`: ``,
		`(:opts (:deep 5))`:              `:deep is 5, expected t or false`,
		`(:opts (:dep t))`:               `:dep is not among the :params; did you mean :deep?`,
		`(:opts 5)`:                      `:opts is 5, expected a plist with the keys :deep :max`,
		`(:q (:a (upper "x")))`:          `:q is (:a (upper "x")), expected a string`,
		`(:q (upper action.args.qq))`:    `search has no qq; did you mean q?`,
		`(:q (uper action.args.q))`:      `unknown operator or function uper; did you mean upper?`,
		`(:q action)`:                    `the action itself is not a value`,
		`(:tags ((upper "x")))`:          `:tags is a list of literals, found (upper "x") in it; map and filter compute a list`,
		`(:q (if nil (some action.args.tags (some action.args.tags (= it "x"))) "x"))`: `at worst :q of rewrite r takes`,
		`(:free (some action.args.tags (some ("a" "b" "c" "d" "e" "f" "g" "h" "i" "j" "k" "l" "m" "n") (= it "x"))) ` +
			`:who (if (some action.args.tags (some ("a" "b" "c" "d" "e" "f" "g" "h" "i" "j" "k" "l" "m" "n") (= it "x"))) "a" "b") ` +
			`:q (if (some action.args.tags (some ("a" "b" "c" "d" "e" "f" "g" "h" "i" "j" "k" "l" "m" "n") (= it "x"))) "a" "b") ` +
			`:sort (if (some action.args.tags (some ("a" "b" "c" "d" "e" "f" "g" "h" "i" "j" "k" "l" "m" "n") (= it "x"))) "up" "down"))`: `at worst the values of rewrite r take`,
	} {
		text := searchTool + `(defskill s :gate ((rewrite r :when (and (= action.tool "search") t) :set ` + set + `)))`
		_, err := Load(folder(t, "a.lisp", text))
		if want == "" {
			assert.NoError(t, err, set)
			continue
		}
		assert.ErrorContains(t, err, want, set)
	}
	// What was in force once is judged as it was.
	recorded(t,
		searchTool+`(defskill s :trigger (= action.tool "search") :gate ((rewrite r :set (:limit "5" :opts (:x 1)))))`)
}
