package capabilities

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
)

// opens takes the permit of a start, as an engine does that dies before it has a receipt.
func (b *bench) opens(tool, args string) act.Call {
	b.t.Helper()
	d, err := b.e.Decide(b.t.Context(), b.action(tool, args), b.facts())
	require.NoError(b.t, err)
	p, err := b.e.Begin(b.t.Context(), d)
	require.NoError(b.t, err)
	in := p.Intent()
	return act.Call{Action: in.Action, Key: in.Key, Session: "s", Approval: in.Approval, Decision: in.Decision,
		Asker: in.Asker}
}

// heard are the Results that the session was told as texts.
func (b *bench) heard() (texts []string) {
	b.t.Helper()
	require.NoError(b.t, b.e.Journal().Records(1, func(r cortex.Record) error {
		if r.Kind == record.KindSignal {
			sig, err := perceive.DecodeSignal(r.Body)
			require.NoError(b.t, err)
			if sig.Sensor == perceive.TextRead && sig.Source == perceive.Run {
				texts = append(texts, sig.Text)
			}
		}
		return nil
	}))
	return texts
}

// The engine dies after the run has begun, and its start is answered by the next one, which says that it
// runs. The Result is told when it is there.
func TestR22_AStartThatWasCutOffIsToldLater(t *testing.T) {
	b := newBench(t, deployRules, twice)
	b.approve(b.asks("x.twice", `()`).Token)
	call := b.opens("x.twice", `()`)
	v, ok := b.caps.book.Load().version(call.Action)
	require.True(t, ok)
	require.NoError(t, b.caps.begin(t.Context(), v, call, logOf(call.Key)))
	require.NoError(t, b.e.Hosts().Rest(t.Context(), logOf(call.Key)))
	b.e = b.m.Start()
	r, err := starter{b.caps}.Probe(t.Context(), call)
	require.NoError(t, err)
	assert.Equal(t, "running", r.Result.GetText("status"))
	assert.Empty(t, b.heard())
	require.NoError(t, b.answer(t.Context()))
	b.rests()
	assert.Equal(t, []string{"x.twice 1.0.0: ok"}, b.heard())
	r, err = starter{b.caps}.Probe(t.Context(), call)
	require.NoError(t, err)
	assert.Equal(t, "running", r.Result.GetText("status"), "the Result was told, and is not told twice")
}

// The engine dies after the run has its Result and before the receipt of its start is on record: the session
// is told.
func TestR22_AResultWithoutAReceiptIsTold(t *testing.T) {
	b := newBench(t, allRules, deploy)
	call := b.opens("deploy.appservice", `(:app "shop" :image "v2")`)
	_, err := starter{b.caps}.Act(t.Context(), call)
	require.NoError(t, err)
	require.NoError(t, b.e.Operations().Maintain(t.Context()))
	b.rests()
	assert.Empty(t, b.heard(), "the receipt may be on its way")
	b.e = b.m.Start()
	b.rests()
	require.Len(t, b.heard(), 1)
	assert.Contains(t, b.heard()[0], "deploy.appservice 1.0.0: ok")
	r, err := starter{b.caps}.Probe(t.Context(), call)
	require.NoError(t, err)
	assert.Equal(t, "running", r.Result.GetText("status"))
}

// What the next engine answers a start that was cut off with holds, also if that engine dies too.
func TestR22_AnAnswerThatIsOnRecordHolds(t *testing.T) {
	b := newBench(t, allRules, deploy)
	call := b.opens("deploy.appservice", `(:app "shop" :image "v2")`)
	_, err := starter{b.caps}.Act(t.Context(), call)
	require.NoError(t, err)
	for range 3 {
		r, err := starter{b.caps}.Probe(t.Context(), call)
		require.NoError(t, err)
		assert.Equal(t, statusOK, r.Result.GetText("status"))
		b.e = b.m.Start()
		b.rests()
		assert.Empty(t, b.heard())
	}
}

// A start that has its receipt is told nothing more, and its run does not stay due.
func TestR22_AReceiptIsEnough(t *testing.T) {
	b := newBench(t, allRules, deploy)
	b.does("deploy.appservice", `(:app "shop" :image "v2")`)
	r := b.rests()
	require.NoError(t, b.e.Operations().Maintain(t.Context()))
	b.rests()
	head, err := b.e.Hosts().Logs().Head(r.Log)
	require.NoError(t, err)
	_, due, err := record.DueAt(b.e.Journal(), head.Root)
	require.NoError(t, err)
	assert.False(t, due)
	assert.Empty(t, b.heard())
}
