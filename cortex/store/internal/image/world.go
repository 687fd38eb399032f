package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/sexpr"
)

// Live is a store as package store opens it, with what it does by itself now and then.
type Live interface {
	journal.Store
	Compact(ctx context.Context) error
	Reclaim(ctx context.Context, lo, hi []byte) error
	Flush() error
}

// Opener opens the store in the folder "store" of a disk.
type Opener func(*storetest.Disk) Live

// World is a record of some hundred entries, and where they stand.
type World struct {
	Name    string
	Image   Image
	Records map[uint64][]byte
}

// newWorld writes a record in small segments. Tables are written now and then; with based
// the log was compacted in between, with retained old records were removed.
func newWorld(t *testing.T, seed uint64, n int, closed, based, retained bool, open Opener) *World {
	disk := storetest.NewDisk(nil)
	st := open(disk)
	j, err := journal.Open(st, journal.Options{})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(seed, 21))
	for i := range n {
		require.NoError(t, j.Update(t.Context(), func(tx *journal.Tx) error {
			for range 1 + rng.IntN(3) { // some commits have more than one
				r, err := tx.Append([]string{"signal", "decision", "intent", "receipt"}[rng.IntN(4)], fmt.Sprint("s", i%3),
					sexpr.Plist("n", sexpr.Int64(int64(i)), "text", sexpr.Str(RandomText(rng, 1+rng.IntN(900)))))
				if err != nil {
					return err
				}
				tx.Set(fmt.Appendf(nil, "i%d", i%40), fmt.Append(nil, r.Seq))
			}
			return nil
		}))
		switch {
		case retained && i == n/3:
			require.NoError(t, j.Update(t.Context(), func(tx *journal.Tx) error {
				_, err := tx.Retain(1, uint64(n/4), func(r journal.Record) (bool, error) { return r.Seq%7 == 0, nil })
				return err
			}))
		case based && i == n/2:
			require.NoError(t, st.Compact(t.Context()))
		case i%(n/4) == 0:
			require.NoError(t, st.Flush())
		}
	}
	if !closed {
		disk = disk.PowerCut(100, rand.New(rand.NewPCG(seed, 1)))
	}
	require.NoError(t, j.Close())
	w := &World{Image: Files(t, disk.System().FS, "store"), Records: map[uint64][]byte{}}
	w.Name = fmt.Sprintf("closed %v, base %v, retention %v", closed, based, retained)
	require.NoError(t, w.Entries(t, open, func(key, value []byte) {
		if seq := journal.RecordIn(journal.Write{Key: key}); seq > 0 {
			w.Records[seq] = bytes.Clone(value)
		}
	}))
	require.Greater(t, len(w.Records), n)
	return w
}

// Entries calls f with all that a world's store gives back.
func (w *World) Entries(t *testing.T, open Opener, f func(key, value []byte)) error {
	t.Helper()
	disk, err := w.Image.Disk("", nil)
	require.NoError(t, err)
	s := open(disk)
	err = s.Scan(nil, nil, func(key, value []byte) bool { f(key, value); return true })
	return errors.Join(err, s.Close())
}

// Worlds are closed and killed ones, with and without a base.
func Worlds(t *testing.T, n int, open Opener) (out []*World) {
	for i, closed := range []bool{true, false} {
		for k, based := range []bool{false, true} {
			out = append(out, newWorld(t, uint64(2*i+k), n, closed, based, based, open))
		}
	}
	return out
}
