package journal_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
)

func storeInMemory() (journal.Store, error) { return store.Open("", store.Options{}) }

func TestSubscribe(t *testing.T) {
	leakFree(t)
	synctest.Test(t, func(t *testing.T) {
		disk, hold, syncing, result := slowDisk()
		j := open(t, disk, journal.Options{})
		for i := range 200 { // more than one reading
			_, err := add(j, fmt.Sprint(i))
			require.NoError(t, err)
		}
		got := make(chan uint64, 1000)
		ended := make(chan error, 1)
		ctx, cancel := context.WithCancelCause(bg)
		go func() {
			for r, err := range j.Subscribe(ctx, 5) {
				if err != nil {
					ended <- err
					continue
				}
				got <- r.Seq
			}
		}()
		synctest.Wait()
		require.Len(t, got, 196)
		for seq := uint64(5); seq <= 200; seq++ {
			require.Equal(t, seq, <-got)
		}

		hold.Store(true)
		done := make(chan error)
		go func() { _, err := add(j, "new"); done <- err }()
		<-syncing
		synctest.Wait()
		assert.Empty(t, got, "nothing is told before it is durable")
		hold.Store(false)
		result <- nil
		require.NoError(t, <-done)
		synctest.Wait()
		require.Equal(t, uint64(201), <-got)

		require.NoError(t, j.Update(bg, func(tx *journal.Tx) error { tx.Set([]byte("k"), nil); return nil }))
		synctest.Wait()
		assert.Empty(t, got, "no record, no news")
		mine := errors.New("mine")
		cancel(mine)
		require.ErrorIs(t, <-ended, mine)
		require.NoError(t, j.Close())
	})
}

// A stalled subscriber does not delay others, and misses no record.
func TestSlowSubscriber(t *testing.T) {
	leakFree(t)
	synctest.Test(t, func(t *testing.T) {
		j := open(t, nil, journal.Options{})
		goOn := make(chan struct{})
		var got []uint64
		ended := make(chan error, 1)
		go func() {
			for r, err := range j.Subscribe(bg, 0) {
				if err != nil {
					ended <- err
					return
				}
				if got = append(got, r.Seq); len(got) == 1 {
					<-goOn
				}
			}
		}()
		for range 500 {
			_, err := add(j, "x")
			require.NoError(t, err, "the writer does not wait for it")
		}
		close(goOn)
		synctest.Wait()
		require.Len(t, got, 500)
		for i, seq := range got {
			require.Equal(t, uint64(i+1), seq)
		}
		require.NoError(t, j.Close())
		require.ErrorIs(t, <-ended, journal.ErrClosed)
	})
}

func TestSubscriberMayLeave(t *testing.T) {
	leakFree(t)
	j := open(t, nil, journal.Options{})
	_, err := add(j, "x")
	require.NoError(t, err)
	for r, err := range j.Subscribe(bg, 1) {
		require.NoError(t, err)
		assert.Equal(t, uint64(1), r.Seq)
		break
	}
	require.NoError(t, j.Close())
}
