package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/reason"
)

// lose takes records out of a record that is closed, and has the rest mended as a repair
// does; forget are further entries that are gone with them.
func (b *bench) lose(seqs []uint64, forget ...[]byte) {
	b.t.Helper()
	require.NoError(b.t, b.Engine.Close())
	b.Engine = nil
	st, err := store.Open(b.opt.Dir, store.Options{})
	require.NoError(b.t, err)
	gone := []journal.Write{}
	for _, seq := range seqs {
		_, behind := journal.KeysTo(seq - 1)
		gone = append(gone, journal.Write{Key: behind})
	}
	for _, k := range forget {
		gone = append(gone, journal.Write{Key: k})
	}
	require.NoError(b.t, st.Commit(gone))
	m, newest := journal.NewMending(), uint64(0)
	require.NoError(b.t, st.Scan(nil, nil, func(k, v []byte) bool {
		m.Add(journal.Write{Key: k, Value: v})
		if head, ok := journal.HeadIn(journal.Write{Key: k, Value: v}); ok {
			newest = head
		}
		return true
	}))
	writes, lost, err := m.Finish(newest, true, time.Now())
	require.NoError(b.t, err)
	require.Len(b.t, lost, len(seqs))
	require.NoError(b.t, st.Commit(writes))
	require.NoError(b.t, st.Close())
}

// A repair went on without some records: the chain verifies and says which; nobody's yes
// from before holds; a decision that was used is not used again; sessions go on.
func TestI2_AfterALossNoYesHolds(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Dir = t.TempDir() })
	asked := b.decideOn("risky", `(:what "that was approved")`)
	require.NoError(t, b.Approve(t.Context(), asked.Approval, ana))
	first := b.decideOn("note", `(:text "one")`)
	p, err := b.Begin(t.Context(), first)
	require.NoError(t, err)
	require.NoError(t, p.Finish(t.Context(), Receipt{State: "done"}))
	second := b.decideOn("note", `(:text "two")`)
	_, err = b.Begin(t.Context(), second)
	require.NoError(t, err)
	lost := b.Journal().Head().Seq // the intent
	b.lose([]uint64{first.ID, lost}, record.TableUsed.Key(first.ID))

	b.reopen()
	require.NoError(t, b.Journal().Verify(t.Context()))
	_, err = b.Journal().Read(first.ID)
	require.ErrorIs(t, err, journal.ErrRemoved)
	a, err := b.Approvals().Get(t.Context(), asked.Approval)
	require.NoError(t, err)
	assert.Equal(t, approval.Superseded, a.State)
	assert.Equal(t, reason.Ask, b.decideOn("risky", `(:what "that was approved")`).Kind)
	used, err := b.j.Get(record.TableUsed.Key(first.ID))
	require.NoError(t, err)
	assert.NotNil(t, used, "an intent was written for it")
	doubts, err := b.Operations().Doubts(t.Context())
	require.NoError(t, err)
	assert.Empty(t, doubts, "of an intent that is gone nothing can be said")
	assert.Equal(t, reason.Allow, b.decideOn("send_money", `(:recipient "x" :amount 3)`).Kind, "what looks back goes on")
	got, err := b.Replay(t.Context(), ReplayOptions{})
	require.NoError(t, err)
	assert.Empty(t, got.Differences)

	again := b.decideOn("risky", `(:what "anew")`)
	require.NoError(t, b.Approve(t.Context(), again.Approval, ana))
	b.reopen()
	a, err = b.Approvals().Get(t.Context(), again.Approval)
	require.NoError(t, err)
	assert.Equal(t, approval.Approved, a.State, "that is done once")
}
