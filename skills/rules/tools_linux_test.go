package rules

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
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
		return time.Duration(u.Utime.Nano())
	}
	before := used()
	f()
	return used() - before
}

// A tool costs the same however many there are: it is not compared with the others.
func TestManyToolsAreNotCompared(t *testing.T) {
	each := func(n, loads int) time.Duration {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "(deftool tool-%06d :tier :allow)\n", i)
		}
		files := fstest.MapFS{"a.lisp": {Data: []byte(b.String())}}
		least := time.Hour
		for range 3 {
			least = min(least, onThisThread(t, func() {
				for range loads {
					_, err := Load(files)
					require.NoError(t, err)
				}
			}))
		}
		return least / time.Duration(n*loads)
	}
	few, many := each(250, 20), each(5000, 1)
	t.Logf("%v of 250 tools, %v of 5 000", few, many)
	assert.Less(t, many, 4*few)
}
