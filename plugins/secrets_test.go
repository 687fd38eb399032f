package plugins

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

func TestSecrets_GoToNoSkillWithoutThatSight(t *testing.T) {
	book, err := reason.Loader(rules.Loader{}).Load(rules.Root{FS: fstest.MapFS{"r.lisp": {Data: []byte(
		`(deftool login :params (:user string :password string :pin integer) :secret (:password :pin) :tier :allow :effect :local)`)}}})
	require.NoError(t, err)
	args, err := sexpr.Read("args", `(:user "ana" :password "hunter2-canary" :pin 4711)`)
	require.NoError(t, err)
	a, err := skills.NewAction("login", args, "with hunter2-canary")
	require.NoError(t, err)
	f := &skills.Facts{Session: skills.Session{ID: "s", Turns: []skills.Turn{
		{User: "the password is hunter2-canary"},
		{Call: &skills.Call{Tool: "login", Args: args, Result: sexpr.Str("hunter2-canary is wrong"),
			Error: "no hunter2-canary"}},
	}}}
	f.Signal.Text = "hunter2-canary"
	c := skills.NewCase(a, nil, f)

	all := []string{"explanation", "session", "signal", "turns"}
	q, err := (&Entry{Name: "x", Grants: all}).question(c, book)
	require.NoError(t, err)
	assert.NotContains(t, q.input(), "hunter2")
	assert.NotContains(t, q.input(), "4711")
	assert.Contains(t, q.action, `:user "ana"`)
	assert.NotEqual(t, a.Digest().String(), q.digest, "it would let a skill guess")

	q, err = (&Entry{Name: "x", Grants: append(all, seesSecrets)}).question(c, book)
	require.NoError(t, err)
	assert.Equal(t, a.Canonical(), q.action)
	assert.Contains(t, q.facts, "hunter2-canary is wrong")

	// What was recorded before there was that sight is found again.
	e := &Entry{Name: "x"}
	old := c.WithLookup(func(function, argument string) (string, error) {
		q, err := (&Entry{Name: "x", Grants: []string{seesSecrets}}).question(c, book)
		if err != nil || argument != q.input() {
			return "", assert.AnError
		}
		return "answer", nil
	})
	g := &gate{entry: e, tools: book}
	q, err = e.question(old, book)
	require.NoError(t, err)
	text, err := g.recorded(old, q)
	require.NoError(t, err)
	assert.Equal(t, "answer", text)
}
