package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The servers from npm work behind the proxy, as the command line of the official inspector
// uses them, and the rules that ship refuse what they themselves call destructive.
func TestMCPServers(t *testing.T) {
	dir := mcpTools(t)
	packs := filepath.Join(dir, "servers", "node_modules")
	notes := t.TempDir()
	file := filepath.Join(notes, "a.txt")
	require.NoError(t, os.WriteFile(file, []byte("pears"), 0o600))
	graph := filepath.Join(t.TempDir(), "graph.jsonl")
	env := []string{"MEMORY_FILE_PATH=" + graph, "LEAK=a-secret-of-this-environment", "XDG_STATE_HOME=" + t.TempDir()}

	fs, memory, all := []string{"filesystem", notes}, []string{"memory"}, []string{"everything"}
	for _, c := range []struct {
		server []string
		call   []string
		rule   string // that denies it; "" if it runs
		want   string
	}{
		{fs, []string{"read_text_file", "path=" + file}, "", "pears"},
		{fs, []string{"list_directory", "path=" + notes}, "", "a.txt"},
		{fs, []string{"move_file", "source=" + file, "destination=" + file + "2"}, "destructive-calls/destroys",
			"a person does that by hand"},
		{fs, []string{"write_file", "path=" + file, "content=x"}, "destructive-calls/destroys", "a person does that by hand"},
		{memory, []string{"create_entities",
			`entities=[{"name":"Lee","entityType":"person","observations":["likes pears"]}]`}, "", "Lee"},
		{memory, []string{"delete_entities", `entityNames=["Lee"]`}, "destructive-calls/destroys",
			"a person does that by hand"},
		{memory, []string{"read_graph"}, "", "likes pears"},
		{all, []string{"echo", "message=apples"}, "", "Echo: apples"},
		{all, []string{"get-env"}, "tier/get-env", "Denied"},
	} {
		got := inspect(t, packs, env, c.server, c.call)
		assert.Equal(t, c.rule, got.Structured.Cortex.Rule+got.Meta.Cortex.Rule, "%v: %v", c.call, got)
		assert.Equal(t, c.rule != "", got.IsError, "%v: %v", c.call, got)
		require.NotEmpty(t, got.Content, "%v", c.call)
		assert.Contains(t, got.Content[0].Text, c.want, "%v", c.call)
		assert.NotContains(t, got.Content[0].Text, "a-secret-of-this-environment")
	}
	left, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "pears", string(left))
	left, err = os.ReadFile(graph)
	require.NoError(t, err)
	require.Contains(t, string(left), "Lee")
}

// inspected is what the inspector prints of a call.
type inspected struct {
	IsError    bool                    `json:"isError"`
	Content    []struct{ Text string } `json:"content"`
	Structured ruled                   `json:"structuredContent"`
	Meta       ruled                   `json:"_meta"` // where the tool has a schema of its results
}

type ruled struct {
	Cortex struct{ Rule string } `json:"cortex"`
}

// inspect has the inspector start a server behind the proxy, and make one call.
func inspect(t *testing.T, packs string, env, server, call []string) inspected {
	t.Helper()
	args := []string{"--cli", installed(t), "mcp", "--standalone", "--rules",
		"../../examples/declared/destructive.lisp", "--",
		"node", filepath.Join(packs, "@modelcontextprotocol", "server-"+server[0], "dist", "index.js")}
	args = append(append(args, server[1:]...), "--method", "tools/call", "--tool-name", call[0])
	for _, e := range env {
		args = append(args, "-e", e)
	}
	for _, arg := range call[1:] {
		args = append(args, "--tool-arg", arg)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	program := filepath.Join(packs, ".bin", "mcp-inspector")
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // what make fetched
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !assert.ErrorAs(t, err, &exit) { // a result that is an error may end it so
		return inspected{}
	}
	var got inspected
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %v: %s %s", call, err, out, exit.Stderr)
	}
	return got
}
