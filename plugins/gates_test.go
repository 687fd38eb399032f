package plugins

import (
	"context"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/skills"
)

// A gate in Go stands between two plugins: the one behind it is not asked ahead of it,
// and the record is replayed without any of them.
func TestAGateInGoStandsBetweenPlugins(t *testing.T) {
	w := newWorld(t, shellRules, self(t, "before", "pass", priority(9)), self(t, "behind", "pass", priority(5)))
	w.host = New(w.opt)
	defer w.host.Close()
	no := func(_ context.Context, c *skills.Case) (skills.Verdict, error) {
		if c.Action().Args().GetText("cmd") == "ls" {
			return skills.Pass{}, nil
		}
		return skills.Deny{Reason: skills.Reason{Text: "ls alone"}}, nil
	}
	opt := cortex.Options{
		Dir: filepath.Join(w.dir, "d"), Plugins: w.host, Rules: fstest.MapFS{"r.lisp": {Data: []byte(shellRules)}},
		Gates: []cortex.Gate{{Name: "middle", Version: "1", Priority: 7, Judge: no}},
	}
	e, err := cortex.Open(context.Background(), opt)
	require.NoError(t, err)
	for cmd, asked := range map[string]int{"ls": 3, "cat x": 2} {
		d, err := e.Decide(context.Background(), shell(t, cmd), &cortex.Facts{})
		require.NoError(t, err)
		assert.Len(t, d.Lookups, asked, cmd)
		assert.Equal(t, asked == 2, d.Key == "middle/main", d.Key)
	}
	for _, s := range e.Rules().Policy().Skills("shell") {
		if g := gateOf(s); g != nil {
			assert.Empty(t, g.neighbours, g.Key())
		}
	}
	require.NoError(t, e.Close())

	opt.Gates[0].Name = "before"
	_, err = cortex.Open(context.Background(), opt)
	require.ErrorContains(t, err, `there are two skills "before"`)

	opt.Plugins, opt.Gates, opt.Inspect = Recorded{}, nil, true
	e, err = cortex.Open(context.Background(), opt)
	require.NoError(t, err)
	defer e.Close()
	r, err := e.Replay(context.Background(), cortex.ReplayOptions{})
	require.NoError(t, err)
	assert.Equal(t, 2, r.Decisions)
	assert.Empty(t, r.Differences)
	assert.Empty(t, r.Others)
	assert.Equal(t, []string{"middle 1"}, r.Gates)
}
