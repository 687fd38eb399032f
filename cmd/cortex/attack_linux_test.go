package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/api/client"
)

// Beside each attacker, and then beside all of them, another client has 1,000 calls judged, each by a connection of its
// own as a hook has it: all are answered, and the daemon holds 400 MB at most. With CORTEX_TIMED, for a machine that
// has nothing else to do, 99 of 100 are answered within 50 ms. Attackers are processes that share one processor.
func TestNoClientMakesTheOthersWait(t *testing.T) {
	if os.Getenv("CORTEX_TIMED") == "" {
		t.Skip("it takes minutes, and judges times: make attack")
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(attackers)) {
		if only := os.Getenv("CORTEX_ONLY"); only == "" || strings.Contains(name, only) {
			all = append(all, name)
			t.Run(name, func(t *testing.T) { besides(t, name) })
		}
	}
	t.Run("all", func(t *testing.T) { besides(t, all...) })
}

func besides(t *testing.T, names ...string) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pl := newPlace(t)
	d := pl.start("--nrepl")
	for i := range 3000 { // what lists and streams go through
		require.NoError(t, decide(client.New(d.ready.API), "before", i))
	}
	where, err := json.Marshal(d.ready)
	require.NoError(t, err)
	for _, name := range names {
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestAttacker$")
		cmd.Env = append(os.Environ(), "CORTEX_ATTACK="+name, "CORTEX_ATTACK_DAEMON="+string(where),
			"CORTEX_ATTACK_API="+d.ready.API)
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // they end with this thread
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
	}
	time.Sleep(3 * time.Second) // they are all at it
	var took []time.Duration
	failed := 0
	for i := range 1000 {
		begun := time.Now()
		if err := decide(client.New(d.ready.API), "other", i); err != nil {
			failed++
			t.Log(err)
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	most := peak(t, d.ready.PID)
	fmt.Printf("RESULT beside %d (%.40s): median %s, p99 %s, longest %s; %d failed; %d MiB\n", len(names), names[0],
		took[500].Round(10*time.Microsecond), took[990].Round(10*time.Microsecond),
		took[999].Round(time.Millisecond), failed, most)
	assert.Zero(t, failed, "every call is judged")
	assert.LessOrEqual(t, took[990], 50*time.Millisecond, "99 of 100")
	assert.LessOrEqual(t, most, 400, "MiB that the daemon held at most")
}

// peak is the most memory that a process has held, in MiB.
func peak(t *testing.T, pid int) (mib int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	_, err = fmt.Sscan(rest, &mib)
	require.NoError(t, err)
	return mib >> 10
}
