package condition

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// BenchmarkForms runs a condition with and without a name, an order condition after 2 and
// after 256 calls, and what a rewrite computes.
func BenchmarkForms(b *testing.B) {
	lang, src := bench(b)
	read := func(text string) sexpr.Value {
		v, err := sexpr.Reader{Code: true}.Read("t.lisp", text)
		require.NoError(b, err)
		return v
	}
	lang.Definitions["big?"] = refDefinition{name: "big?", params: []string{"n"}, body: read(`(> n 100)`)}.definition(src)
	lang.CheckDefinitions()
	short := aCase(b)
	long := aCase(b)
	for range 254 {
		long.Facts().Session.Turns = append(long.Facts().Session.Turns,
			skills.Turn{Call: &skills.Call{Tool: "x", Decision: "ask"}})
	}
	for _, row := range []struct {
		name, form string
		on         *skills.Case
	}{
		{"plain", `(not (> action.args.n 100))`, short},
		{"named", `(not (big? action.args.n))`, short},
		{"order/2", `(some-call-since (= it.decision "allow") (= it.decision "deny"))`, short},
		{"order/256", `(some-call-since (= it.decision "allow") (= it.decision "deny"))`, long},
	} {
		b.Run(row.name, func(b *testing.B) {
			c, err := compileText(b, lang, src, row.form)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				if ok, err := c.Holds(row.on); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
	b.Run("computed", func(b *testing.B) {
		c, ok := lang.CompileValue(src, read(`(upper action.args.cmd)`), nil)
		require.True(b, ok)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Value(short); err != nil {
				b.Fatal(err)
			}
		}
	})
}
