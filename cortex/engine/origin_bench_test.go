package engine

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/sexpr"
)

// What a decision costs in a session of so many calls, by rules that ask about origin and
// by rules that do not: the latter read no session. The first decision, which reads the
// session in, is not counted.
func BenchmarkDecideInASession(b *testing.B) {
	const head = `(deftool read_mail :params (:n integer) :effect :none :tier :allow)
(deftool send_mail :params (:to string) :tier :allow :class :comm :roles (:to :principal))
`
	kinds := []struct{ name, rules string }{
		{"plain", head + `(defskill s :gate ((deny x :when (= action.tool "send_mail"))))`},
		{"origin", head +
			`(defskill s :gate ((deny x :when (and (= action.tool "send_mail") (= (origin action.args.to) :prose)))))`},
	}
	for _, kind := range kinds {
		for _, calls := range []int{10, 1000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", kind.name, calls), func(b *testing.B) {
				opt, e := options(b, kind.rules, "")
				e.opt = opt
				e.reopen()
				defer func() { require.NoError(b, e.Close()) }()
				for i := range calls {
					p, err := e.Begin(b.Context(), e.decideOn("read_mail", fmt.Sprintf(`(:n %d)`, i)))
					require.NoError(b, err)
					text := fmt.Sprintf("The clerk number %d is called clerk%d@corp.com, and he answers letters.", i, i)
					require.NoError(b, p.Finish(b.Context(), Receipt{State: act.Done, Result: sexpr.Str(text)}))
				}
				a := action(b, "send_mail", `(:to "clerk7@corp.com")`)
				decide := func() {
					d, err := e.Decide(b.Context(), a, asking("s1", "agent"))
					require.NoError(b, err)
					require.Equal(b, "s/x", d.Key)
				}
				decide()
				for b.Loop() {
					decide()
				}
			})
		}
	}
}
