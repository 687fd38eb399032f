package rules_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/facts/sql"
	"github.com/opencortex-go/cortex/skills/facts/sql/mysql"
	"github.com/opencortex-go/cortex/skills/rules"
)

// calls are forms around X, which is a string, and what they give.
var calls = []struct{ form, kind string }{
	{`(hour (len X) "Europe/Berlin")`, "number"}, {`(hour 1774746000 X)`, "number"},
	{`(weekday (len X) "UTC")`, "text"}, {`(weekday 1774746000 X)`, "text"},
	{`(date (len X) "UTC")`, "text"}, {`(date 1774746000 X)`, "text"},
	{`(replace X "[a-z]" "-")`, "text"}, {`(redact X)`, "text"}, {`(upper X)`, "text"},
	{`(semver? X ">=1")`, "truth"}, {`(cidr-in? X ("10.0.0.0/8"))`, "truth"}, {`(= (len (sql X "mysql")) 1)`, "truth"},
	{`(min 1 (len X))`, "number"}, {`(max (len X) 1)`, "number"}, {`(mod 7 (len X))`, "number"},
	{`(mod (len X) 7)`, "number"}, {`(floor (len X))`, "number"}, {`(abs (len X))`, "number"},
}

// about draws a condition that always reads X.
func about(t *rapid.T) string {
	form, kind := "X", "text"
	for range rapid.IntRange(1, 3).Draw(t, "depth") {
		c := rapid.SampledFrom(calls).Draw(t, "call")
		if kind == "number" && strings.Contains(c.form, "(len X)") {
			form = strings.ReplaceAll(c.form, "(len X)", form)
		} else if kind == "text" {
			form = strings.ReplaceAll(c.form, "X", form)
		} else {
			break
		}
		kind = c.kind
	}
	switch kind {
	case "text":
		return fmt.Sprintf(`(= %s "a")`, form)
	case "number":
		return fmt.Sprintf(`(< %s 5)`, form)
	}
	return form
}

// What a shell word stands for may not be known: then no function answers, whatever is
// done with the answer. With a word that is known, the same forms are judged or fail
// for reasons of their own.
func TestUnknownStaysUnknownThroughFunctions(t *testing.T) {
	functions := append(secrets.Functions(), sql.Functions(map[string]sql.Reader{mysql.Dialect: mysql.Read})...)
	loader := rules.Loader{Functions: functions, Limits: rules.Limits{Cost: 1 << 40}} // the forms are priced elsewhere
	book, err := loader.Load(rules.Root{FS: fstest.MapFS{}})
	require.NoError(t, err)
	judged := map[string]int{}
	ask := func(rt *rapid.T, form, word string) (any, error) {
		action, err := skills.NewAction("shell", sexpr.Plist("cmd", sexpr.Str("echo "+word)), "")
		require.NoError(rt, err)
		text := fmt.Sprintf(`(some (shell action.args.cmd) (some it.operands (or %s t)))`,
			strings.ReplaceAll(form, "X", "it"))
		v, err := sexpr.Reader{Code: true}.Read("form", text)
		require.NoError(rt, err, text)
		return book.Calculator().Compute(t.Context(), v, skills.NewCase(action, nil, &skills.Facts{}))
	}
	rapid.Check(t, func(rt *rapid.T) {
		form := about(rt)
		unknown := rapid.SampledFrom([]string{`$X`, `"a$X"`, `*.go`, `a?`}).Draw(rt, "unknown")
		got, err := ask(rt, form, unknown)
		require.Error(rt, err, "%s of %s gave %v", form, unknown, got)
		var u facts.Unknown
		require.ErrorAs(rt, err, &u, "%s of %s", form, unknown)
		word := rapid.SampledFrom([]string{"abc", "1.2.3", "10.1.1.1", "UTC", "'select 1'"}).Draw(rt, "word")
		if got, err = ask(rt, form, word); err == nil {
			assert.Equal(rt, true, got)
			judged[word]++
		}
	})
	assert.NotEmpty(t, judged)
}
