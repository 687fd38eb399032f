package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/sexpr"
)

// plain is the slow, obvious meaning of a Tx: a map that is copied for each
// update and kept if the update succeeds.
type plain map[string]string

func (p plain) scan(lo, hi []byte, most int) (out []string) {
	keys := make([]string, 0, len(p))
	for k := range p {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if k >= string(lo) && (hi == nil || k < string(hi)) && len(out) < most {
			out = append(out, k+"="+p[k])
		}
	}
	return out
}

type scanner interface {
	Scan(lo, hi []byte, f func(key, value []byte) bool) error
}

func scan(s scanner, lo, hi []byte, most int) (out []string, err error) {
	err = s.Scan(lo, hi, func(k, v []byte) bool {
		if k[0] == 'e' {
			return true // records are checked by Verify
		}
		if len(out) < most {
			out = append(out, fmt.Sprintf("%s=%s", k, v))
		}
		return len(out) < most
	})
	return out, err
}

// TestTxIsAMap runs random updates, alone and in groups, some of which fail, on
// a journal and on the map, and compares every answer.
func TestTxIsAMap(t *testing.T) {
	keys := rapid.SampledFrom([]string{"a", "b", "ba", "bb", "d", "f", "g\x00", "g\xff", "z"})
	values := rapid.SampledFrom([]string{"", "1", "22", "\x00"})
	bound := rapid.OneOf(rapid.Just[[]byte](nil), rapid.Map(keys, func(k string) []byte { return []byte(k) }))
	mine := errors.New("mine")
	rapid.Check(t, func(t *rapid.T) {
		j := openRapid(t)
		kept, records := plain{}, uint64(0)
		update := func(tx *journal.Tx, steps []func(*journal.Tx, plain) uint64, p plain) (n uint64) {
			for _, step := range steps {
				n += step(tx, p)
			}
			return n
		}
		for range rapid.IntRange(1, 8).Draw(t, "updates") {
			var steps []func(*journal.Tx, plain) uint64
			for range rapid.IntRange(0, 8).Draw(t, "steps") {
				k, v, lo, hi := keys.Draw(t, "key"), values.Draw(t, "value"), bound.Draw(t, "lo"), bound.Draw(t, "hi")
				most := rapid.IntRange(1, 9).Draw(t, "most")
				switch rapid.IntRange(0, 4).Draw(t, "step") {
				case 0:
					steps = append(steps, func(tx *journal.Tx, p plain) uint64 { tx.Set([]byte(k), []byte(v)); p[k] = v; return 0 })
				case 1:
					steps = append(steps, func(tx *journal.Tx, p plain) uint64 { tx.Delete([]byte(k)); delete(p, k); return 0 })
				case 2:
					steps = append(steps, func(tx *journal.Tx, p plain) uint64 {
						got, err := tx.Get([]byte(k))
						want, ok := p[k]
						assert.NoError(t, err)
						assert.Equal(t, ok, got != nil)
						assert.Equal(t, want, string(got))
						return 0
					})
				case 3:
					steps = append(steps, func(tx *journal.Tx, p plain) uint64 {
						got, err := scan(tx, lo, hi, most)
						assert.NoError(t, err)
						assert.Equal(t, p.scan(lo, hi, most), got)
						return 0
					})
				case 4:
					steps = append(steps, func(tx *journal.Tx, _ plain) uint64 {
						r, err := tx.Append("signal", k[:1], sexpr.Nil())
						assert.NoError(t, err)
						back, err := tx.Read(r.Seq)
						assert.NoError(t, err)
						assert.Equal(t, r.Hash, back.Hash)
						_, err = tx.Read(r.Seq + 1)
						assert.ErrorIs(t, err, journal.ErrNotFound)
						return 1
					})
				}
			}
			fails := rapid.Bool().Draw(t, "fails")
			trial := plain{}
			for k, v := range kept {
				trial[k] = v
			}
			var n uint64
			err := j.Update(bg, func(tx *journal.Tx) error {
				n = update(tx, steps, trial)
				if fails {
					return mine
				}
				return nil
			})
			if fails {
				require.ErrorIs(t, err, mine)
			} else {
				require.NoError(t, err)
				kept, records = trial, records+n
			}
			got, err := scan(j, nil, nil, 100)
			require.NoError(t, err)
			require.Equal(t, kept.scan(nil, nil, 100), got)
			require.Equal(t, records, j.Last())
		}
		require.NoError(t, j.Verify(bg))
		require.NoError(t, j.Close())
	})
}

func openRapid(t *rapid.T) *journal.Journal {
	s, err := storeInMemory()
	require.NoError(t, err)
	j, err := journal.Open(s, journal.Options{})
	require.NoError(t, err)
	return j
}

// In one group, an update sees what those before it wrote, except what failed.
func TestTxSeesItsGroup(t *testing.T) {
	leakFree(t)
	drop := errors.New("drop this one")
	steps := []func(tx *journal.Tx, was string, all []string) error{
		func(tx *journal.Tx, was string, _ []string) error {
			assert.Empty(t, was)
			tx.Set([]byte("k"), []byte("0"))
			_, err := tx.Append("signal", "", text("0"))
			return err
		},
		func(tx *journal.Tx, was string, all []string) error {
			assert.Equal(t, "0", was)
			assert.Equal(t, []string{"k=0"}, all)
			tx.Set([]byte("m"), []byte("1"))
			tx.Delete([]byte("k"))
			_, err := tx.Append("signal", "", text("1"))
			assert.NoError(t, err)
			return drop
		},
		func(tx *journal.Tx, was string, all []string) error {
			assert.Equal(t, "0", was)
			assert.Equal(t, []string{"k=0"}, all)
			assert.Equal(t, uint64(2), tx.Last())
			r, err := tx.Read(2)
			assert.NoError(t, err)
			assert.Equal(t, "0", r.Body.GetText("text"))
			_, err = tx.Append("signal", "", text("2"))
			return err
		},
	}
	synctest.Test(t, func(t *testing.T) {
		disk, hold, syncing, result := slowDisk()
		j := open(t, disk, journal.Options{})
		hold.Store(true)
		go func() { _, err := add(j, "opens a group"); assert.NoError(t, err) }()
		<-syncing
		done := make([]error, len(steps))
		for i, step := range steps {
			go func() {
				done[i] = j.Update(bg, func(tx *journal.Tx) error {
					was, err := tx.Get([]byte("k"))
					assert.NoError(t, err)
					all, err := scan(tx, nil, nil, 10)
					assert.NoError(t, err)
					return step(tx, string(was), all)
				})
			}()
			synctest.Wait() // it is in the queue, behind the ones before
		}
		result <- nil
		<-syncing // one sync for the three
		result <- nil
		synctest.Wait()
		assert.Equal(t, []error{nil, drop, nil}, done)
		var all []string
		require.NoError(t, j.Records(2, func(r journal.Record) error {
			all = append(all, r.Body.GetText("text"))
			return nil
		}))
		assert.Equal(t, []string{"0", "2"}, all)
		hold.Store(false)
		require.NoError(t, j.Close())
	})
}

// What was handed to Set may be changed afterwards, and what Get returned too.
func TestTxKeepsNoSlices(t *testing.T) {
	leakFree(t)
	j := open(t, nil, journal.Options{})
	require.NoError(t, j.Update(bg, func(tx *journal.Tx) error {
		k, v := []byte("k"), []byte("v")
		tx.Set(k, v)
		k[0], v[0] = 'x', 'x'
		got, err := tx.Get([]byte("k"))
		assert.Equal(t, "v", string(got))
		copy(got, "y")
		return err
	}))
	got, err := j.Get([]byte("k"))
	require.NoError(t, err)
	assert.True(t, bytes.Equal([]byte("v"), got))
	require.NoError(t, j.Close())
}
