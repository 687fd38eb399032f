//go:build linux

package nrepl

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/internal/oracle"
)

// nreplJar is where Debian's libnrepl-clojure puts the reference implementation.
const nreplJar = "/usr/share/java/nrepl.jar"

// withoutGreeting starts the reference client without its wait for a greeting,
// which we do not send. A thread of its own waits for that; where the main thread
// is held up for a moment after it has sent "clone", this other one takes the
// answer, and the main thread waits for ever. Seen with version 1.0.0 on a busy
// machine, and every time with a sleep in that place.
const withoutGreeting = `
(require 'nrepl.core 'nrepl.cmdline)
(alter-var-root #'nrepl.core/client
  (fn [make] (fn [transport timeout]
    (let [client (make transport timeout)]
      (with-meta (fn ([] nil) ([message] (client message))) (meta client))))))
(apply nrepl.cmdline/-main *command-line-args*)
`

// The client of the reference implementation, as one would type into it.
func TestJudge_TheReferenceClientTalksToUs(t *testing.T) {
	crashtest.Long(t)
	oracle.File(t, nreplJar, "libnrepl-clojure")
	java := oracle.Find(t, "java")
	socket := daemon(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // it takes some five seconds
	defer cancel()
	script := filepath.Join(t.TempDir(), "client.clj")
	require.NoError(t, os.WriteFile(script, []byte(withoutGreeting), 0o600))
	cmd := exec.CommandContext(ctx, java, "-cp", clojurePath(t), "clojure.main", script, "--connect", "--socket", socket)
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
		"user=> 3\ncortex=> deny", "notes are polite", `"zwölf € and more"`, "unknown operator or function frobnicate",
		"approval socket", `"0.3.0"`,
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
		oracle.File(t, path, "clojure")
		parts = append(parts, path)
	}
	return strings.Join(parts, ":")
}
