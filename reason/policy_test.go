package reason

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

func read(t testing.TB, src string) sexpr.Value {
	t.Helper()
	v, err := sexpr.Read("test", src)
	require.NoError(t, err, src)
	return v
}

// book is a policy written out by hand.
type book struct {
	skills     []*skills.Skill
	invariants []skills.Gate
	tools      []*skills.Tool
	unknown    skills.Tier
	empty      bool
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
func (b *book) Invariants(string) []skills.Gate { return b.invariants }
func (b *book) Tool(name string) (*skills.Tool, bool) {
	i := slices.IndexFunc(b.tools, func(t *skills.Tool) bool { return t.Name == name })
	if i < 0 {
		return nil, false
	}
	return b.tools[i], true
}
func (b *book) Tools() []*skills.Tool    { return b.tools }
func (b *book) UnknownTool() skills.Tier { return b.unknown }

// judgeFunc is a gate written as a function.
type judgeFunc struct {
	key string
	f   func(c *skills.Case) (skills.Verdict, error)
}

func (g judgeFunc) Key() string { return g.key }
func (g judgeFunc) Judge(_ context.Context, c *skills.Case) (skills.Verdict, error) {
	return g.f(c)
}

// says is a gate that always gives the same verdict.
func says(key string, v skills.Verdict) skills.Gate {
	return judgeFunc{key, func(*skills.Case) (skills.Verdict, error) { return v, nil }}
}

// skill is a skill without a trigger.
func skill(name string, priority int, gates ...skills.Gate) *skills.Skill {
	return &skills.Skill{Name: name, Priority: priority, Gates: gates}
}

func because(key string) skills.Reason {
	return skills.Reason{Key: key, Text: "because of " + key, Retryable: true}
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

func decide(t testing.TB, p skills.Policy, form string, more ...func(*Request)) *Decision {
	t.Helper()
	r := Request{Policy: p, Proposal: read(t, form), Passes: true}
	for _, f := range more {
		f(&r)
	}
	return Decide(context.Background(), r)
}

// keys are the keys of reasons, in order.
func keys(why []skills.Reason) []string {
	out := []string{}
	for _, w := range why {
		out = append(out, w.Key)
	}
	return out
}

// outcomes are a trace's gates and outcomes, as "1 skill/clause passed".
func outcomes(d *Decision) []string {
	out := []string{}
	for _, s := range d.Trace {
		out = append(out, string('0'+rune(s.Round))+" "+s.Gate+" "+string(s.Outcome))
	}
	return out
}
