package plugins

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Threat 23: what a plugin reaches for is not there. The negative control is the
// same process under a lock that grants what a lock can grant.
func TestT23_TheFenceHolds(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	t.Setenv("SECRET_OF_THE_HOST", "x")
	secret := filepath.Join(shortDir(t), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("x"), 0o600))
	reach := func(e *Entry) {
		e.Env["LISTENER"], e.Env["HOST"] = l.Addr().String(), strconv.Itoa(os.Getpid())
	}
	w := newWorld(t, shellRules, self(t, "bad", "escape "+secret, reach))
	p := w.start()
	fence := w.host.States()[0].Fence
	t.Logf("in force: %+v", fence)
	if holes := fence.Holes(); len(holes) > 0 {
		t.Logf("SKIPPED: this kernel cannot fence a process in completely: %v", holes)
	} else {
		d := decide(t, p, "ls")
		require.Len(t, d.Trace, 1, "%+v", d.Reasons)
		assert.Empty(t, d.Trace[0].Note)
	}
	w = newWorld(t, shellRules, self(t, "bad", "escape "+secret, reach, grants("network"),
		func(e *Entry) { e.Read = []string{filepath.Dir(secret)} }))
	d := decide(t, w.start(), "ls")
	require.Len(t, d.Trace, 1, "%+v", d.Reasons)
	assert.Equal(t, "read, dial", d.Trace[0].Note)
	data, err := os.ReadFile(secret)
	require.NoError(t, err)
	assert.Equal(t, "x", string(data))
}
