package daemon_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	shipped "github.com/opencortex-go/cortex/examples/skills"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills/rules"
)

func TestUnjudged(t *testing.T) {
	book, err := reason.Loader(rules.Loader{}).Load(rules.Root{FS: shipped.Code()})
	require.NoError(t, err)
	lock := filepath.Join(t.TempDir(), "skills.lock")
	require.NoError(t, os.WriteFile(lock, []byte("version = 1\n\n[[skill]]\nname = \"a\"\npath = \"a\"\nsha256 = \""+
		strings.Repeat("0", 64)+"\"\nprotocol = 1\npriority = 1\njudges = [\"python\"]\n"), 0o600))

	assert.Equal(t, []string{"javascript"}, daemon.Unjudged(book, lock))
	assert.Equal(t, []string{"javascript", "python"}, daemon.Unjudged(book, ""), "no lock has no skills")
	assert.Equal(t, []string{"javascript", "python"}, daemon.Unjudged(book, lock+".gone"))
	assert.Empty(t, daemon.Unjudged(nil, lock))
}
