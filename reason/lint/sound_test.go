package lint

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/skills"
)

// condition draws a condition over the arguments of pay.
func condition(t *rapid.T, depth int) string {
	kinds := 9
	if depth == 0 {
		kinds = 6
	}
	text := func(label string) string {
		return rapid.SampledFrom([]string{"a", "ab", "abc", "b", "ba"}).Draw(t, label)
	}
	switch rapid.IntRange(0, kinds).Draw(t, "kind") {
	case 0, 1:
		return fmt.Sprintf("(%s action.args.amount %d)",
			rapid.SampledFrom([]string{"=", "/=", "<", "<=", ">", ">="}).Draw(t, "op"),
			rapid.IntRange(-1, 4).Draw(t, "n"))
	case 2:
		return fmt.Sprintf("(%s action.args.to %q)",
			rapid.SampledFrom([]string{"=", "/=", "starts-with?", "ends-with?", "contains?"}).Draw(t, "op"), text("x"))
	case 3:
		if rapid.Bool().Draw(t, "glob") {
			return fmt.Sprintf("(glob-any? action.args.to (%q %q))", "/workspace/"+text("x"), "/workspace/"+text("y"))
		}
		return fmt.Sprintf("(in action.args.to (%q %q))", text("x"), text("y"))
	case 4:
		return fmt.Sprintf("(and (has? action.args.currency) (= action.args.currency %q))",
			rapid.SampledFrom([]string{"EUR", "USD"}).Draw(t, "w"))
	case 5:
		return rapid.SampledFrom([]string{"(missing? action.args.currency)", "(has? action.args.days)",
			`(> (len action.args.to) 1)`,
			`(some action.args.tags (= it "a"))`, `(none-or-empty action.args.tags (starts-with? it "a"))`,
			`(every-or-empty action.args.tags (= it "ab"))`}).Draw(t, "other")
	case 6:
		return fmt.Sprintf("(<= (get action.args.days 7) %d)", rapid.IntRange(0, 8).Draw(t, "n"))
	case 7:
		return "(not " + condition(t, depth-1) + ")"
	case 8:
		return "(if " + condition(t, depth-1) + " " + condition(t, depth-1) + " " + condition(t, depth-1) + ")"
	}
	return "(" + rapid.SampledFrom([]string{"and", "or"}).Draw(t, "op") + " " + condition(t, depth-1) + " " +
		condition(t, depth-1) + ")"
}

// grid is every call of pay that the conditions can tell apart.
func grid() (out []string) {
	for _, to := range []string{"", "a", "ab", "abc", "b", "ba", "aba", "c"} {
		for _, amount := range []string{"0", "0.5", "1", "2", "3", "3.5", "4"} {
			for _, rest := range []string{"", ` :currency "EUR"`, ` :currency "USD" :days 7`, " :days 1"} {
				for _, tags := range []string{"()", `("a")`, `("ab" "c")`, `("ab")`} {
					out = append(out, fmt.Sprintf("(:to %q :amount %s :tags %s%s)", to, amount, tags, rest))
				}
			}
		}
	}
	return out
}

// What lint says of clauses holds for every call: the slow reference asks the gates
// themselves, one by one.
func TestFindingsHoldForEveryCall(t *testing.T) {
	var actions []*skills.Action
	for i, args := range grid() {
		if testing.Short() && i%7 != 0 {
			continue
		}
		actions = append(actions, actionOf(t, "pay", args))
	}
	rapid.Check(t, func(r *rapid.T) {
		text := `(deftool pay :params (:to string :amount (number 0 4) :currency (enum "EUR" "USD") :days (integer 1 9)
			:tags (list string)) :required (:to :amount :tags) :tier :ask)
		(defskill s :trigger (= action.tool "pay") :gate ((`
		kinds := []string{"deny", "ask", "allow"}
		text += rapid.SampledFrom(kinds).Draw(r, "first") + " a :when " + condition(r, 2) + ") ("
		text += rapid.SampledFrom(kinds).Draw(r, "second") + " b :when " + condition(r, 2) + ")))"
		b, err := book(t, fstest.MapFS{"a.lisp": {Data: []byte(text)}})
		require.NoError(t, err, text)
		left := maxWork
		l := &linter{ctx: context.Background(), book: b, names: namesOf(b), left: &left}
		l.clauses = l.read()
		for _, f := range Run(b) {
			c := &l.clauses[strings.Index("ab", f.Rule[2:])]
			other := &l.clauses[1-strings.Index("ab", f.Rule[2:])]
			for _, a := range actions {
				x := &run{action: a}
				x.tool, _ = b.Tool("pay")
				mine, its := l.ask(c, x), l.ask(other, x)
				switch f.ID {
				case dead:
					assert.NotEqual(t, applies, mine, "%s\n%v", text, a.Canonical())
				case always:
					assert.NotEqual(t, passes, mine, "%s\n%v", text, a.Canonical())
				case shadowed, contradictory:
					if mine == applies {
						assert.NotEqual(t, passes, its, "%s\n%v\n%v", text, f, a.Canonical())
					}
				}
			}
		}
		if t.Failed() {
			r.FailNow()
		}
	})
}
