package daemon

import (
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A child that has ended is left to anyone who waits for it for one round, and reaped in the next: an orphan that
// was adopted has no other parent.
func TestAdoptedChildrenAreReaped(t *testing.T) {
	cmd := exec.Command("true")
	require.NoError(t, cmd.Start())
	pid := cmd.Process.Pid
	require.Eventually(t, func() bool { _, ended := endedChild(pid); return ended }, 10*time.Second, time.Millisecond)
	first := reap(nil)
	assert.Contains(t, first, pid)
	_, ended := endedChild(pid)
	assert.True(t, ended, "it is left for one round")
	assert.NotContains(t, reap(first), pid)
	_, ended = endedChild(pid)
	assert.False(t, ended, "it is reaped")
	assert.Error(t, cmd.Wait())
}
