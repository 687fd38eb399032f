package rules

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"github.com/opencortex-go/cortex/skills"
)

// manyRules is n skills of three clauses, each about a tool of its own.
func manyRules(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `(defskill s%d :trigger (= action.tool "tool%d") :gate (
			(deny big :when (> action.args.amount 1000))
			(deny odd :when (and (in action.args.currency ("XXX" "YYY")) (/= action.args.to "bob")))
			(deny bad :when (matches? action.args.to "^evil"))))`, i, i)
	}
	return b.String()
}

// bare are the same conditions as plain expr programs: what a host would write
// who uses expr by itself.
func bare(b *testing.B, i int) []*vm.Program {
	var out []*vm.Program
	for _, text := range []string{
		fmt.Sprintf(`action.tool == "tool%d"`, i), `action.args.amount > 1000`,
		`action.args.currency in ["XXX", "YYY"] and action.args.to != "bob"`, `action.args.to matches "^evil"`,
	} {
		p, err := expr.Compile(text, expr.Env(map[string]any{"action": map[string]any{}}), expr.AsBool())
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

func BenchmarkDecision(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			book := recorded(b, manyRules(n)) // its tools are not declared
			c := skills.NewCase(call(b, "tool5", `(:amount 5 :currency "EUR" :to "bob")`), nil, &skills.Facts{})
			b.ReportAllocs()
			for b.Loop() {
				for _, s := range book.Skills(c.Action().Tool()) {
					on, err := s.Trigger(c)
					if !on || err != nil {
						b.Fatal(on, err)
					}
					for _, g := range s.Gates {
						if v, err := g.Judge(context.Background(), c); v != (skills.Pass{}) || err != nil {
							b.Fatal(v, err)
						}
					}
				}
			}
		})
	}
	b.Run("bare-expr=1", func(b *testing.B) { benchBare(b, 1) })
	b.Run("bare-expr=100", func(b *testing.B) { benchBare(b, 100) })
}

// benchBare runs the trigger of n skills, and the clauses of the one that
// matches.
func benchBare(b *testing.B, n int) {
	var all [][]*vm.Program
	for i := range n {
		all = append(all, bare(b, i+5*(1-min(1, n-1))))
	}
	env := map[string]any{"action": map[string]any{"tool": "tool5",
		"args": map[string]any{"amount": int64(5), "currency": "EUR", "to": "bob"}}}
	m := vm.VM{}
	b.ReportAllocs()
	for b.Loop() {
		for _, programs := range all {
			on, err := m.Run(programs[0], env)
			if err != nil {
				b.Fatal(err)
			}
			if on != true {
				continue
			}
			for _, p := range programs[1:] {
				if v, err := m.Run(p, env); v != false || err != nil {
					b.Fatal(v, err)
				}
			}
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	b.Run("rules=1000", func(b *testing.B) {
		fs := folder(b, "a.lisp", manyRules(1000)) // 4000 conditions, 1000 of them answered by the index alone
		for b.Loop() {
			if _, err := (Loader{Recorded: true}).Load(Root{FS: fs}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bare-expr=1000", func(b *testing.B) {
		for b.Loop() {
			for i := range 1000 {
				bare(b, i)
			}
		}
	})
}
