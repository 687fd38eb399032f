package journal

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Anyone who is waited for because they were there the last time is not waited for
// longer than a commit takes, however many turns others take meanwhile.
func TestGroup_ACrowdIsNotWaitedForWhileOthersCompute(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that the writer's yield is the other's turn
	j, err := Open(&table{}, Options{})
	require.NoError(t, err)
	set := func(before func()) {
		assert.NoError(t, j.Update(t.Context(), func(tx *Tx) error {
			before()
			tx.Set([]byte("k"), []byte("v"))
			return nil
		}))
	}
	var crowd sync.WaitGroup
	runs := make(chan struct{})
	crowd.Go(func() {
		set(func() {
			close(runs)
			for len(j.queue) < 2 {
				runtime.Gosched()
			}
		})
	})
	<-runs
	for range 2 {
		crowd.Go(func() { set(func() {}) })
	}
	crowd.Wait()

	var turns atomic.Int64
	over := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
			}
			for begun := time.Now(); time.Since(begun) < 5*time.Millisecond; { // it computes
			}
			turns.Add(1)
			runtime.Gosched()
		}
	})
	for turns.Load() == 0 {
		runtime.Gosched()
	}
	before := turns.Load()
	set(func() {})
	took := turns.Load() - before
	close(over)
	others.Wait()
	assert.Less(t, took, int64(patience/2))
	t.Logf("%d turns", took)
	require.NoError(t, j.Close())
}
