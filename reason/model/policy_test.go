package model

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

const freeX1 = `(:tool "free" :args (:x 1))`

// bankRules is the folder of a small real rulebook.
var bankRules = os.DirFS("../testdata/rules")

func read(t testing.TB, src string) sexpr.Value {
	t.Helper()
	v, err := sexpr.Read("test", src)
	require.NoError(t, err, src)
	return v
}

func digest(t testing.TB, form string) sexpr.Digest {
	t.Helper()
	a, _, err := skills.Propose(read(t, form), (&book{tools: standard()}))
	require.NoError(t, err)
	return a.Digest()
}

// book is a policy written out by hand.
type book struct {
	skills []*skills.Skill
	tools  []*skills.Tool
	empty  bool
}

func (b *book) Hash() sexpr.Digest { return sexpr.DigestText("test", "book") }
func (b *book) Empty() bool        { return b.empty }
func (b *book) Skills(tool string) []*skills.Skill {
	var out []*skills.Skill
	for _, s := range b.skills {
		if tool == "" || s.Tools == nil || slices.Contains(s.Tools, tool) {
			out = append(out, s)
		}
	}
	skills.Sort(out)
	return out
}
func (b *book) Len() int {
	n := 0
	for _, s := range b.skills {
		n += len(s.Gates)
	}
	return n
}
func (b *book) Invariants(string) []skills.Gate { return nil }
func (b *book) Tool(name string) (*skills.Tool, bool) {
	i := slices.IndexFunc(b.tools, func(t *skills.Tool) bool { return t.Name == name })
	if i < 0 {
		return nil, false
	}
	return b.tools[i], true
}
func (b *book) Tools() []*skills.Tool    { return b.tools }
func (b *book) UnknownTool() skills.Tier { return skills.TierAsk }

// judgeFunc is a gate written as a function.
type judgeFunc struct {
	key string
	f   func(c *skills.Case) (skills.Verdict, error)
}

func (g judgeFunc) Key() string { return g.key }
func (g judgeFunc) Judge(_ context.Context, c *skills.Case) (skills.Verdict, error) {
	return g.f(c)
}

// skill is a skill without a trigger.
func skill(name string, priority int, gates ...skills.Gate) *skills.Skill {
	return &skills.Skill{Name: name, Priority: priority, Gates: gates}
}

// standard are tools of every tier.
func standard() []*skills.Tool {
	x := []skills.Param{{Name: "x", Type: skills.Type{Kind: skills.KindInteger}},
		{Name: "cmd", Type: skills.Type{Kind: skills.KindCommand}}}
	return append(skills.BuiltinTools(),
		&skills.Tool{Name: "asks", Params: x, Tier: skills.TierAsk},
		&skills.Tool{Name: "free", Params: x, Tier: skills.TierAllow},
		&skills.Tool{Name: "never", Params: x, Tier: skills.TierDeny},
	)
}
