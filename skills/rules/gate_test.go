package rules

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// answers loads one clause and judges one action on it.
func answer(t testing.TB, clause string, a *skills.Action) skills.Verdict {
	t.Helper()
	b := load(t, "(deflist pets \"cat\")\n(defskill s :gate ("+clause+"))")
	v, err := b.Skills("")[0].Gates[0].Judge(context.Background(), skills.NewCase(a, nil, &skills.Facts{}))
	require.NoError(t, err)
	return v
}

// TestWhatClausesAnswer goes through the kinds of clause: the condition holds,
// does not, and cannot be judged, which never helps the action.
func TestWhatClausesAnswer(t *testing.T) {
	a := call(t, "x", "(:n 1)")
	const holds, not, unjudged = "(= action.args.n 1)", "(= action.args.n 2)", "(= action.args.m 1)"
	why := func(key string) skills.Reason {
		return skills.Reason{Key: key, Text: "because", Pos: "a.lisp:2:20", Retryable: true}
	}
	failed := skills.Reason{
		Key: "s/c/error", Text: "could not be judged (because): action.args.m is not there", Pos: "a.lisp:2:",
		Retryable: true,
	}
	clause := func(kind, when, more string) string {
		return fmt.Sprintf(`(%s c :when %s :reason "because" %s)`, kind, when, more)
	}
	assert.Equal(t, skills.Deny{Reason: why("s/c")}, answer(t, clause("deny", holds, ""), a))
	assert.Equal(t, skills.Allow{Reason: why("s/c")}, answer(t, clause("allow", holds, ""), a))
	assert.Equal(t, why("s/c"), answer(t, clause("ask", holds, ""), a).(skills.Ask).Reason)
	rewrite := answer(t, clause("rewrite", holds, ":set (:n 2)"), a).(skills.Rewrite)
	assert.Equal(t, why("s/c"), rewrite.Reason)
	assert.Equal(t, "(:n 2)", rewrite.Set.String())
	for _, kind := range []string{"deny", "allow", "ask", "rewrite"} {
		more := ""
		if kind == "rewrite" {
			more = ":set (:n 2)"
		}
		assert.Equal(t, skills.Pass{}, answer(t, clause(kind, not, more), a), kind)
		var got skills.Reason
		switch v := answer(t, clause(kind, unjudged, more), a).(type) {
		case skills.Deny:
			assert.Contains(t, []string{"deny", "rewrite"}, kind)
			got = v.Reason
		case skills.Ask:
			assert.Equal(t, "ask", kind)
			got = v.Reason
		case skills.Pass:
			assert.Equal(t, "allow", kind)
			assert.Equal(t, failed.Text, v.Note)
			continue
		case skills.Allow, skills.Rewrite, skills.Asks:
			require.Failf(t, "another verdict", "%s: %T", kind, v)
		}
		assert.True(t, strings.HasPrefix(got.Pos, failed.Pos), got.Pos)
		got.Pos = failed.Pos
		assert.Equal(t, failed, got, kind)
	}
}

func TestInvariantsAnswer(t *testing.T) {
	for _, row := range []struct{ when, holds, want string }{
		{"t", "(= action.args.n 1)", ""},
		{"t", "(= action.args.n 2)", "deny invariant/i"},
		{"t", "(= action.args.m 1)", "deny invariant/i/error"},
		{"(= action.args.m 1)", "t", "deny invariant/i/error"},
		{"(= action.args.n 2)", "(= action.args.m 1)", ""},
		{`(= action.tool "y")`, "nil", ""},
		{`(= action.tool "x")`, "nil", "deny invariant/i"},
		{`(and (= action.tool "x") (= action.args.n 2))`, "nil", ""},
		{`(and (= action.tool "x") (= action.args.m 2))`, "nil", "deny invariant/i/error"},
		{`(and (= action.tool "y") (= action.args.m 2))`, "nil", ""},
	} {
		b := recorded(t, fmt.Sprintf("(definvariant i :when %s :holds %s)", row.when, row.holds))
		got := strings.Join(judge(t, b, call(t, "x", "(:n 1)"), nil), " ")
		assert.Equal(t, row.want, got, "%s %s", row.when, row.holds)
		got = ""
		for _, g := range b.Invariants("") { // the index only leaves out what passes
			v, err := g.Judge(context.Background(), skills.NewCase(call(t, "x", "(:n 1)"), nil, &skills.Facts{}))
			require.NoError(t, err)
			if r, ok := v.(skills.Deny); ok {
				got = "deny " + r.Reason.Key
			}
		}
		assert.Equal(t, row.want, got, "without the index: %s %s", row.when, row.holds)
	}
}

// An edited clause, an edited list and other approvers have other ask keys;
// white space and comments do not count.
func TestAskKeys(t *testing.T) {
	key := func(text string) sexpr.Digest {
		b := load(t, text)
		v, err := b.Skills("")[0].Gates[0].Judge(context.Background(),
			skills.NewCase(call(t, "cat", "()"), nil, &skills.Facts{}))
		require.NoError(t, err)
		return v.(skills.Ask).Slot.Key
	}
	base := key(`(deflist pets "cat") (deflist other "x") (defskill s :gate ((ask a :when (in action.tool pets) :reason "r")))`)
	assert.Equal(t, base, key(`(deflist other "y") (defskill s :doc "new" :priority 5 :gate ((ask a  :when (in
		action.tool pets) ; why
		:reason "r"))) (deflist pets "cat")`))
	for what, text := range map[string]string{
		"the list":      `(deflist pets "cat" "dog") (defskill s :gate ((ask a :when (in action.tool pets) :reason "r")))`,
		"the condition": `(deflist pets "cat") (defskill s :gate ((ask a :when (and t (in action.tool pets)) :reason "r")))`,
		"the reason":    `(deflist pets "cat") (defskill s :gate ((ask a :when (in action.tool pets) :reason "R")))`,
		"who approves":  `(deflist pets "cat") (defskill s :gate ((ask a :when (in action.tool pets) :reason "r" :approvers :admin)))`,
		"how many":      `(deflist pets "cat") (defskill s :gate ((ask a :when (in action.tool pets) :reason "r" :quorum 2)))`,
		"its name":      `(deflist pets "cat") (defskill s :gate ((ask b :when (in action.tool pets) :reason "r")))`,
	} {
		assert.NotEqual(t, base, key(text), what)
	}
	ask := answer(t, `(ask a :when (= action.args.m 1) :approvers :admin :quorum 3)`, call(t, "x", "()")).(skills.Ask)
	assert.Equal(t, "admin", ask.Slot.Class)
	assert.Equal(t, 3, ask.Slot.Quorum)
	plain := answer(t, `(ask a :when t :approvers :admin :quorum 3)`, call(t, "x", "()")).(skills.Ask)
	assert.NotEqual(t, plain.Slot.Key, ask.Slot.Key, "who agreed to the action has not agreed to what nobody could judge")
}

// TestW12_AHalfLoadedSkillDoesNotExist: the ancestor loaded what it could and
// called it ready; a trigger that failed switched its gate off. Here one mistake
// anywhere loads nothing, and a trigger that cannot be judged is an error, which
// denies.
func TestW12_AHalfLoadedSkillDoesNotExist(t *testing.T) {
	_, err := Load(folder(t, "a.lisp", `(defskill good :gate ((deny all)))`, "b.lisp",
		`(defskill bad :trigger (= acton.tool "x") :gate ((allow all)))`))
	require.ErrorContains(t, err, "b.lisp:1:27: unknown name acton.tool")

	b := load(t, `(defskill s :mandatory t :trigger (= action.args.mode "x") :gate ((deny all)))`)
	s := b.Skills("x")[0]
	assert.True(t, s.Mandatory)
	on, err := s.Trigger(skills.NewCase(call(t, "x", "()"), nil, &skills.Facts{}))
	require.ErrorContains(t, err, "action.args.mode is not there")
	assert.False(t, on)
	_, err = s.Trigger(skills.NewCase(nil, nil, &skills.Facts{}))
	require.Error(t, err, "no action is not an action on another tool")
}

// TestW13_ARuleFileCannotRedefine: the ancestor's skills could redefine core
// functions as they were loaded. Here nothing that a file defines stands in the
// place of anything built in, and a file cannot say anything but definitions.
func TestW13_ARuleFileCannotRedefine(t *testing.T) {
	for _, f := range facts.Core() {
		_, err := Load(folder(t, "a.lisp", fmt.Sprintf(`(deflist |%s| "x")`, f.Name)))
		require.Error(t, err, f.Name)
		_, err = Load(folder(t, "a.lisp", fmt.Sprintf(`(defskill s :gate ((deny r :when (let ((|%s| 1)) t))))`, f.Name)))
		require.ErrorContains(t, err, "is built in", f.Name)
	}
	for _, op := range load(t, "").Calculator().Operators() {
		_, err := Load(folder(t, "a.lisp", fmt.Sprintf(`(defskill s :gate ((deny r :when (let ((|%s| 1)) t))))`, op)))
		require.ErrorContains(t, err, "is built in", op)
	}
	for _, name := range []string{"action", "signal", "session", "facts", "now", "it", "t", "nil"} {
		_, err := Load(folder(t, "a.lisp", fmt.Sprintf(`(deflist %s "x")`, name)))
		require.Error(t, err, name)
	}
	for _, form := range []string{`(defun under? (a b) t)`,
		`(setf x 1)`, `(eval "x")`, `(load "x")`, `(defmacro x ())`, `#.(quit)`, `(progn (defskill x))`} {
		_, err := Load(folder(t, "a.lisp", form))
		require.Error(t, err, form)
	}
	_, err := Load(folder(t, "a.lisp", `(deftool reply :tier :deny)`))
	require.ErrorContains(t, err, "the tool reply is built in")
}

// TestTheIndexLeavesOutWhatPasses compares a rulebook with itself asked rule by
// rule, without the index, over random skills.
func TestTheIndexLeavesOutWhatPasses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	triggers := []string{
		`t`, `(= action.tool "a")`, `(= "b" action.tool)`, `(in action.tool ("a" "c"))`, `(in action.tool '(:b))`,
		`(and (= action.tool "a") (= action.args.n 1))`,
		`(and (and (in action.tool ("a" "b")) t) (= action.args.n 2))`,
		`(or (= action.tool "a") (= action.tool "b"))`, `(not (= action.tool "a"))`,
		`(and (= action.args.n 1) (= action.tool "c"))`,
		`"action.tool == 'b' && action.args.n == 1"`, `(in action.tool ())`, `(= action.args.n 1)`,
	}
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "(defskill s%d :priority %d :trigger %s :gate ((ask x) (deny y :when (= action.args.n 2))))\n",
			i, r.IntN(5), triggers[r.IntN(len(triggers))])
	}
	b := recorded(t, text.String())
	assert.Equal(t, 120, b.Len())
	for _, tool := range []string{"a", "b", "c", "d"} {
		for _, args := range []string{"(:n 1)", "(:n 2)", "()"} {
			a := call(t, tool, args)
			asked := func(all []*skills.Skill) (names []string) {
				for _, s := range all {
					on := s.Trigger == nil
					if !on {
						var err error
						if on, err = s.Trigger(skills.NewCase(a, nil, &skills.Facts{})); err != nil {
							names = append(names, "error "+s.Name)
						}
					}
					if on {
						names = append(names, s.Name)
					}
				}
				return names
			}
			assert.Equal(t, asked(b.Skills("")), asked(b.Skills(tool)), "%s %s", tool, args)
			for _, s := range b.Skills("") {
				if s.Tools != nil && !contains(s.Tools, tool) {
					on, err := s.Trigger(skills.NewCase(a, nil, &skills.Facts{}))
					assert.False(t, on)
					assert.NoError(t, err)
				}
			}
		}
	}
	assert.Less(t, len(b.Skills("d")), len(b.Skills("a")))
}

func TestSkillsComeInOrder(t *testing.T) {
	b := load(t, `(defskill c :priority 5) (defskill a) (defskill b :priority 5 :prompt "p" :augment "x" :doc "d") (defskill d :priority -1)`)
	var names []string
	for _, s := range b.Skills("any") {
		names = append(names, s.Name)
	}
	assert.Equal(t, []string{"b", "c", "a", "d"}, names)
	first := b.Skills("any")[0]
	assert.Equal(t, []string{"p", "x", "d"}, []string{first.Prompt, first.Augment, first.Doc})
}

// One rulebook, many goroutines, each with its own case; and many loads at once.
func TestRulebooksAreShared(t *testing.T) {
	b := load(t,
		`(defskill s :gate ((deny a :when (some action.args.xs (= it 3))) (ask b :when (= action.args.gone 1))))`)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 200 {
				a := call(t, "x", fmt.Sprintf("(:xs (%d 2 %d))", i, j%4))
				want := []string{"ask s/b/error"}
				if i == 3 || j%4 == 3 {
					want = []string{"deny s/a", "ask s/b/error"}
				}
				assert.Equal(t, want, judge(t, b, a, nil))
			}
			_, err := Load(folder(t, "a.lisp", `(defskill s :gate ((deny a :when (some action.args.xs (= it 3)))))`))
			assert.NoError(t, err)
		})
	}
	wg.Wait()
}

// What a decision reads of the session is noted, and nothing else is.
func TestReadsAreNoted(t *testing.T) {
	for form, want := range map[string][]string{
		`(= action.tool "x")`:              {},
		`(in "a" session.roles)`:           {},
		`(= session.principal "p")`:        {},
		`(contains? session.user-text "")`: {"session/s"},
		`(none session.calls t)`:           {"session/s"},
		`(< (spent :money :day) 5)`:        {"principal/p"},
	} {
		b := load(t, "(deftool pay :spends (:money 1)) (defskill s :gate ((deny a :when "+form+")))")
		c := skills.NewCase(call(t, "x", "()"), nil,
			&skills.Facts{Now: 5, Session: skills.Session{ID: "s", Principal: "p", Roles: []string{"a"}}})
		_, err := b.Skills("")[0].Gates[0].Judge(context.Background(), c)
		require.NoError(t, err)
		assert.ElementsMatch(t, want, c.Reads(), form)
	}
}

// TestJudgingAllocatesNothing: the way to an allow, with expr's machine and our
// checks on it.
func TestJudgingAllocatesNothing(t *testing.T) {
	b := recorded(t, `(defskill s :trigger (= action.tool "pay") :gate (
		(deny a :when (> action.args.amount 100))
		(deny b :when (in action.args.currency ("XXX" "YYY")))
		(deny c :when (some action.args.tags (= it "bad")))
		(deny d :when (and (missing? action.args.note) (matches? action.args.to "^x")))
		(deny e :when (contains? action.args.to "evil"))))
		(definvariant i :when (= action.tool "pay") :holds (<= action.args.amount 1000))`)
	c := skills.NewCase(call(t, "pay", `(:amount 5 :currency "EUR" :tags ("a" "b") :to "bob")`), nil, &skills.Facts{})
	s := b.Skills("pay")[0]
	run := func() {
		if on, err := s.Trigger(c); !on || err != nil {
			t.Fatal(on, err)
		}
		for _, g := range s.Gates {
			if v, err := g.Judge(context.Background(), c); v != (skills.Pass{}) || err != nil {
				t.Fatal(g.Key(), v, err)
			}
		}
		for _, g := range b.Invariants("pay") {
			if v, err := g.Judge(context.Background(), c); v != (skills.Pass{}) || err != nil {
				t.Fatal(g.Key(), v, err)
			}
		}
	}
	run()
	if raceEnabled {
		t.Skip("SKIPPED: the race detector allocates, so only the run itself was checked")
	}
	assert.Zero(t, testing.AllocsPerRun(200, run))
}
