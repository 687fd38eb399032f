package reason

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// ordered is a book whose skills stand in order, as a loaded rulebook's do.
type ordered struct{ book }

func (b *ordered) Skills(string) []*skills.Skill { return b.skills }
func (b *ordered) Hash() sexpr.Digest            { return sexpr.Digest{1} }
func (b *ordered) Len() int                      { return 3 * len(b.skills) }

// many is n skills of three gates each, the last of which vouches.
func many(n int) *ordered {
	b := &ordered{book{tools: standard()}}
	pass, vouch := skills.Verdict(skills.Pass{}), skills.Verdict(skills.Allow{Reason: because("last/ok")})
	for i := range n {
		s := skill(fmt.Sprintf("s%04d", i), 1)
		for j := range 3 {
			v := pass
			if i == n-1 && j == 2 {
				v = vouch
			}
			s.Gates = append(s.Gates,
				judgeFunc{fmt.Sprintf("s%04d/%d", i, j), func(*skills.Case) (skills.Verdict, error) { return v, nil }})
		}
		s.Trigger = func(c *skills.Case) (bool, error) { return c.Action().Tool() == "asks", nil }
		b.skills = append(b.skills, s)
	}
	return b
}

// On the way to an allow, from a ready action and without a trace, the decision
// itself is the only thing that Decide allocates, however many gates it asks.
func TestAllowAllocatesTheDecisionAlone(t *testing.T) {
	for _, n := range []int{1, 100} {
		a, err := skills.NewAction("asks", read(t, `(:cmd "ls" :x 1)`), "why")
		require.NoError(t, err)
		r := Request{Policy: many(n), Action: a, Facts: &skills.Facts{}, NoTrace: true}
		require.Equal(t, Allow, Decide(context.Background(), r).Kind)
		assert.Equal(t, 1.0, testing.AllocsPerRun(100, func() { Decide(context.Background(), r) }), "%d skills", n)
	}
}

func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{10, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			a, err := skills.NewAction("asks", read(b, `(:cmd "ls" :x 1)`), "why")
			require.NoError(b, err)
			r := Request{Policy: many(n), Action: a, Facts: &skills.Facts{}, NoTrace: true}
			b.ReportAllocs()
			for b.Loop() {
				Decide(context.Background(), r)
			}
		})
	}
}

func BenchmarkPropose(b *testing.B) {
	form := read(b, `(:type :request :target :tool :payload (:tool "asks" :args (:x 1 :cmd "git status")) :explanation "see what changed")`)
	tools := skills.ToolSet(&book{tools: standard()})
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := skills.Propose(form, tools); err != nil {
			b.Fatal(err)
		}
	}
}
