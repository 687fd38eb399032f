package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
)

// docs/daemon.md is followed line by line, as a new user would.
func TestTheDaemonPageCanBeFollowed(t *testing.T) {
	out := follow(t, "../../docs/daemon.md")
	for _, want := range []string{
		"ok: 1 skills", "heartbeat = '1m0s'", "paired: the secret is in ", "\n3\n", "  pending  ", "asked by  tier/shell",
		" is approved", "milk", "second.lisp:1:21: ", "the earlier rules stay\n",
		"every one as it was written", " decisions derived again, 0 differences",
	} {
		assert.Contains(t, out, want)
	}
}

func TestTheObservabilityPageCanBeFollowed(t *testing.T) {
	oracle.Find(t, "curl")
	out := follow(t, "../../docs/observability.md")
	for _, want := range []string{`"decision":"allow"`, "cortex_audit_head_seq ", `"type":"dev.cortex.decision.v1"`,
		`"input":{"tool":"edit","args":{"path":"a"}}`} {
		assert.Contains(t, out, want)
	}
}

// docs/api.md is followed in the same way.
func TestTheAPIPageCanBeFollowed(t *testing.T) {
	oracle.Find(t, "curl")
	out := follow(t, "../../docs/api.md")
	for _, want := range []string{
		`"mode":"live"`, `"user":true`, `"decision":"allow","key":"tier/edit"`, `"text":"stay in the workspace: use a relative path"`,
		`"decision":"ask","key":"tier/push"`, `"state":"pending"`, " is approved", `"decision":"allow","key":"tier/push"`,
		`{"id":1,"decision":"allow"`,
	} {
		assert.Contains(t, out, want)
	}
	assert.NotContains(t, out, `"error"`)
}

// follow runs the commands of a page and returns what they print.
func follow(t *testing.T, name string) string {
	t.Helper()
	bash := oracle.Find(t, "bash")
	page, err := os.ReadFile(name)
	require.NoError(t, err)
	var script strings.Builder
	// Only the test waits: a person reads the ready line.
	script.WriteString("set -e\nwait_ready() { until grep -q ^ready: out 2>/dev/null; do read -t 0.05 <> <(:) || true; " +
		"done; }\n")
	for _, block := range commands(string(page)) {
		for line := range strings.Lines(block) {
			if strings.HasSuffix(line, "&\n") {
				line = strings.TrimSuffix(line, "&\n") + "> out 2> log &\nwait_ready\n"
			}
			script.WriteString(line)
		}
	}
	script.WriteString("kill $(jobs -p) 2>/dev/null || true\nwait\n") // what writes into a folder that goes
	pl := newPlace(t)
	require.NoError(t, os.Symlink(executable(t), pl.path("cortex")))
	cmd := exec.Command(bash, "-c", script.String())
	cmd.Dir = pl.path("work")
	cmd.Env = append(command(pl).Env, "PATH="+pl.dir+string(filepath.ListSeparator)+os.Getenv("PATH"), "HOME="+pl.dir)
	out, err := cmd.CombinedOutput()
	log, _ := os.ReadFile(pl.path("work/demo/log")) // shown if something is wrong
	require.NoError(t, err, "%s\n%s", out, log)
	return string(out)
}

// commands are the blocks of a page that a shell is to run.
func commands(page string) (blocks []string) {
	for {
		_, rest, ok := strings.Cut(page, "```sh\n")
		if !ok {
			return blocks
		}
		block, after, _ := strings.Cut(rest, "```")
		blocks = append(blocks, block)
		page = after
	}
}
