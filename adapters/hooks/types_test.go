package hooks

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
)

// hostTypes are the types that hosts publish on npm for what a hook prints before a call, and
// the package and the file of each. Cursor publishes none; Codex has schemas, see
// [TestCodexSchemas].
var hostTypes = map[string]struct{ pack, file, output string }{
	"claude":  {"claude-agent-sdk", "sdk", "SyncHookJSONOutput"},
	"gemini":  {"gemini-cli-core", "dist/src/hooks/types", "HookOutput"},
	"copilot": {"copilot-sdk", "dist/types", "PreToolUseHookOutput"},
}

// What a hook prints fits the types of its host, as the compiler of TypeScript sees it. A field
// that the host does not know does not.
func TestHostTypes(t *testing.T) {
	fetched := oracle.Node(t, "typescript")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type":"module"}`), 0o600))
	compile := func(dialect, answer string) (string, error) {
		h := hostTypes[dialect]
		types := filepath.Join(fetched, "types", h.pack, h.file)
		require.FileExists(t, types+".d.ts")
		text := fmt.Sprintf("import type { %s } from %q;\nexport const answer: %s = %s;\n", h.output, types+".js", h.output,
			answer)
		file := filepath.Join(dir, dialect+".ts")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		out, err := exec.CommandContext(t.Context(), filepath.Join(fetched, "node_modules", ".bin", "tsc"), "--noEmit",
			"--strict", "--skipLibCheck", "--module", "nodenext", "--types", "", file).CombinedOutput()
		return string(out), err
	}
	for dialect := range hostTypes {
		d, err := Named(dialect)
		require.NoError(t, err)
		e := read(t, d, pre[dialect])
		for _, a := range []Answer{{Ruled: Allow}, {Text: "no <b>"},
			{Ruled: Allow, Input: json.RawMessage(`{"command":"ls -l","description":"list"}`)}} {
			printed := d.Answer(e, a).Stdout
			require.NotEmpty(t, printed)
			out, err := compile(dialect, printed)
			assert.NoError(t, err, "%s prints %s: %s", dialect, printed, out)
		}
		out, err := compile(dialect, `{"permit":"deny"}`)
		require.Error(t, err, "the negative control")
		assert.True(t, strings.Contains(out, "permit"), out)
	}
}
