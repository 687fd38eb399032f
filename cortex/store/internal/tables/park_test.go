package tables

import (
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// Where a table is damaged, Pebble's own work in the background fails, and would be
// tried again at once and for ever: a dead store kept a processor busy. Anyone who
// reports such an error does not go on.
func TestWorkOfADeadStoreIsParked(t *testing.T) {
	d := guard.NewDeath(slog.New(slog.DiscardHandler))
	cause := errors.New("the table cannot be read")
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		listener(d).BackgroundError(cause)
	}()
	buf := make([]byte, 64<<20) // the dead stores of other tests have thousands
	parked := func() bool {
		stacks := buf[:runtime.Stack(buf, true)]
		for one := range strings.SplitSeq(string(stacks), "\n\n") {
			if strings.Contains(one, "guard.Park") && strings.Contains(one, "TestWorkOfADeadStoreIsParked") {
				return true
			}
		}
		return false
	}
	assert.Eventually(t, parked, time.Minute, time.Millisecond)
	assert.ErrorIs(t, d.Err(), cause)
	select {
	case <-returned:
		t.Error("it went on")
	default:
	}
}
