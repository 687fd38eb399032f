package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
)

// From a program to a skill that is loaded, and refused once its bytes change.
func TestPluginsFromProgramToLock(t *testing.T) {
	crashtest.Long(t)
	dir := t.TempDir()
	guard, lock := filepath.Join(dir, "guard"), filepath.Join(dir, "skills.lock")
	out, err := exec.Command("go", "build", "-o", guard, "../../examples/skills/shellguard").CombinedOutput()
	require.NoError(t, err, string(out))
	cortex := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := run(context.Background(), append([]string{"plugins"}, append(args, "--lock", lock)...), strings.NewReader(""),
			&out, &errs)
		return code, out.String() + errs.String()
	}
	code, text := cortex("list")
	assert.Equal(t, exitDone, code, text)
	assert.Empty(t, text)
	code, text = cortex("lock", guard)
	require.Equal(t, exitDone, code, text)
	assert.Contains(t, text, "shell-guard ")
	code, text = cortex("check")
	assert.Equal(t, exitDone, code, text)
	assert.Contains(t, text, "shell-guard: ready")

	data, err := os.ReadFile(lock)
	require.NoError(t, err)
	assert.Contains(t, string(data), "path = 'guard'", "as seen from the lock's folder")
	require.NoError(t, os.WriteFile(lock, append(data, "pending = ['allow', 'turns']\n"...), 0o600))
	code, text = cortex("list")
	assert.Equal(t, exitPending, code)
	assert.Contains(t, text, "asks for: allow, turns")
	code, text = cortex("check")
	assert.Equal(t, exitError, code)
	assert.Contains(t, text, "no person has agreed")
	code, text = cortex("agree", "shell-guard", "--refuse", "network")
	assert.Equal(t, exitError, code)
	assert.Contains(t, text, `does not ask for "network"`)
	code, text = cortex("agree", "shell-guard", "--refuse", "allow")
	assert.Equal(t, exitDone, code, text)
	assert.Contains(t, text, "granted turns\nshell-guard: refused allow")
	code, text = cortex("check")
	assert.Equal(t, exitDone, code, text)

	f, err := os.OpenFile(guard, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("x")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	code, text = cortex("check")
	assert.Equal(t, exitError, code)
	assert.Contains(t, text, "is not the program that skills.lock pins")
}

// A skill that cannot start says why on standard error, and so does the command.
func TestPluginsLockShowsWhyASkillCannotStart(t *testing.T) {
	dir := t.TempDir()
	source, guard := filepath.Join(dir, "main.go"), filepath.Join(dir, "guard")
	require.NoError(t, os.WriteFile(source, []byte(`package main

import "os"

func main() { println("no \x1b[31mmodel.bin in my folder"); os.Exit(3) }
`), 0o600))
	out, err := exec.Command("go", "build", "-o", guard, source).CombinedOutput()
	require.NoError(t, err, string(out))
	var said, errs bytes.Buffer
	code := run(t.Context(), []string{"plugins", "lock", guard, "--lock", filepath.Join(dir, "skills.lock")},
		strings.NewReader(""), &said, &errs)
	assert.Equal(t, exitError, code)
	assert.Contains(t, errs.String(),
		`no \x1b[31mmodel.bin in my folder`, "as it was written, but for what a terminal would act on")
	assert.NoFileExists(t, filepath.Join(dir, "skills.lock"))
}
