package wire

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// took is how long n messages of a size take.
func took(p *pace, n int, size int64) time.Duration {
	begin := time.Now()
	for range n {
		p.keep(context.Background(), size)
	}
	return time.Since(begin)
}

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hurrying atomic.Int64
		client := func() *pace { return &pace{credit: newCredit(), hurrying: &hurrying} }
		alone := client()
		assert.Zero(t, took(alone, 100_000, 100), "a client that hurries alone does not wait")
		assert.EqualValues(t, 1, hurrying.Load())

		calm := client()
		assert.Zero(t, took(calm, burst, 100))
		for range 1000 {
			time.Sleep(time.Second / rate)
			assert.Zero(t, took(calm, 1, 100), "nor does a client that takes its time")
		}

		other := client()
		assert.Zero(t, took(other, burst, 100))
		assert.Equal(t, 1000*turn, took(other, 1000, 100))
		assert.EqualValues(t, 2, hurrying.Load())
		took(alone, 2*burst, 100)
		assert.Equal(t, 1000*turn, took(alone, 1000, 100), "and so does the first, from now on")
		assert.Equal(t, (1+1<<20/messageFor)*turn, took(alone, 1, 1<<20), "long messages count for more")

		third := client()
		took(third, burst, 100)
		assert.Equal(t, 2*turn, took(third, 1, 100), "for each of the others")

		third.hurry(false)
		time.Sleep(time.Second)
		assert.Zero(t, took(other, 1, 100), "a pause mends it")
		assert.EqualValues(t, 1, hurrying.Load())
		alone.hurry(false)
		assert.Zero(t, hurrying.Load())
	})
}

// Who breaks the rules waits before being let go, as long as not too many do.
func TestLinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{opt: Options{FrameTimeout: time.Minute}}
		let := func() time.Duration {
			begin := time.Now()
			s.linger(t.Context())
			return time.Since(begin)
		}
		for range lingerMost {
			go s.linger(t.Context())
		}
		synctest.Wait()
		assert.Zero(t, let(), "there are enough")
		time.Sleep(lingerFor)
		synctest.Wait()
		assert.Zero(t, s.lingering.Load())
		assert.Equal(t, lingerFor, let())
		gone, leave := context.WithCancel(t.Context())
		leave()
		begin := time.Now()
		s.linger(gone)
		assert.Zero(t, time.Since(begin), "who has left is not waited for")
	})
}
