//go:build linux

package wire

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
)

// siege is a process of hostile clients: it attacks until its input ends.
func siege(socket string) {
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for i := range hostile {
		wg.Go(func() { attack(ctx, socket, i) })
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	stop()
	wg.Wait()
}

// role runs this program in another part, until end is called.
func role(t *testing.T, env ...string) (cmd *exec.Cmd, out *bufio.Scanner, end func()) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd = exec.Command(exe)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, bufio.NewScanner(stdout), sync.OnceFunc(func() {
		assert.NoError(t, stdin.Close())
		assert.NoError(t, cmd.Wait())
	})
}

// The server, 180 clients that mean well and 20 hostile ones are in a process
// each, as they would be. The long form (make load) judges the times: the 99th
// percentile of a round trip of (status) stays within three times the quiet one.
func TestLoad_ASiegeByAnotherProcess(t *testing.T) {
	crashtest.Long(t)
	dir, record := t.TempDir(), filepath.Join(t.TempDir(), "record")
	server, out, end := role(t, "WIRE_TEST_SERVE="+dir, "WIRE_TEST_RECORD="+record)
	defer end()
	require.True(t, out.Scan())
	require.Equal(t, "ready", out.Text())

	c := newCrowd(t, filepath.Join(t.TempDir(), "unused"))
	c.opt.Socket = filepath.Join(dir, "cortex.sock")
	quiet50, quiet99 := c.meet(t)
	_, _, lift := role(t, "WIRE_TEST_SIEGE="+c.opt.Socket)
	defer lift()
	p50, p99 := c.meet(t)
	lift()
	most := resident(t, server.Process.Pid)
	t.Logf("round trip of (status), %d clients: quiet p50 %s p99 %s; beside %d hostile ones p50 %s p99 %s (%.1f "+
		"times); the server held at most %d MiB; %d signals accepted",
		peaceful, quiet50, quiet99, hostile, p50, p99, float64(p99)/float64(quiet99), most>>20, len(c.said))
	if os.Getenv(loadEnv) != "" {
		assert.Less(t, p99, 3*quiet99, "the 99th percentile against the quiet one")
	}
	assert.Less(t, most, uint64(residentCap))
	end()
	assert.Empty(t, c.lost(t, record), "accepted and lost")
}

// residentCap is what the server's process may hold at its worst, its program
// included. It holds 54 MiB, and the race detector makes that some 300.
const residentCap = 512 << 20

// resident is the most memory that a process has held so far.
func resident(t *testing.T, pid int) uint64 {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(raw), "VmHWM:")
	require.True(t, ok)
	kib, err := strconv.ParseUint(strings.Fields(rest)[0], 10, 64)
	require.NoError(t, err)
	return kib << 10
}
