package plugins

import (
	"context"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/reason"
)

// An engine records what plugins answered, and replays it without them: also what
// is a failure, and what the lock does not grant.
func TestAnEngineReplaysPluginsWithoutThem(t *testing.T) {
	w := newWorld(t, shellRules,
		self(t, "a-allows", "allow", grants("allow"), priority(9)),
		self(t, "b-rewrites", `rewrite (:cmd "true")`, grants("rewrite"), priority(8),
			func(e *Entry) { e.Judges = []string{"shell"} }),
		self(t, "c-mute", "allow", priority(7)), self(t, "d-flaps", "flap", priority(6)),
		self(t, "e-sees", "sees", grants("turns", "ctx"), priority(5)),
		self(t, "f-fails", "wrong-id", priority(4), func(e *Entry) { e.Judges = []string{"cursed"} }))
	w.host = New(w.opt)
	defer w.host.Close()
	opt := cortex.Options{
		Dir: filepath.Join(w.dir, "d"), Plugins: w.host,
		Rules: fstest.MapFS{"r.lisp": {Data: []byte(shellRules + `(deftool cursed :tier :allow :effect :external)`)}},
	}
	e, err := cortex.Open(context.Background(), opt)
	require.NoError(t, err)
	for range 3 {
		d, err := e.Decide(context.Background(), shell(t, "ls"), &cortex.Facts{})
		require.NoError(t, err)
		assert.Equal(t, reason.Allow, d.Kind, "%+v", d.Reasons)
		assert.Equal(t, "a-allows/one", d.Key)
		assert.Equal(t, `(:args (:cmd "true") :target :tool :tool "shell" :type :request)`, d.Action.Canonical())
	}
	d, err := e.Decide(context.Background(), mustAction(t, "cursed"), &cortex.Facts{})
	require.NoError(t, err)
	assert.Equal(t, "gate/f-fails/failed", d.Key)

	r, err := e.Replay(context.Background(), cortex.ReplayOptions{})
	require.NoError(t, err)
	assert.Equal(t, 4, r.Decisions)
	assert.Empty(t, r.Differences)
	assert.Empty(t, r.Others)
	require.NoError(t, e.Close())
	require.NoError(t, w.host.Close())

	opt.Plugins, opt.Inspect = Recorded{}, true
	e, err = cortex.Open(context.Background(), opt)
	require.NoError(t, err)
	defer e.Close()
	r, err = e.Replay(context.Background(), cortex.ReplayOptions{})
	require.NoError(t, err)
	assert.Equal(t, 4, r.Decisions)
	assert.Empty(t, r.Differences)
	assert.Empty(t, r.Others)
	assert.Empty(t, children(t))

	r, err = e.Replay(context.Background(), cortex.ReplayOptions{Rules: w.book})
	require.NoError(t, err)
	assert.Equal(t, 4, r.Decisions, "other rules are tried beside the plugins of the day")
	assert.Empty(t, r.Differences, "whose answers are the same")
}

// A new program in the lock is another policy: what was approved is asked again,
// and the engine that cannot load it keeps the one it has.
func TestAnEngineReloadsPlugins(t *testing.T) {
	w := newWorld(t, shellRules, self(t, "bad", "ask"))
	w.host = New(w.opt)
	defer w.host.Close()
	e, err := cortex.Open(context.Background(), cortex.Options{
		Plugins: w.host, Rules: fstest.MapFS{"r.lisp": {Data: []byte(shellRules)}},
	})
	require.NoError(t, err)
	defer e.Close()
	d, err := e.Decide(context.Background(), shell(t, "ls"), &cortex.Facts{})
	require.NoError(t, err)
	require.Equal(t, reason.Ask, d.Kind)
	was := e.Rules().Policy().Hash()

	w.lock.Skills[0].Env["BEHAVE"] = "sick"
	w.write()
	require.ErrorContains(t, e.Operations().Reload(context.Background()), "the rules in force stay: plugin bad: health")
	assert.Equal(t, was, e.Rules().Policy().Hash())
	d, err = e.Decide(context.Background(), shell(t, "ls"), &cortex.Facts{})
	require.NoError(t, err)
	assert.Equal(t, reason.Ask, d.Kind)
	token := d.Approval

	w.lock.Skills[0].Env["BEHAVE"] = "pass"
	w.write()
	require.NoError(t, e.Operations().Reload(context.Background()))
	d, err = e.Decide(context.Background(), shell(t, "ls"), &cortex.Facts{})
	require.NoError(t, err)
	assert.Equal(t, reason.Allow, d.Kind)
	a, err := e.Approvals().Get(context.Background(), token)
	require.NoError(t, err)
	assert.Equal(t, cortex.Superseded, a.State)
}
