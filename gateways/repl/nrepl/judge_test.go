//go:build linux

package nrepl

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/judge"
)

// nreplJar is where Debian's libnrepl-clojure puts the reference implementation.
const nreplJar = "/usr/share/java/nrepl.jar"

// The client of the reference implementation, as one would type into it.
func TestJudge_TheReferenceClientTalksToUs(t *testing.T) {
	judge.File(t, nreplJar, "libnrepl-clojure")
	java := judge.Find(t, "java")
	socket := daemon(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // it takes some five seconds, and has hung
	defer cancel()
	cmd := exec.CommandContext(ctx, java, "-cp", clojurePath(t), "clojure.main", "-m", "nrepl.cmdline", "--connect", "--socket", socket)
	cmd.Stdin = strings.NewReader(`(+ 1 2)
(decide '(:tool "note" :args (:text "rude") :explanation "to try it"))
"zwölf € and more"
*
(frobnicate)
(approve "ABCDEF")
(version)
`)
	cmd.Env = append(os.Environ(), "JAVA_TOOL_OPTIONS=-Dfile.encoding=UTF-8")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	screen := string(out)
	for _, want := range []string{
		"user=> 3\ncortex=> deny", "notes are polite", `"zwölf € and more"`, "unknown operator or function frobnicate", "approval socket", `"0.3.0"`,
	} {
		assert.Contains(t, screen, want)
	}
	assert.Equal(t, 2, strings.Count(screen, `"zwölf € and more"`), "* is the last result: %s", screen)
}

// clojurePath is what Debian's clojure starts with, and the client.
func clojurePath(t *testing.T) string {
	t.Helper()
	parts := []string{nreplJar}
	for _, jar := range []string{"clojure", "spec.alpha", "core.specs.alpha"} {
		path := "/usr/share/java/" + jar + ".jar"
		judge.File(t, path, "clojure")
		parts = append(parts, path)
	}
	return strings.Join(parts, ":")
}
