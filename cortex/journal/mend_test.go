package journal_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/sexpr"
)

func recordKey(seq uint64) []byte {
	_, behind := journal.KeysTo(seq - 1)
	return behind
}

// Records are lost, changed, or come back that retention had removed: what is left is made
// a journal that verifies, and what is gone is named, no more and no less.
func TestMending(t *testing.T) {
	for name, tt := range map[string]struct {
		retained bool
		harm     func(st journal.Store, was map[uint64][]byte) []journal.Write
		lost     []journal.Lost
	}{
		"nothing":        {harm: func(journal.Store, map[uint64][]byte) []journal.Write { return nil }},
		"in the middle":  {harm: gone(7, 8, 12), lost: []journal.Lost{{From: 7, To: 8}, {From: 12, To: 12}}},
		"the first":      {harm: gone(1), lost: []journal.Lost{{From: 1, To: 1}}},
		"the end":        {harm: gone(19, 20), lost: []journal.Lost{{From: 19, To: 20}}},
		"one is changed": {harm: changed(9), lost: []journal.Lost{{From: 9, To: 9}}},
		"the head": {harm: func(journal.Store, map[uint64][]byte) []journal.Write {
			return []journal.Write{{Key: journal.HeadKey()}}
		}},
		"after retention, the middle":   {retained: true, harm: gone(13), lost: []journal.Lost{{From: 13, To: 13}}},
		"after retention, what it kept": {retained: true, harm: gone(4), lost: []journal.Lost{{From: 4, To: 4}}},
		"what retention removed comes back": {retained: true,
			harm: func(_ journal.Store, was map[uint64][]byte) []journal.Write {
				return []journal.Write{{Key: recordKey(3), Value: was[3]}}
			}},
	} {
		st, err := store.Open("", store.Options{})
		require.NoError(t, err)
		j, err := journal.Open(st, journal.Options{})
		require.NoError(t, err)
		was := map[uint64][]byte{}
		for i := range 20 {
			require.NoError(t, j.Update(t.Context(), func(tx *journal.Tx) error {
				_, err := tx.Append("note", "s", sexpr.Plist("n", sexpr.Int64(int64(i))))
				return err
			}))
			was[uint64(i+1)], err = st.Get(recordKey(uint64(i + 1)))
			require.NoError(t, err)
			if tt.retained && i == 9 {
				require.NoError(t, j.Update(t.Context(), func(tx *journal.Tx) error {
					_, err := tx.Retain(1, 6, func(r journal.Record) (bool, error) { return r.Seq == 4, nil })
					return err
				}))
			}
		}
		newest := j.Head().Seq
		require.NoError(t, st.Commit(tt.harm(st, was)))
		m := journal.NewMending()
		require.NoError(t, st.Scan(nil, nil, func(k, v []byte) bool { m.Add(journal.Write{Key: k, Value: v}); return true }))
		writes, lost, err := m.Finish(newest, false, time.Unix(1, 0))
		require.NoError(t, err)
		assert.Equal(t, tt.lost, lost, name)
		if name == "one is changed" { // the caller must delete the damaged entry
			writes = append(writes, journal.Write{Key: recordKey(9)})
		}
		require.NoError(t, st.Commit(writes))
		again, err := journal.Open(st, journal.Options{})
		require.NoError(t, err, name)
		require.NoError(t, again.Verify(t.Context()), name)
		mended, err := again.Mended()
		require.NoError(t, err)
		assert.Equal(t, len(tt.lost) > 0, mended > 0, name)
		for _, l := range lost {
			_, err := again.Read(l.From)
			if l.From <= again.Head().Seq && l.From != mended {
				assert.ErrorIs(t, err, journal.ErrRemoved, name)
			}
		}
		require.NoError(t, again.Update(t.Context(), func(tx *journal.Tx) error {
			_, err := tx.Append("note", "s", sexpr.Plist("n", sexpr.Int64(1)))
			return err
		}), "it goes on")
		require.NoError(t, again.Verify(t.Context()), name)
		require.NoError(t, j.Close())
	}
}

func gone(seqs ...uint64) func(journal.Store, map[uint64][]byte) []journal.Write {
	return func(journal.Store, map[uint64][]byte) (out []journal.Write) {
		for _, seq := range seqs {
			out = append(out, journal.Write{Key: recordKey(seq)})
		}
		return out
	}
}

func changed(seq uint64) func(journal.Store, map[uint64][]byte) []journal.Write {
	return func(_ journal.Store, was map[uint64][]byte) []journal.Write {
		raw := append([]byte{}, was[seq]...)
		raw[len(raw)/2] ^= 1
		return []journal.Write{{Key: recordKey(seq), Value: raw}}
	}
}
