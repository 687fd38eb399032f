package rules

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// testFunctions are look-ups whose answers tests choose: what (words) gives is
// the list under :words of facts.ctx, where "?" is unknown and "*" a pattern.
func testFunctions() []facts.Function {
	text := facts.Type{Kind: facts.String}
	record := facts.Type{Kind: facts.Record, Name: "thing", Fields: []facts.Field{
		{Name: "name", Type: text}, {Name: "parts", Type: facts.ListOf(text, 8)},
	}}
	word := func(v any) any {
		switch v {
		case "?":
			return facts.Unknown{Why: "a word"}
		case "*":
			return facts.Pattern{Text: "*"}
		case "w":
			return facts.Word{Text: "w"}
		}
		return v
	}
	words := func(c *skills.Case) []any {
		v, _ := c.Facts().Ctx.Get("words")
		out := []any{}
		for _, x := range v.Items() {
			out = append(out, word(x.Text()))
		}
		return out
	}
	return []facts.Function{
		{Name: "words", Result: facts.ListOf(text, 8), Cost: 10, Call: func(c *skills.Case, _ []any) (any, error) {
			return words(c), nil
		}},
		{Name: "things", Result: facts.ListOf(record, 8), Cost: 10, Call: func(c *skills.Case, _ []any) (any, error) {
			out := []any{}
			all := words(c)
			for i, w := range all {
				if _, unknown := w.(facts.Unknown); unknown && i == len(all)-1 {
					out = append(out, w)
					continue
				}
				out = append(out, map[string]any{"name": w, "parts": words(c)})
			}
			return out, nil
		}},
		{
			Name: "globby?", Params: []facts.Param{{Name: "word", Type: text, Pattern: true}}, Result: boolean,
			Call: func(_ *skills.Case, args []any) (any, error) { _, ok := args[0].(facts.Pattern); return ok, nil },
		},
		{
			Name: "twice", Params: []facts.Param{{Name: "number", Type: numeric}}, Result: numeric,
			Call: func(_ *skills.Case, args []any) (any, error) { return add(args[0], args[0]), nil },
		},
		{
			Name: "fails?", Result: boolean,
			Call: func(*skills.Case, []any) (any, error) { return nil, errors.New("it fails") },
		},
		{
			Name: "crashes?", Result: boolean,
			Call: func(*skills.Case, []any) (any, error) { var m map[string]int; m["x"] = 1; return true, nil },
		},
		{Name: "dunno", Result: text, Call: func(*skills.Case, []any) (any, error) {
			return facts.Unknown{Why: "the answer"}, nil
		}},
		{Name: "wrong-shape", Result: numeric, Call: func(*skills.Case, []any) (any, error) { return "x", nil }},
		{Name: "period", Params: []facts.Param{{Name: "of", Type: text, Words: []string{"hour", "day"}, Literal: true}},
			Result: text,
			Call:   func(_ *skills.Case, args []any) (any, error) { return args[0], nil }},
	}
}

// bench is a builder with the lists and functions that condition tests use.
func bench(t testing.TB) (*builder, *source) {
	t.Helper()
	b := newBuilder(append(facts.Core(), testFunctions()...), 50_000)
	b.lists["pets"] = &list{name: "pets", items: []any{"cat", "dog"}, text: `(deflist pets "cat" "dog")`}
	b.lists["odd-ones"] = &list{name: "odd-ones", items: []any{int64(1), int64(3), 5.0},
		text: `(deflist odd-ones 1 3 5.0)`}
	return b, &source{path: "t.lisp"}
}

// compileText compiles one condition, as it stands in a rule file.
func compileText(t testing.TB, b *builder, src *source, text string) (condition, error) {
	t.Helper()
	src.text = text
	v, err := sexpr.Reader{Code: true}.Read("t.lisp", text)
	require.NoError(t, err, text)
	b.faults = faults{}
	c, ok := b.compile(src, v, nil)
	if ok {
		return c, nil
	}
	err = b.faults.err(nil)
	require.Error(t, err, "%s: refused without a reason", text)
	return c, err
}

// aCase is the case that the table of conditions is judged by.
func aCase(t testing.TB) *skills.Case {
	t.Helper()
	read := func(s string) sexpr.Value {
		v, err := sexpr.Read("facts", s)
		require.NoError(t, err)
		return v
	}
	a, err := skills.NewAction("shell", read(`(:cmd "git status" :n 5 :f 2.5 
		:yes t :no false :nothing null :empty () :obj (:k "v" :|camelCase| 1) :none {} :list ("a" "b") :nums (1 2 3)
		:|userId| "u1" :mixed (1 "a"))`), "to see")
	require.NoError(t, err)
	f := &skills.Facts{
		Now: 1_700_000_000, Ctx: read(`(:words ("cat" "w" "cow") :big 9007199254740993 :max 9223372036854775807)`),
		Env:    read(`(:name "prod")`),
		Signal: perceive.Signal{Sensor: "user-input", Source: "repl", Text: "please", Principal: "ana"},
		Session: skills.Session{ID: "s1", Principal: "bot", Roles: []string{"dev"}, Turns: []skills.Turn{
			{User: "hello"},
			{Call: &skills.Call{Tool: "ls", Args: read(`(:path "/")`), Decision: "allow", Result: sexpr.Str("x")}},
			{User: "again"}, {Call: &skills.Call{Tool: "rm", Decision: "deny"}},
		}},
	}
	return skills.NewCase(a, nil, f)
}

// verdictOf runs a condition: "t", "false", or "error: ...".
func verdictOf(c condition, k *skills.Case) string {
	yes, err := c.holds(k)
	switch {
	case err != nil:
		return "error: " + err.Error()
	case yes:
		return "t"
	}
	return "false"
}

// conditions are forms, the text that means the same, and what both answer: t,
// false, "error" with a part of its text, or "load" with a part of what loading
// says. Text is "" where the form has no other spelling.
var conditions = []struct{ form, text, want string }{
	// literals and logic
	{`t`, `true`, "t"},
	{`nil`, `false`, "false"},
	{`()`, ``, "false"},
	{`(not nil)`, `not false`, "t"},
	{`(and t t)`, `true and true`, "t"},
	{`(and t false)`, `true && false`, "false"},
	{`(or false (= 1 1))`, `false || 1 == 1`, "t"},
	{`(or t (fails?))`, `true or fails()`, "t"},
	{`(and nil (fails?))`, `false and fails()`, "false"},
	{`(and (fails?) nil)`, `fails() and false`, "error: it fails"},
	{`(or (fails?) t)`, `fails() or true`, "error: it fails"},
	{`(and t)`, ``, "t"},
	{`action.args.yes`, `action.args.yes`, "t"},
	{`(not action.args.no)`, `!action.args.no`, "t"},
	{`action.args.empty`, `action.args.empty`, "false"},
	{`action.args.n`, `action.args.n`, "error: found an integer, expected t or false"},
	{`action.args.nothing`, `action.args.nothing`, "error: found null"},
	{`(not action.args.cmd)`, `not action.args.cmd`, "error: found a string"},
	{`(if action.args.yes (= 1 1) (fails?))`, `action.args.yes ? 1 == 1 : fails()`, "t"},
	{`(if action.args.no (fails?) false)`, `if action.args.no { fails() } else { false }`, "false"},
	{`(if action.args.n t t)`, `action.args.n ? true : true`, "error: found an integer"},
	// equality
	{`(= action.tool "shell")`, `action.tool == "shell"`, "t"},
	{`(= action.tool :shell)`, `action.tool == 'shell'`, "t"},
	{`(/= action.tool "ls")`, `action.tool != "ls"`, "t"},
	{`(= action.args.n 5)`, `action.args.n == 5`, "t"},
	{`(= action.args.n 5.0)`, `action.args.n == 5.0`, "t"},
	{`(= action.args.f 2.5)`, `action.args.f == 2.5`, "t"},
	{`(= facts.ctx.big 9007199254740992.0)`, `facts.ctx.big == 9007199254740992.0`, "false"},
	{`(= 9007199254740993 9007199254740992.0)`, `9007199254740993 == 9007199254740992.0`, "false"},
	{`(< 9007199254740992.0 facts.ctx.big)`, `9007199254740992.0 < facts.ctx.big`, "t"},
	{`(= facts.ctx.max 9223372036854775807.0)`, ``, "false"},
	{`(= action.args.n "5")`, `action.args.n == "5"`, "error: an integer and a string"},
	{`(/= action.args.n "5")`, `action.args.n != "5"`, "error: an integer and a string"},
	{`(= action.args.yes "t")`, `action.args.yes == "t"`, "error: a boolean and a string are never equal"},
	{`(= action.args.obj "v")`, `action.args.obj == "v"`, "error: an object and a string are never equal"},
	{`(= action.tool 5)`, `action.tool == 5`, "load: a string and an integer are never equal"},
	{`(= 5 "5")`, `5 == "5"`, "load: an integer and a string are never equal"},
	{`(= action.args.nothing null)`, `action.args.nothing == null`, "t"},
	{`(= action.args.n null)`, `action.args.n == null`, "false"},
	{`(/= action.args.n null)`, `action.args.n != null`, "t"},
	{`(= null action.args.no)`, `null == action.args.no`, "false"},
	{`(= action.args.gone null)`, `action.args.gone == null`, "error: action.args.gone is not there"},
	{`(= action.args.no nil)`, ``, "t"},
	{`(= action.args.empty nil)`, `action.args.empty == []`, "t"},
	{`(= action.args.yes nil)`, ``, "false"},
	{`(= action.args.list ("a" "b"))`, `action.args.list == ["a", "b"]`, "t"},
	{`(= action.args.list ("a"))`, `action.args.list == ["a"]`, "false"},
	{`(= action.args.list ("b" 1))`, `action.args.list == ["b", 1]`, "false"},
	{`(= action.args.list (1 "b"))`, `action.args.list == [1, "b"]`, "error: a string and an integer"},
	{`(= action.args.none {})`, `action.args.none == {}`, "t"},
	{`(= action.args.obj {})`, `action.args.obj == {}`, "false"},
	{`(= action.args.obj action.args.obj)`, `action.args.obj == action.args.obj`, "t"},
	{`(= action.args.no action.args.empty)`, `action.args.no == action.args.empty`, "t"},
	// what is missing is not false
	{`(= action.args.gone "x")`, `action.args.gone == "x"`, "error: action.args.gone is not there"},
	{`(/= action.args.gone "x")`, `action.args.gone != "x"`, "error: action.args.gone is not there"},
	{`(not (= action.args.gone "x"))`, `not (action.args.gone == "x")`, "error: action.args.gone is not there"},
	{`(in action.args.gone ("a"))`, `action.args.gone in ["a"]`, "error: action.args.gone is not there"},
	{`(not (in action.args.gone ("a")))`, `action.args.gone not in ["a"]`, "error: action.args.gone is not there"},
	{`(in "a" action.args.gone)`, `"a" in action.args.gone`, "error: action.args.gone is not there"},
	{`(some action.args.gone (= it "x"))`, `any(action.args.gone, # == "x")`, "error: action.args.gone is not there"},
	{`(none action.args.gone (= it "x"))`, `none(action.args.gone, # == "x")`, "error: action.args.gone is not there"},
	{`(< action.args.gone 5)`, `action.args.gone < 5`, "error: action.args.gone is not there"},
	{`(matches? action.args.gone "x")`, `action.args.gone matches "x"`, "error: action.args.gone is not there"},
	{`(contains? action.args.gone "x")`, `action.args.gone contains "x"`, "error: action.args.gone is not there"},
	{`(some action.args.cmd (= it "g"))`, `any(action.args.cmd, # == "g")`, "error: found a string, expected a list"},
	{`(= action.args.obj.gone.deep 1)`, `action.args.obj.gone.deep == 1`, "error: action.args.obj.gone.deep is not there"},
	{`(= action.args.cmd.x 1)`,
		`action.args.cmd.x == 1`, "error: action.args.cmd.x: found a string where :x is looked for"},
	{`(= facts.ctx.gone 1)`, `facts.ctx.gone == 1`, "error: facts.ctx.gone is not there"},
	{`(= facts.work.x 1)`, `facts.work.x == 1`, "error: facts.work.x is not there"},
	{`(= signal.session "x")`, `signal.session == "x"`, "error: signal.session is not there"},
	{`(some session.calls (= it.result "x"))`, `any(session.calls, #.result == "x")`, "t"},
	{`(some session.calls (= it.result "y"))`, `any(session.calls, .result == "y")`, "error: it.result is not there"},
	{`(has? action.args.gone)`, `has(action.args.gone)`, "false"},
	{`(has? action.args.cmd)`, `has(action.args.cmd)`, "t"},
	{`(has? action.args.nothing)`, `has(action.args.nothing)`, "t"},
	{`(has? action.args.obj.k)`, `has(action.args.obj.k)`, "t"},
	{`(has? action.args.gone.deep)`, `has(action.args.gone.deep)`, "false"},
	{`(has? action.args.cmd.deep)`, `has(action.args.cmd.deep)`, "error: action.args.cmd.deep: found a string"},
	{`(has? action.args "cmd")`, `has(action.args, "cmd")`, "t"},
	{`(has? action.args :gone)`, `has(action.args, "gone")`, "false"},
	{`(has? action.args "a.b")`, `has(action.args, "a.b")`, "false"},
	{`(missing? action.args.gone)`, `missing(action.args.gone)`, "t"},
	{`(missing? action.args.nothing)`, `missing(action.args.nothing)`, "t"},
	{`(missing? action.args.no)`, `missing(action.args.no)`, "false"},
	{`(missing? facts.work)`, `missing(facts.work)`, "t"},
	{`(missing? signal.session)`, `missing(signal.session)`, "t"},
	{`(= (get action.args.gone 7) 7)`, `get(action.args.gone, 7) == 7`, "t"},
	{`(= (get action.args.n 7) 5)`, `get(action.args.n, 7) == 5`, "t"},
	{`(= (get action.args.nothing 7) null)`, `get(action.args.nothing, 7) == null`, "t"},
	{`(= (get action.args "n" 7) 5)`, `get(action.args, "n", 7) == 5`, "t"},
	{`(= (get action.args.obj :gone "d") "d")`, `get(action.args.obj, "gone", "d") == "d"`, "t"},
	{`(= (get facts.ctx.gone.deep (len "ab")) 2)`, `get(facts.ctx.gone.deep, len("ab")) == 2`, "t"},
	{`(= (get action.args.n (twice action.args.cmd)) 5)`, `get(action.args.n, twice(action.args.cmd)) == 5`, "t"},
	{`(some session.calls (= (get it.result "none") "none"))`,
		`any(session.calls, get(it.result, "none") == "none")`, "t"},
	{`(get action.args.gone t)`, `get(action.args.gone, true)`, "t"},
	// order and arithmetic
	{`(< action.args.n 6)`, `action.args.n < 6`, "t"},
	{`(<= action.args.n 4.9)`, `action.args.n <= 4.9`, "false"},
	{`(> action.args.f 2)`, `action.args.f > 2`, "t"},
	{`(>= action.args.n 5)`, `action.args.n >= 5`, "t"},
	{`(< "a" action.args.cmd)`, `"a" < action.args.cmd`, "t"},
	{`(< action.args.n "6")`, `action.args.n < "6"`, "error: an integer and a string cannot be compared"},
	{`(< action.args.nothing 1)`, `action.args.nothing < 1`, "error: null and an integer cannot be compared"},
	{`(< action.args.list 1)`, `action.args.list < 1`, "error: a list and an integer cannot be compared"},
	{`(< action.tool 1)`, `action.tool < 1`, "load: a string and an integer cannot be compared"},
	{`(and (< 1 action.args.n) (< action.args.n 9))`, `1 < action.args.n < 9`, "t"},
	{`(= (+ action.args.n 1 2) 8)`, `action.args.n + 1 + 2 == 8`, "t"},
	{`(= (- action.args.n 1) 4)`, `action.args.n - 1 == 4`, "t"},
	{`(= (- action.args.n) -5)`, `-action.args.n == -5`, "t"},
	{`(= (* action.args.n 2) 10)`, `action.args.n * 2 == 10`, "t"},
	{`(= (/ action.args.n 2) 2.5)`, `action.args.n / 2 == 2.5`, "t"},
	{`(= (/ 6 3) 2)`, `6 / 3 == 2`, "t"},
	{`(= (+ 0.1 0.2) 0.3)`, `0.1 + 0.2 == 0.3`, "false"},
	{`(= (+ facts.ctx.max 1) 0)`, `facts.ctx.max + 1 == 0`, "error: the result of + is too large"},
	{`(= (- (- 0 facts.ctx.max) 2) 0)`, `0 - facts.ctx.max - 2 == 0`, "error: the result of - is too large"},
	{`(= (* facts.ctx.max 2) 0)`, `facts.ctx.max * 2 == 0`, "error: the result of * is too large"},
	{`(= (/ 1 (- action.args.n 5)) 0)`, `1 / (action.args.n - 5) == 0`, "error: division by zero"},
	{`(= (* 1e308 10.0) 0)`, `1e308 * 10.0 == 0`, "error: the result of * is not a finite number"},
	{`(= (+ facts.ctx.big 0.5) 0)`, `facts.ctx.big + 0.5 == 0`, "error: 9007199254740993 has no exact float"},
	{`(= (+ action.args.cmd 1) 0)`, `action.args.cmd + 1 == 0`, "error: found a string, expected a number"},
	{`(= (+ "a" "b") "ab")`, `"a" + "b" == "ab"`, "load: found a string, expected a number"},
	// strings
	{`(contains? action.args.cmd "sta")`, `action.args.cmd contains "sta"`, "t"},
	{`(starts-with? action.args.cmd "git")`, `action.args.cmd startsWith "git"`, "t"},
	{`(ends-with? action.args.cmd "git")`, `action.args.cmd endsWith "git"`, "false"},
	{`(not (contains? action.args.cmd "x"))`, `action.args.cmd not contains "x"`, "t"},
	{`(contains? action.args.n "5")`, `action.args.n contains "5"`, "error: found an integer, expected a string"},
	{`(contains? action.args.list "a")`, `action.args.list contains "a"`, "error: found a list, expected a string"},
	{`(matches? action.args.cmd "^git +(status|diff)$")`, `action.args.cmd matches "^git +(status|diff)$"`, "t"},
	{`(matches? action.args.cmd "^x")`, `action.args.cmd matches "^x"`, "false"},
	{`(matches? action.args.n "5")`, `action.args.n matches "5"`, "error: found an integer, expected a string"},
	{`(= (upper action.args.cmd) "GIT STATUS")`, `upper(action.args.cmd) == "GIT STATUS"`, "t"},
	{`(= (lower "ÄB") "äb")`, `lower("ÄB") == "äb"`, "t"},
	{`(= (len action.args.cmd) 10)`, `len(action.args.cmd) == 10`, "t"},
	{`(= (len "äb") 2)`, `len("äb") == 2`, "t"},
	{`(= (len action.args.list) 2)`, `len(action.args.list) == 2`, "t"},
	{`(= (len action.args.obj) 2)`, `len(action.args.obj) == 2`, "t"},
	{`(= (len action.args.n) 2)`,
		`len(action.args.n) == 2`, "error: found an integer, expected a string, a list or an object"},
	// membership
	{`(in action.tool ("ls" "shell"))`, `action.tool in ["ls", "shell"]`, "t"},
	{`(in action.tool '("ls"))`, `action.tool in ["ls"]`, "false"},
	{`(in action.tool (:ls :shell))`, `action.tool in ['ls', 'shell']`, "t"},
	{`(in "cat" pets)`, `"cat" in pets`, "t"},
	{`(in action.args.n odd-ones)`, `action.args.n in odd_ones`, "t"},
	{`(in action.args.cmd odd-ones)`, `action.args.cmd in odd_ones`, "error: a string and an integer cannot be compared"},
	{`(in action.args.n pets)`, `action.args.n in pets`, "error: an integer and a string are never equal"},
	{`(in action.args.nothing pets)`, `action.args.nothing in pets`, "false"},
	{`(in action.args.n ())`, `action.args.n in []`, "false"},
	{`(in "a" action.args.list)`, `"a" in action.args.list`, "t"},
	{`(in 1 action.args.mixed)`, `1 in action.args.mixed`, "t"},
	{`(in 2 action.args.mixed)`, `2 in action.args.mixed`, "error: an integer and a string cannot be compared"},
	{`(in "x" action.args.empty)`, `"x" in action.args.empty`, "false"},
	{`(in "g" action.args.cmd)`, `"g" in action.args.cmd`, "error: found a string, expected a list"},
	{`(in "k" action.args.obj)`, `"k" in action.args.obj`, "error: found an object, expected a list"},
	{`(in action.tool (1 2))`, `action.tool in [1, 2]`, "load: a string and an integer are never equal"},
	{`(in "x" "xyz")`, `"x" in "xyz"`, "load: found a string, expected a list"},
	{`(in null (null 1))`, `null in [null, 1]`, "t"},
	// quantifiers over fields
	{`(some action.args.nums (> it 2))`, `any(action.args.nums, # > 2)`, "t"},
	{`(every action.args.nums (> it 0))`, `all(action.args.nums, {# > 0})`, "t"},
	{`(none action.args.nums (> it 3))`, `none(action.args.nums, # > 3)`, "t"},
	{`(every action.args.nums (> it 1))`, `every(action.args.nums, it > 1)`, "false"},
	{`(some action.args.empty t)`, `some(action.args.empty, true)`, "false"},
	{`(every action.args.empty false)`, `every(action.args.empty, false)`, "t"},
	{`(none action.args.empty t)`, `none(action.args.empty, true)`, "t"},
	{`(every-or-empty action.args.empty false)`, `every_or_empty(action.args.empty, false)`, "t"},
	{`(none-or-empty action.args.list (= it "c"))`, `none_or_empty(action.args.list, it == "c")`, "t"},
	{`(some action.args.mixed (= it 1))`, `any(action.args.mixed, # == 1)`, "t"},
	{`(some action.args.mixed (= it "a"))`, `any(action.args.mixed, # == "a")`, "error: an integer and a string"},
	{`(= (count action.args.nums (> it 1)) 2)`, `count(action.args.nums, # > 1) == 2`, "t"},
	{`(= (filter action.args.nums (> it 1)) (2 3))`, `filter(action.args.nums, # > 1) == [2, 3]`, "t"},
	{`(= (map action.args.nums (* it 2)) (2 4 6))`, `map(action.args.nums, # * 2) == [2, 4, 6]`, "t"},
	{`(= (sum action.args.nums) 6)`, `sum(action.args.nums) == 6`, "t"},
	{`(= (sum action.args.nums (* it 2)) 12)`, `sum(action.args.nums, # * 2) == 12`, "t"},
	{`(= (sum action.args.empty) 0)`, `sum(action.args.empty) == 0`, "t"},
	{`(= (sum action.args.mixed) 0)`, `sum(action.args.mixed) == 0`, "error: found a string, expected a number"},
	{`(= (sum (facts.ctx.max)) 0)`, ``, "load: unknown operator or function facts.ctx.max"},
	{`(= (len (filter action.args.list (= it "a"))) 1)`, `len(filter(action.args.list, it == "a")) == 1`, "t"},
	{`(some (1 2) (some action.args.list (= it "b")))`, `any([1, 2], any(action.args.list, # == "b"))`, "t"},
	{`(some action.args.nums (some action.args.list (= it "b")))`,
		`any(action.args.nums, any(action.args.list, # == "b"))`, "load: at worst it takes 197379 steps"},
	{`(some pets (= it "dog"))`, `any(pets, # == "dog")`, "t"},
	{`(every odd-ones (> it 0))`, `all(odd_ones, # > 0)`, "t"},
	{`(every ("a" "b") (in it action.args.list))`, `all(["a", "b"], # in action.args.list)`, "t"},
	{`(some session.calls (and (= it.tool "ls") (= it.args.path "/")))`,
		`any(session.calls, #.tool == "ls" and #.args.path == "/")`, "t"},
	{`(= (map session.calls it.decision) ("allow" "deny"))`, `map(session.calls, it.decision) == ["allow", "deny"]`, "t"},
	{`(some session.roles (= it "dev"))`, `"dev" in session.roles`, "t"},
	// quantifiers over what functions find
	{`(some (words) (= it "cow"))`, `any(words(), # == "cow")`, "t"},
	{`(every (words) (/= it "x"))`, `all(words(), # != "x")`, "t"},
	{`(none (words) (= it "w"))`, `none(words(), # == "w")`, "false"},
	{`(some (things) (some it.parts (= it "w")))`, `any(things(), any(.parts, # == "w"))`, "t"},
	{`(every (things) (every it.parts (/= it "x")))`, `all(things(), all(.parts, # != "x"))`, "t"},
	{`(let ((c "cat")) (some (things) (and (= it.name c) (in "cow" it.parts))))`,
		`let c = "cat"; any(things(), #.name == c and "cow" in #.parts)`, "t"},
	{`(some (things) (let ((outer it)) (some outer.parts (= it outer.name))))`,
		`any(things(), {let outer = #; any(outer.parts, # == outer.name)})`, "t"},
	{`(= (dunno) "x")`, `dunno() == "x"`, "error: the answer cannot be told from here"},
	{`(= (wrong-shape) 1)`, `wrong_shape() == 1`, "error: wrong-shape gave a string"},
	{`(= (twice 4) 8)`, `twice(4) == 8`, "t"},
	{`(= (twice action.args.cmd) 8)`, `twice(action.args.cmd) == 8`, "error: found a string as number, expected a number"},
	{`(= (twice "x") 8)`, `twice("x") == 8`, "load: found a string, expected a number as number of twice"},
	{`(= (period :hour) "hour")`, `period("hour") == "hour"`, "t"},
	{`(= (period :houre) "hour")`, `period("houre") == "hour"`, `load: found "houre"; did you mean hour?`},
	{`(= (period action.tool) "hour")`, `period(action.tool) == "hour"`, "load: of of period is a literal"},
	{`(twice)`, `twice()`, "load: twice takes 1 argument: (twice number)"},
	// let
	{`(let ((x 1) (y (+ x 1))) (= y 2))`, `let x = 1; let y = x + 1; y == 2`, "t"},
	{`(let ((o action.args.obj)) (= o.k "v"))`, `let o = action.args.obj; o.k == "v"`, "t"},
	{`(let ((o action.args.gone)) t)`, `let o = action.args.gone; true`, "error: action.args.gone is not there"},
	{`(let ((x 1)) (let ((x 2)) t))`, `let x = 1; let x = 2; true`, "load: the name x is taken already"},
	{`(let ((action 1)) t)`, `let action = 1; true`, "load: the name action is built in"},
	{`(let ((len 1)) t)`, `let len = 1; true`, "load: the name len is built in"},
	{`(let ((under? 1)) t)`, ``, "load: the name under? is built in"},
	{`(let ((pets 1)) t)`, `let pets = 1; true`, "load: the name pets is taken already"},
	{`(let ((x action)) t)`, `let x = action; true`, "load: the action itself is no value"},
	{`(let x t)`, ``, "load: let takes a list of names"},
	{`(let ((x)) t)`, ``, "load: expected a name and its value"},
	{`(let ((x nil)) (= x false))`, ``, "t"},
	{`(let ((x null)) (= x 5))`, `let x = null; x == 5`, "false"},
	// names
	{`(= action.explanation "to see")`, `action.explanation == "to see"`, "t"},
	{`(contains? action.text "git status")`, `action.text contains "git status"`, "t"},
	{`(= signal.sensor :user-input)`, `signal.sensor == "user-input"`, "t"},
	{`(and (= signal.source "repl") (= signal.text "please") (= signal.from "ana"))`,
		`signal.source == "repl" and signal.text == "please" and signal.from == "ana"`, "t"},
	{`(= session.principal "bot")`, `session.principal == "bot"`, "t"},
	{"(= session.user-text \"hello\\nagain\")", "session.user_text == 'hello\\nagain'", "t"},
	{`(= facts.env.name "prod")`, `facts.env.name == "prod"`, "t"},
	{`(= now 1700000000)`, `now == 1700000000`, "t"},
	{`(= action.args.|userId| "u1")`, `action.args.userId == "u1"`, "t"},
	{`(= action.args.obj.|camelCase| 1)`, `action.args["obj"].camelCase == 1`, "t"},
	{`(= action.args.userid "u1")`, `action.args.userid == "u1"`, "error: action.args.userid is not there"},
	{`(= action.toool "x")`, `action.toool == "x"`, "load: unknown name action.toool; did you mean tool?"},
	{`(= acton.tool "x")`, `acton.tool == "x"`, "load: unknown name acton.tool; did you mean action?"},
	{`(in "x" pet)`, `"x" in pet`, "load: unknown name pet; did you mean pets?"},
	{`(= action.tool.x "x")`, `action.tool.x == "x"`, "load: action.tool has no member x: it is a string"},
	{`(= signal "x")`, `signal == "x"`, "load: signal is no value itself, expected signal.from, signal.sensor"},
	{`(= action 1)`, `action == 1`, "load: the action itself and an integer are never equal"},
	{`action.`, ``, "load: action. is no name"},
	{`(= it 1)`, `it == 1`, "load: it stands for an element inside"},
	{`(some (things) (= it.nmae "x"))`, `any(things(), #.nmae == "x")`, "load: thing has no nmae; did you mean name?"},
	// refused
	{`"x"`, ``, "load: "},
	{`5`, `5`, "load: found an integer, expected a condition"},
	{`:t`, `"t"`, "load: found a string, expected a condition"},
	{`action.tool`, `action.tool`, "load: found a string, expected a condition"},
	{`(and t action.tool)`, `true and action.tool`, "load: found a string, expected a condition"},
	{`(words)`, `words()`, "load: found a list of string, expected a condition"},
	{`(eq 1 1)`, ``, "load: unknown operator eq; did you mean =?"},
	{`(constains? "a" "b")`, ``, "load: unknown operator or function constains?; did you mean contains??"},
	{`(= 1)`, ``, "load: = takes 2 arguments, found 1"},
	{`(not)`, ``, "load: not takes 1 argument, found 0"},
	{`(and)`, ``, "load: and takes 1 or more arguments, found 0"},
	{`(missing? "x")`, `missing("x")`, "load: missing? looks at a name"},
	{`(missing? pets)`, `missing(pets)`, "load: missing? looks at a name"},
	{`(has? action)`, `has(action)`, "load: action is always there"},
	{`(has? action.tool "x")`, `has(action.tool, "x")`, "load: found a string, expected an object"},
	{`(has? action.args 5)`, `has(action.args, 5)`, "load: the name of a member is a string"},
	{`(matches? action.tool "(")`, `action.tool matches "("`, "load: error parsing regexp"},
	{`(matches? action.tool action.tool)`, `action.tool matches action.tool`, "load: a pattern is a literal string"},
	{`(some action.args.list (some action.args.list (some action.args.list t)))`,
		`any(action.args.list, any(action.args.list, any(action.args.list, true)))`, "load: some inside 2 others"},
	{`(in action.tool (ls))`, ``, "load: unknown operator or function ls"},
	{`(in action.tool '(ls))`, ``, `load: ls is a name, expected a literal such as "ls"`},
	{`(= (quote) 1)`, ``, "load: quote takes 1 argument"},
}

func TestConditions(t *testing.T) {
	b, src := bench(t)
	for _, row := range conditions {
		for _, text := range []string{row.form, row.text} {
			if text == "" || row.form == `"x"` {
				continue
			}
			if text == row.text {
				text = strconv.Quote(text)
			}
			c, err := compileText(t, b, src, text)
			if want, ok := strings.CutPrefix(row.want, "load: "); ok {
				require.Error(t, err, text)
				assert.Contains(t, err.Error(), want, text)
				continue
			}
			if !assert.NoError(t, err, text) {
				continue
			}
			got := verdictOf(c, aCase(t))
			if strings.HasPrefix(row.want, "error: ") {
				assert.True(t, strings.HasPrefix(got, "error: ") &&
					strings.Contains(got, strings.TrimPrefix(row.want, "error: ")), "%s: found %s, expected %s", text, got, row.want)
				continue
			}
			assert.Equal(t, row.want, got, text)
		}
	}
}
