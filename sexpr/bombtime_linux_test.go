package sexpr

import (
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onThisThread is how much processor time f takes, of the thread that runs it: what
// else the machine does, or the collector, is not in it.
func onThisThread(t *testing.T, f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() time.Duration {
		var u syscall.Rusage
		require.NoError(t, syscall.Getrusage(1, &u)) // RUSAGE_THREAD
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	f()
	return used() - before
}

// Each bomb of up to a MiB is read or refused within 25 ms of processor time, on a machine
// that does other things besides, and 8 MiB. It judges time, so it runs where CORTEX_TIMED
// is set, and not under the race detector.
func TestBombsAreQuick(t *testing.T) {
	if os.Getenv("CORTEX_TIMED") == "" {
		t.Skip("SKIPPED: CORTEX_TIMED is not set, so how long bombs take was not measured")
	}
	const most, memory = 25 * time.Millisecond, 8 << 20
	var longest, all time.Duration
	var slowest string
	var largest uint64
	measure := func(name, text string) {
		for way, read := range waysToRead {
			took, bytes := time.Hour, uint64(0)
			for n := 0; n < 20 && took >= most; n++ { // the least is what the text costs
				bytes = allocated(func() { took = min(took, onThisThread(t, func() { read(text) })) })
			}
			mib := (len(text) + 1<<20 - 1) >> 20
			assert.Less(t, took, time.Duration(mib)*most, "%s by %s", name, way)
			assert.Less(t, bytes, uint64(memory), "%s by %s", name, way)
			all, largest = all+took, max(largest, bytes)
			if took > longest && mib == 1 {
				longest, slowest = took, name+" by "+way
			}
		}
	}
	for name, text := range bombs() {
		measure(name, text)
	}
	eachBomb(t, 1<<20, measure)
	t.Logf("RESULT bombs: the slowest takes %v (%s), all %v, the largest %d bytes", longest, strings.TrimSpace(slowest),
		all, largest)
}
