package cortextest

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// On a file system that is really full, the process lives, refuses, and works again
// when there is space. The file system is in memory and in a namespace of the child
// process; where the kernel lets nobody make one, there is nothing to fill.
func TestFullDisk(t *testing.T) {
	if os.Getenv("CORTEX_TEST_ROLE") == "full" {
		dir := os.Getenv("CORTEX_TEST_DIR")
		require.NoError(t, syscall.Mount("small", dir, "tmpfs", 0, "size=24m"))
		fillDisk(t, dir)
		return
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), "CORTEX_TEST_ROLE=full", "CORTEX_TEST_DIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.Output()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) {
		t.Skip("this kernel gives no namespaces to users:", err)
	}
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "RESULT full disk")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left, "it was on another file system")
}
