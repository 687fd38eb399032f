package store

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// powerCuts cuts the power again and again while four writers append to a
// journal, and returns how many records had been acknowledged at the cuts and
// how many of those were lost. A chain with a gap or any damage fails the test.
func powerCuts(t *testing.T, cuts int, open func(*storetest.Disk) journal.Store) (looked, lost int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	for range cuts / 10 { // journals of moderate length, since each cut reads all of it
		disk := storetest.NewDisk(nil)
		j, err := journal.Open(open(disk), journal.Options{})
		require.NoError(t, err)
		var acked []journal.Head
		for _, percent := range []int{0, 10, 50, 90, 100, 0, 10, 50, 90, 100} {
			acks := make(chan journal.Head, 20)
			for range 4 {
				go func() {
					for range 5 {
						r, err := appendOne(j)
						assert.NoError(t, err)
						acks <- journal.Head{Seq: r.Seq, Hash: r.Hash}
					}
				}()
			}
			before := rng.IntN(20)
			for range before {
				acked = append(acked, <-acks)
			}
			left := disk.PowerCut(percent, rng)
			gone, err := lostOf("store", Options{Disk: left}, acked)
			require.NoError(t, err, "%d acknowledged", len(acked))
			looked += len(acked)
			lost += len(gone)
			for range 20 - before {
				acked = append(acked, <-acks)
			}
		}
		require.NoError(t, j.Close())
	}
	return looked, lost
}

// cycles is how often a campaign goes round: as usual, or what `make torture`
// asks for.
func cycles(usual int) int {
	return crashtest.Number("CORTEX_TORTURE", usual)
}

func TestI4_PowerCuts(t *testing.T) {
	usual := 200
	if testing.Short() {
		usual = 100
	}
	cuts := cycles(usual)
	looked, lost := powerCuts(t, cuts,
		func(d *storetest.Disk) journal.Store {
			return MustOpen(t, "store", Options{Disk: d, Segment: 64 << 10})
		})
	assert.Zero(t, lost)
	assert.Greater(t, looked, 10*cuts)
	crashtest.Result{Harness: "torture-store-power", Trials: cuts, Seed: 7, Failures: lost, Acknowledged: looked}.Report(t)
}

// early acknowledges before it syncs.
type early struct{ *store }

func (e early) Commit(writes []journal.Write) error {
	b := e.db.NewBatch()
	for _, w := range writes {
		if err := b.Set(w.Key, w.Value, nil); err != nil {
			return err
		}
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		return err
	}
	e.look()
	return b.Close()
}

// The test above finds a store that acknowledges too early.
func TestI4_PowerCutsFindEarlyAcknowledgement(t *testing.T) {
	_, lost := powerCuts(t, 20, func(d *storetest.Disk) journal.Store {
		return early{MustOpen(t, "store", Options{Disk: d, Segment: 64 << 10}).(*store)}
	})
	assert.Positive(t, lost)
	t.Logf("%d lost", lost)
}
