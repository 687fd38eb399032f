package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/internal/oracle"
)

// docs/plugins.md is followed line by line, as a new author would: from nothing to
// two skills that are tested, pinned, and asked by a daemon.
func TestThePluginsPageCanBeFollowed(t *testing.T) {
	crashtest.Long(t)
	bash := oracle.Find(t, "bash")
	oracle.PythonGRPC(t)
	page, err := os.ReadFile("../../docs/plugins.md")
	require.NoError(t, err)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	var script strings.Builder
	script.WriteString("set -e\nwait_ready() { until grep -q ^ready: out 2>/dev/null; do read -t 0.05 <> <(:) || true; " +
		"done; }\n")
	for _, block := range commands(string(page)) {
		for line := range strings.Lines(block) {
			if strings.HasSuffix(line, "&\n") {
				line = strings.TrimSuffix(line, "&\n") + "> out 2> log &\nwait_ready\n"
			}
			if strings.HasPrefix(line, "cortex repl") { // a denial has an exit code of its own
				line = strings.TrimSuffix(line, "\n") + " || true\n"
			}
			script.WriteString(line)
		}
	}
	pl := newPlace(t)
	require.NoError(t, os.Symlink(executable(t), pl.path("cortex")))
	cmd := exec.Command(bash, "-c", script.String())
	cmd.Dir = pl.path("work")
	cmd.Env = append(command(pl).Env, "PATH="+pl.dir+string(filepath.ListSeparator)+os.Getenv("PATH"), "CORTEX="+root)
	for _, name := range []string{"HOME", "GOPATH", "GOMODCACHE", "GOCACHE", "GOPROXY", "GOFLAGS"} {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	out, err := cmd.CombinedOutput()
	log, _ := os.ReadFile(pl.path("work/demo/log")) // shown if something is wrong
	require.NoError(t, err, "%s\n%s", out, log)
	for _, want := range []string{
		"ok  \texample.org/no-sudo",
		"no-sudo 1.0.0, ", "no-sudo: ready, ", "ok    is loaded by a host, fenced in", "no-eval: ready, ",
		"no-sudo/main", "no-eval/main", "tier/shell",
	} {
		assert.Contains(t, string(out), want)
	}
	assert.NotContains(t, string(out), "FAIL")
}
