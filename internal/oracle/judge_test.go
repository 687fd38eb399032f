package oracle_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
)

// told notes how a test ended.
type told struct {
	testing.TB
	failed, skipped bool
}

func (t *told) Helper()               {}
func (t *told) Fatalf(string, ...any) { t.failed = true }
func (t *told) Skipf(string, ...any)  { t.skipped = true }

func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv(oracle.Required, "")
	absent := &told{TB: t}
	oracle.Find(absent, "solomon")
	assert.True(t, absent.skipped)

	t.Setenv(oracle.Required, "1")
	required := &told{TB: t}
	oracle.Find(required, "solomon")
	assert.True(t, required.failed)

	program := filepath.Join(dir, "solomon")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755))
	present := &told{TB: t}
	assert.Equal(t, program, oracle.Find(present, "solomon"))
	assert.False(t, present.failed || present.skipped)
}

func TestNode(t *testing.T) {
	t.Setenv(oracle.Required, "1")
	t.Setenv("NODE_JUDGES", "")
	absent := &told{TB: t}
	oracle.Node(absent, "solomon")
	assert.True(t, absent.skipped)

	folder := t.TempDir()
	t.Setenv("NODE_JUDGES", folder)
	broken := &told{TB: t}
	oracle.Node(broken, "solomon")
	assert.True(t, broken.failed)

	require.NoError(t, os.MkdirAll(filepath.Join(folder, "node_modules", "solomon"), 0o755))
	present := &told{TB: t}
	assert.Equal(t, folder, oracle.Node(present, "solomon"))
	assert.False(t, present.failed || present.skipped)
}
