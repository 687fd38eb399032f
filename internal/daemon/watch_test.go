package daemon

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// Files are read when they have been quiet, and at the latest after a while.
func TestSettle(t *testing.T) {
	for _, test := range []struct {
		name  string
		every time.Duration // between signals
		n     int
		want  time.Duration // after the first
	}{
		{"one", 0, 1, quiet},
		{"an editor's three", 10 * time.Millisecond, 3, 20*time.Millisecond + quiet},
		{"slow ones are apart", 150 * time.Millisecond, 3, quiet},
		{"never quiet", quiet / 2, 1000, most},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				in := make(chan struct{}, 1)
				var wg sync.WaitGroup
				defer wg.Wait()
				defer cancel()
				wg.Go(func() {
					for range test.n {
						select {
						case in <- struct{}{}:
						case <-ctx.Done():
							return
						}
						select {
						case <-time.After(test.every):
						case <-ctx.Done():
							return
						}
					}
				})
				began := time.Now()
				assert.True(t, settle(ctx, in))
				assert.Equal(t, test.want, time.Since(began))
			})
		})
	}
}

func TestSettleEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, n := range []int{0, 1} {
			in := make(chan struct{}, 1)
			for range n {
				in <- struct{}{}
			}
			ctx, cancel := context.WithTimeout(t.Context(), quiet/2)
			assert.False(t, settle(ctx, in), "with %d signals", n)
			cancel()
		}
	})
}
