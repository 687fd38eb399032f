package judging

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/plugins"
	"github.com/opencortex-go/cortex/reason"
)

const oneShell = `(deftool shell :params (:cmd command) :required (:cmd) :tier :allow)`

// A skill of the lock that cannot start leaves every line without an answer.
func TestStreamWithoutTheSkillsOfItsLock(t *testing.T) {
	policy, err := reason.LoadRules(fstest.MapFS{"r.lisp": {Data: []byte(oneShell)}})
	require.NoError(t, err)
	lock := filepath.Join(t.TempDir(), plugins.LockFile)
	require.NoError(t, os.WriteFile(lock, []byte("version = 1\n\n[[skill]]\nname = \"a\"\npath = \"gone\"\nsha256 = \""+
		strings.Repeat("0", 64)+"\"\nprotocol = 1\npriority = 1\n"), 0o600))
	var out bytes.Buffer
	_, err = Stream(t.Context(), strings.NewReader(`{"action":{"tool":"shell","args":{"cmd":"ls"}}}`), &out,
		Options{Policy: policy, Lock: lock})
	require.Error(t, err)
	assert.Empty(t, out.String())
}

// The skills of a lock judge beside the rules.
func TestStreamWithSkills(t *testing.T) {
	crashtest.Long(t)
	policy, err := reason.LoadRules(fstest.MapFS{"r.lisp": {Data: []byte(oneShell)}})
	require.NoError(t, err)
	dir := t.TempDir()
	program := filepath.Join(dir, "shell-guard")
	made, err := exec.Command("go", "build", "-o", program, "../../../../examples/skills/shellguard").CombinedOutput()
	require.NoError(t, err, "%s", made)
	entry, said, err := plugins.Describe(t.Context(), plugins.Entry{Path: program}, dir, plugins.Options{})
	require.NoError(t, err)
	lock := plugins.Lock{Version: 1}
	require.NoError(t, lock.Add(entry, said))
	require.NoError(t, lock.Agree(said.GetName()))
	lock.Skills[0].Deadline = "5s" // the machine may be busy
	require.NoError(t, lock.Write(filepath.Join(dir, plugins.LockFile)))

	var out bytes.Buffer
	stats, err := Stream(t.Context(), strings.NewReader(`{"action":{"tool":"shell","args":{"cmd":"sort f > g"}}}
{"action":{"tool":"shell","args":{"cmd":"sort f > f"}}}`), &out,
		Options{Policy: policy, Lock: filepath.Join(dir, plugins.LockFile)})
	require.NoError(t, err)
	assert.Equal(t, 1, stats.Kinds[reason.Allow], "%s", out.String())
	assert.Equal(t, 1, stats.Kinds[reason.Deny], "%s", out.String())
}
