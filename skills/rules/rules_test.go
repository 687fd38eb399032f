package rules

import (
	"context"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// files makes a folder of rule files out of names and texts in turn.
func folder(t testing.TB, kv ...string) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	for i := 0; i+1 < len(kv); i += 2 {
		out[kv[i]] = &fstest.MapFile{Data: []byte(kv[i+1])}
	}
	return out
}

// load loads one file of rules.
func load(t testing.TB, text string) *Rulebook {
	t.Helper()
	b, err := Load(folder(t, "a.lisp", text))
	require.NoError(t, err)
	return b
}

// recorded loads rules whose triggers name tools that nothing declares, as records
// have them: their arguments are anything.
func recorded(t testing.TB, text string) *Rulebook {
	t.Helper()
	b, err := Loader{Recorded: true}.Load(Root{FS: folder(t, "a.lisp", text)})
	require.NoError(t, err)
	return b
}

// call is an action as a form: (call `"shell" (:cmd "ls")`).
func call(t testing.TB, tool, args string) *skills.Action {
	t.Helper()
	v, err := sexpr.Read("args", args)
	require.NoError(t, err)
	a, err := skills.NewAction(tool, v, "")
	require.NoError(t, err)
	return a
}

// judge asks every clause that may apply, as Decide does, and returns the keys
// of what did not pass.
func judge(t testing.TB, b *Rulebook, a *skills.Action, f *skills.Facts) []string {
	t.Helper()
	if f == nil {
		f = &skills.Facts{}
	}
	tool, _ := b.Tool(a.Tool())
	c := skills.NewCase(a, tool, f)
	var out []string
	note := func(g skills.Gate) {
		v, err := g.Judge(context.Background(), c)
		require.NoError(t, err)
		switch v := v.(type) {
		case skills.Deny:
			out = append(out, "deny "+v.Reason.Key)
		case skills.Ask:
			out = append(out, "ask "+v.Reason.Key)
		case skills.Allow:
			out = append(out, "allow "+v.Reason.Key)
		case skills.Rewrite:
			out = append(out, "rewrite "+v.Reason.Key)
		case skills.Pass:
			if v.Note != "" {
				out = append(out, "note "+g.Key())
			}
		case skills.Asks:
			require.Fail(t, "rules ask one thing at a time")
		default:
			require.Fail(t, "no verdict")
		}
	}
	for _, s := range b.Skills(a.Tool()) {
		if s.Trigger != nil {
			on, err := s.Trigger(c)
			if err != nil {
				out = append(out, "error "+s.Name)
				continue
			}
			if !on {
				continue
			}
		}
		for _, g := range s.Gates {
			note(g)
		}
	}
	for _, g := range b.Invariants(a.Tool()) {
		note(g)
	}
	return out
}

func TestTheSampleOfTheManual(t *testing.T) {
	text, err := os.ReadFile("testdata/sample.lisp")
	require.NoError(t, err)
	b, err := Load(folder(t, "sample.lisp", string(text)))
	require.NoError(t, err)
	for cmd, want := range map[string][]string{
		"rm -fr ~/notes":            {"deny shell-guard/destroys-data", "rewrite shell-guard/bounded"},
		"sudo ls":                   {"ask shell-guard/elevates", "rewrite shell-guard/bounded"},
		"ls /workspace":             {"allow shell-guard/looks-only", "rewrite shell-guard/bounded"},
		"cat /workspace/../etc/pwd": {"rewrite shell-guard/bounded"},
		"cat /workspace/.env": {"deny shell-guard/protected-path",
			"allow shell-guard/looks-only", "rewrite shell-guard/bounded"},
	} {
		a := call(t, "shell", sexpr.Plist("cmd", sexpr.Str(cmd)).String())
		assert.Equal(t, want, judge(t, b, a, nil), cmd)
	}
	unknown := judge(t, b, call(t, "shell", `(:cmd "\"$X\" -rf /")`), nil)
	assert.Contains(t, unknown, "deny shell-guard/destroys-data/error")
	assert.Contains(t, unknown, "ask shell-guard/elevates/error")
	assert.NotContains(t, unknown, "allow shell-guard/looks-only")
	assert.Equal(t, []string{"deny invariant/payments-stay-small"},
		judge(t, b, call(t, "send_money", `(:recipient "x" :amount 1000.5)`), nil))
	assert.Empty(t, judge(t, b, call(t, "send_money", `(:recipient "x" :amount 1000)`), nil))
}
