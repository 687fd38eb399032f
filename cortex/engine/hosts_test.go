package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

const hostRules = `
(deftool note :params (:text string) :required (:text) :tier :allow)
(deftool edit :params (:path string) :required (:path) :tier :allow)`

// A host's process may end between a call and its result. The next one finds the intent
// and reports its outcome. A second report is an error, and so is one for a tool that runs here.
func TestAHostReportsWhatItRanBeforeARestart(t *testing.T) {
	b := newBench(t, hostRules, "", func(o *Options) { o.Dir = t.TempDir() })
	d := b.decideOn("edit", `(:path "a.txt")`)
	p, err := b.Begin(t.Context(), d)
	require.NoError(t, err)
	b.reopen()

	open, err := b.Hosts().Open("s1")
	require.NoError(t, err)
	require.Len(t, open, 1)
	assert.Equal(t, p.ID(), open[0].ID)
	assert.Equal(t, d.Action.Digest(), open[0].Action.Digest())
	assert.Contains(t, b.decideOn("edit", `(:path "a.txt")`).Key, "in-doubt")

	done := Receipt{State: act.Done, Result: sexpr.Str("edited\x00")}
	require.NoError(t, b.Hosts().Finish(t.Context(), open[0].ID, done))
	require.Error(t, b.Hosts().Finish(t.Context(), open[0].ID, done), "a second receipt")
	open, err = b.Hosts().Open("s1")
	require.NoError(t, err)
	assert.Empty(t, open)
	assert.Equal(t, "tier/edit", b.decideOn("edit", `(:path "a.txt")`).Key)

	own := b.decideOn("note", `(:text "x")`)
	p, err = b.Begin(t.Context(), own)
	require.NoError(t, err)
	require.ErrorIs(t, b.Hosts().Finish(t.Context(), p.ID(), done), act.ErrOurs)
	require.ErrorContains(t, b.Hosts().Finish(t.Context(), own.ID, done), "no such intent")
	b.intact()
}

// What is heard is on record and in the session, and asks no model.
func TestWordsThatAHostHeard(t *testing.T) {
	b := newBench(t, hostRules, `(:reply "this model answers")`)
	sig := Signal{Text: "Mend a.txt.", Session: "s1", Principal: "ana", Key: "k1"}
	seq, err := b.Hosts().Hear(t.Context(), sig)
	require.NoError(t, err)
	again, err := b.Hosts().Hear(t.Context(), sig)
	require.NoError(t, err)
	assert.Equal(t, seq, again, "the same key is the same signal")
	assert.Equal(t, 1, b.kinds()["signal"])
	assert.Zero(t, b.kinds()["answer"])

	for _, sensor := range []string{perceive.Heartbeat, perceive.ToolOutput, "temperature"} {
		_, err = b.Hosts().Hear(t.Context(), Signal{Sensor: sensor, Text: "x", Session: "s1"})
		require.Error(t, err, sensor)
	}
	b.intact()
}
