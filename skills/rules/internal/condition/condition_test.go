package condition

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition/conditiontest"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
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
			Call: func(_ *skills.Case, args []any) (any, error) { return value.Add(args[0], args[0]), nil },
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

// sheet is the text that conditions of tests stand in, and what was said of it.
type sheet struct {
	text  string
	wrong []error
}

func (f *sheet) Name() string { return "t.lisp" }

func (f *sheet) What() string { return "it" }

func (f *sheet) Text() string { return f.text }

func (f *sheet) Fail(at sexpr.Pos, _ error, format string, args ...any) {
	f.wrong = append(f.wrong, fmt.Errorf("t.lisp:%s: %s", at, fmt.Sprintf(format, args...)))
}

func (f *sheet) Enough() bool { return false }

func (f *sheet) Partial() bool { return false }

// bench is a language with the lists and functions that condition tests use.
func bench(t testing.TB) (*Language, *sheet) {
	t.Helper()
	b := New(append(facts.Core(), testFunctions()...), 50_000)
	b.Lists["pets"] = &List{Name: "pets", Items: []any{"cat", "dog"}, Text: `(deflist pets "cat" "dog")`}
	b.Lists["odd-ones"] = &List{Name: "odd-ones", Items: []any{int64(1), int64(3), 5.0},
		Text: `(deflist odd-ones 1 3 5.0)`}
	return b, &sheet{}
}

// compileText compiles one condition, as it stands in a rule file.
func compileText(t testing.TB, b *Language, src *sheet, text string) (Condition, error) {
	t.Helper()
	src.text, src.wrong = text, nil
	v, err := sexpr.Reader{Code: true}.Read("t.lisp", text)
	require.NoError(t, err, text)
	c, ok := b.Compile(src, v, nil)
	if ok {
		return c, nil
	}
	err = errors.Join(src.wrong...)
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
func verdictOf(c Condition, k *skills.Case) string {
	yes, err := c.Holds(k)
	switch {
	case err != nil:
		return "error: " + err.Error()
	case yes:
		return "t"
	}
	return "false"
}

func TestConditions(t *testing.T) {
	b, src := bench(t)
	for _, row := range conditiontest.Rows {
		for _, text := range []string{row.Form, row.Text} {
			if text == "" || row.Form == `"x"` {
				continue
			}
			if text == row.Text {
				text = strconv.Quote(text)
			}
			c, err := compileText(t, b, src, text)
			if want, ok := strings.CutPrefix(row.Want, "load: "); ok {
				require.Error(t, err, text)
				assert.Contains(t, err.Error(), want, text)
				continue
			}
			if !assert.NoError(t, err, text) {
				continue
			}
			got := verdictOf(c, aCase(t))
			if strings.HasPrefix(row.Want, "error: ") {
				assert.True(t, strings.HasPrefix(got, "error: ") &&
					strings.Contains(got, strings.TrimPrefix(row.Want, "error: ")), "%s: found %s, expected %s", text, got, row.Want)
				continue
			}
			assert.Equal(t, row.Want, got, text)
		}
	}
}
