package journal

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
)

// opened opens a journal on s, and closes it at the end of the test.
func opened(t testing.TB, s Store) *Journal {
	j, err := Open(s, Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, j.Close()) })
	return j
}

// sweepOver runs one step of retention that keeps these records.
func sweepOver(t testing.TB, j *Journal, from, to uint64, keep ...uint64) (out Removal) {
	t.Helper()
	require.NoError(t, j.Update(context.Background(), func(tx *Tx) (err error) {
		out, err = tx.Retain(from, to, func(r Record) (bool, error) { return slices.Contains(keep, r.Seq), nil })
		return err
	}))
	return out
}

func appendOne(t testing.TB, j *Journal) {
	t.Helper()
	require.NoError(t, j.Update(context.Background(), func(tx *Tx) error {
		_, err := tx.Append("signal", "s", sexpr.Plist("text", sexpr.Str("more")))
		return err
	}))
}

func numbers(t testing.TB, j *Journal, from uint64) (out []uint64) {
	t.Helper()
	require.NoError(t, j.Records(from, func(r Record) error { out = append(out, r.Seq); return nil }))
	return out
}

// What retention leaves can be read and verified, what it took says so, and all
// of it is the same after opening anew.
func TestRetain(t *testing.T) {
	s, records := written(t, 20)
	j := opened(t, s)
	got := sweepOver(t, j, 1, 10, 3, 4, 5, 9)
	assert.Equal(t, 6, got.Removed)
	assert.Equal(t, KindRetention, got.Record.Kind)
	look := func(j *Journal, kept, rest []uint64) {
		t.Helper()
		require.NoError(t, j.Verify(t.Context()))
		assert.Equal(t, append(slices.Clone(kept), rest...), numbers(t, j, 1))
		assert.Equal(t, rest, numbers(t, j, rest[0]))
	}
	upTo := func(from, to uint64) (out []uint64) {
		for ; from <= to; from++ {
			out = append(out, from)
		}
		return out
	}
	look(j, []uint64{3, 4, 5, 9}, upTo(11, 21))
	for _, seq := range []uint64{1, 2, 6, 10} {
		_, err := j.Read(seq)
		assert.ErrorIs(t, err, ErrRemoved)
		assert.ErrorIs(t, err, ErrNotFound)
		assert.ErrorContains(t, err, fmt.Sprintf("record %d: removed by retention", seq))
	}
	_, err := j.Read(99)
	assert.NotErrorIs(t, err, ErrRemoved)

	// The boundary moves, and what was kept is looked at again.
	sweepOver(t, j, 1, 14, 4, 12)
	look(j, []uint64{4, 12}, upTo(15, 22))
	assert.Equal(t, Removal{To: 14}, sweepOver(t, j, 1, 14, 4, 12), "nothing changes, and nothing is written")
	sweepOver(t, j, 1, 13, 12)
	look(j, []uint64{12}, upTo(15, 23))

	again := opened(t, s.clone())
	look(again, []uint64{12}, upTo(15, 23))
	to, kept, err := again.Retained()
	require.NoError(t, err)
	assert.Equal(t, Head{14, records[13].Hash}, to)
	assert.Equal(t, []Span{{12, 12, records[11].Hash}}, kept)

	// Heads that were seen before: kept, at the boundary, gone.
	require.NoError(t, again.Verify(t.Context(), Head{12, records[11].Hash}, Head{14, records[13].Hash}))
	named(t, again.Verify(t.Context(), Head{14, records[12].Hash}), 14, "another hash at the boundary")
	require.ErrorIs(t, again.Verify(t.Context(), Head{3, records[2].Hash}), ErrRemoved)

	for name, err := range map[string]error{
		"behind the head": again.Update(t.Context(), func(tx *Tx) error { _, err := tx.Retain(1, 99, nil); return err }),
		"leaving a gap":   again.Update(t.Context(), func(tx *Tx) error { _, err := tx.Retain(16, 17, nil); return err }),
		"forged": again.Update(t.Context(), func(tx *Tx) error {
			_, err := tx.Append(KindRetention, "", sexpr.Value{})
			return err
		}),
	} {
		assert.Error(t, err, name)
	}
	require.NoError(t, again.Verify(t.Context()))
}

// A record that retention kept and that is gone is damage, and not one that was removed.
func TestRetain_AKeptRecordThatIsGone(t *testing.T) {
	s, _ := written(t, 20)
	j := opened(t, s)
	sweepOver(t, j, 1, 10, 3, 10)
	for _, seq := range []uint64{3, 10} {
		s.drop(recordKey(seq))
		_, err := j.Read(seq)
		named(t, err, seq, "kept")
	}
	_, err := j.Read(4)
	require.ErrorIs(t, err, ErrRemoved)
}

// An update that fails takes nothing away, and what is remembered of the boundary
// is what is stored.
func TestI4_RetentionIsAllOrNothing(t *testing.T) {
	s, _ := written(t, 20)
	j := opened(t, s)
	no := errors.New("no")
	require.ErrorIs(t, j.Update(t.Context(), func(tx *Tx) error {
		_, err := tx.Retain(1, 10, func(Record) (bool, error) { return false, nil })
		require.NoError(t, err)
		_, err = tx.Read(3)
		require.ErrorIs(t, err, ErrRemoved, "inside the update it is gone")
		return no
	}), no)
	r, err := j.Read(3)
	require.NoError(t, err)
	assert.EqualValues(t, 3, r.Seq)
	require.NoError(t, j.Verify(t.Context()))
	sweepOver(t, j, 1, 5)
	require.NoError(t, j.Verify(t.Context()))
	assert.EqualValues(t, 6, numbers(t, j, 1)[0])
}

// grown returns a store on which retention ran many times, and its records.
func grown(t testing.TB, seed uint64, steps int) (*table, []Record) {
	rnd := rand.New(rand.NewPCG(seed, 7))
	s, _ := written(t, 30)
	j := opened(t, s)
	for range steps {
		to, _, err := j.Retained()
		require.NoError(t, err)
		for range 1 + rnd.IntN(3) {
			appendOne(t, j)
		}
		from := 1 + rnd.Uint64N(to.Seq+1)
		upTo := from + rnd.Uint64N(j.Last()-from+1)
		require.NoError(t, j.Update(context.Background(), func(tx *Tx) error {
			_, err := tx.Retain(from, upTo, func(Record) (bool, error) { return rnd.IntN(3) == 0, nil })
			return err
		}))
	}
	for range 5 {
		appendOne(t, j)
	}
	var left []Record
	require.NoError(t, j.Records(1, func(r Record) error { left = append(left, r); return nil }))
	return s, left
}

// TestI4_RetentionAgreesWithASlowReference runs random steps and compares what is
// left with a plain set; the list of spans is begun anew every 64 steps.
func TestI4_RetentionAgreesWithASlowReference(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		s, _ := written(t, 40)
		j := opened(t, s)
		left := map[uint64]bool{}
		for seq := range uint64(40) {
			left[seq+1] = true
		}
		for range 150 {
			to, _, err := j.Retained()
			require.NoError(t, err)
			from := 1 + rnd.Uint64N(to.Seq+1)
			upTo := min(j.Last(), from+rnd.Uint64N(12))
			before := j.Last()
			require.NoError(t, j.Update(t.Context(), func(tx *Tx) error {
				_, err := tx.Retain(from, upTo, func(r Record) (bool, error) {
					require.True(t, left[r.Seq] && from <= r.Seq && r.Seq <= upTo, "record %d is looked at", r.Seq)
					stays := rnd.IntN(2) == 0
					left[r.Seq] = stays
					return stays, nil
				})
				return err
			}))
			if j.Last() > before {
				left[j.Last()] = true
			}
			appendOne(t, j)
			left[j.Last()] = true
		}
		var want []uint64
		for seq := range j.Last() {
			if left[seq+1] {
				want = append(want, seq+1)
			}
		}
		assert.Equal(t, want, numbers(t, j, 1), "seed %d", seed)
		require.NoError(t, j.Verify(t.Context()), "seed %d", seed)
		require.NoError(t, verify(s), "seed %d, without what the process remembers", seed)
		_, err := begin(s)
		require.NoError(t, err)
	}
}

// TestI4_TamperingAfterRetentionIsNamed flips, deletes, forges, swaps, brings back
// and cuts records of chains on which retention ran, and forges the boundary. Who
// has read the boundary before anything was changed names the same record.
func TestI4_TamperingAfterRetentionIsNamed(t *testing.T) {
	trials := 0
	var before boundary
	verify := func(s *table, seen ...Head) error {
		err := verify(s, seen...)
		var known atomic.Pointer[boundary]
		known.Store(&before)
		w := walker{store: s, from: 1, seen: seen, known: &known}
		remembering := w.walk(t.Context(), func(Record) error { return nil })
		require.Equal(t, err == nil, remembering == nil, "%v, and %v", err, remembering)
		var bad, also *Damage
		if errors.As(err, &bad) {
			require.ErrorAs(t, remembering, &also)
			require.Equal(t, bad.Seq, also.Seq, "%v, and %v", err, remembering)
		}
		return err
	}
	for seed := range uint64(10) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		whole, left := grown(t, seed, 12)
		b, err := boundaryOf(whole, nil)
		require.NoError(t, err)
		before = *b
		require.NoError(t, verify(whole), "seed %d", seed)
		head := Head{left[len(left)-1].Seq, left[len(left)-1].Hash}
		for range 100 {
			s := whole.clone()
			victim := left[rnd.IntN(len(left))]
			trials++
			switch kind := rnd.IntN(6); kind {
			case 0: // a flipped bit
				i, _ := s.writes.find(recordKey(victim.Seq))
				flip(s.writes[i].Value, rnd.IntN(8*len(s.writes[i].Value)))
				named(t, verify(s), victim.Seq, "seed %d: flipped", seed)
			case 1: // taken away
				s.drop(recordKey(victim.Seq))
				err := verify(s)
				if victim.Kind == KindRetention && victim.Seq >= b.full {
					require.ErrorContains(t, err, fmt.Sprintf("record %d", victim.Seq))
					continue
				}
				named(t, err, victim.Seq, "seed %d: deleted", seed)
			case 2: // another one in its place, which hashes to what it says
				forge(t, s, victim)
				named(t, verify(s, head), victim.Seq, "seed %d: forged", seed)
			case 3: // one that retention removed is there again
				gone := 1 + rnd.Uint64N(b.to.Seq)
				if !b.removed(gone) {
					continue
				}
				r := victim
				r.Seq = gone
				forge(t, s, r)
				named(t, verify(s), gone, "seed %d: brought back", seed)
			case 4: // the boundary: any bit, or all of it
				i, ok := s.writes.find(boundaryKey())
				require.True(t, ok)
				if rnd.IntN(4) == 0 {
					s.drop(boundaryKey())
					require.Error(t, verify(s))
					continue
				}
				flip(s.writes[i].Value, rnd.IntN(8*len(s.writes[i].Value)))
				named(t, verify(s), 0, "seed %d: the boundary", seed)
			case 5: // the boundary as it was before, and what went since
				var older *Record
				for i, r := range left {
					if r.Kind == KindRetention && r.Seq < b.last.Seq && r.Seq >= b.full {
						older = &left[i]
					}
				}
				if older == nil {
					continue
				}
				back := &boundary{last: Head{older.Seq, older.Hash}}
				s.writes.set(Write{Key: boundaryKey(), Value: back.seal()})
				require.Error(t, verify(s), "seed %d: rolled back", seed)
			}
		}
	}
	t.Logf("%d tamperings, each one named", trials)
}

// Negative control: a walk that takes the boundary's word for what is missing, and
// does not compare what was kept, lets tamperings pass that the real one names.
func TestI4_AVerifierThatForgetsWhatWasKeptMissesTampering(t *testing.T) {
	whole, left := grown(t, 3, 12)
	b, err := boundaryOf(whole, nil)
	require.NoError(t, err)
	require.NotEmpty(t, b.kept)
	s := whole.clone()
	forge(t, s, left[slices.IndexFunc(left, func(r Record) bool { return r.Seq == b.kept[0].To })])
	careless := walker{store: s, from: b.to.Seq + 1}
	require.NoError(t, careless.walk(t.Context(), func(Record) error { return nil }))
	named(t, verify(s), b.kept[0].To, "the careful one")
}

// While retention runs, those who read from the middle pass over what goes.
func TestReadersAndRetentionSideBySide(t *testing.T) {
	s, _ := written(t, 300)
	j := opened(t, s)
	var got []uint64
	require.NoError(t, j.Records(50, func(r Record) error {
		if r.Seq == 60 {
			sweepOver(t, j, 1, 200)
		}
		got = append(got, r.Seq)
		return nil
	}))
	assert.Contains(t, got, uint64(300))
	require.NoError(t, j.Verify(t.Context()))
}
