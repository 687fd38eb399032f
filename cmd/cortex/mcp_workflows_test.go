package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/runs/tools"
)

// flows is a daemon with the workflows that ship, which can be killed and started again.
type flows struct {
	t            *testing.T
	program, dir string
	cmd          *exec.Cmd
}

func newFlows(t *testing.T) *flows {
	t.Helper()
	dir, err := os.MkdirTemp("", "cx") // a short path, as sockets need
	require.NoError(t, err)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "r.lisp"), []byte(allowAll), 0o600))
	f := &flows{t: t, program: installed(t), dir: dir}
	t.Cleanup(func() { f.kill(); _ = os.RemoveAll(dir) })
	f.start()
	return f
}

func (f *flows) socket() string { return filepath.Join(f.dir, "c.sock") }

// start starts the daemon and waits until it serves.
func (f *flows) start() {
	f.t.Helper()
	f.cmd = exec.Command(f.program, "serve", "--trust-rules", "--dir", filepath.Join(f.dir, "record"), "--rules",
		filepath.Join(f.dir, "r.lisp"), "--socket", f.socket())
	out, err := f.cmd.StdoutPipe()
	require.NoError(f.t, err)
	require.NoError(f.t, f.cmd.Start())
	line := make([]byte, 6)
	_, err = out.Read(line)
	require.NoError(f.t, err)
	require.Equal(f.t, "ready:", string(line))
}

func (f *flows) kill() {
	if f.cmd != nil {
		_ = f.cmd.Process.Kill()
		_ = f.cmd.Wait() // says that it was killed
	}
	f.cmd = nil
}

// agent is an agent with the official SDK, whose server is the program.
func (f *flows) agent() *sdk.ClientSession {
	f.t.Helper()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil).Connect(f.t.Context(),
		&sdk.CommandTransport{Command: exec.Command(f.program, "mcp", "--socket", f.socket())}, nil)
	require.NoError(f.t, err)
	f.t.Cleanup(func() { _ = s.Close() })
	return s
}

// use calls a tool and returns the structured answer.
func use(t *testing.T, s *sdk.ClientSession, tool tools.Name, params map[string]any) (out tools.Reply, text string) {
	t.Helper()
	r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: string(tool), Arguments: params})
	require.NoError(t, err)
	text = r.Content[0].(*sdk.TextContent).Text
	require.False(t, r.IsError, text)
	data, err := json.Marshal(r.StructuredContent)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &out))
	return out, text
}

// wrong calls a tool that fails, and returns the error in its envelope.
func wrong(t *testing.T, s *sdk.ClientSession, tool tools.Name, params map[string]any) tools.Error {
	t.Helper()
	r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: string(tool), Arguments: params})
	require.NoError(t, err)
	require.True(t, r.IsError)
	data, err := json.Marshal(r.StructuredContent)
	require.NoError(t, err)
	var out struct{ Error tools.Error }
	require.NoError(t, json.Unmarshal(data, &out))
	assert.Equal(t, out.Error.Error(), r.Content[0].(*sdk.TextContent).Text)
	return out.Error
}

// An agent that speaks MCP takes a workflow to its end. The daemon is killed under it; the agent
// is told to call again, and does.
func TestMCPWorkflows(t *testing.T) {
	f := newFlows(t)
	s := f.agent()
	_, text := use(t, s, tools.List, nil)
	assert.Contains(t, text, "examples.document_review: ")
	begin := map[string]any{"workflowId": "examples.document_review", "goal": "Review the guide",
		"context": map[string]any{"document": "docs/guide.md"}, "requestId": "r1"}
	rep, text := use(t, s, tools.Start, begin)
	assert.Equal(t, rep.Text, text)
	again, _ := use(t, s, tools.Start, begin)
	assert.Equal(t, rep, again)

	e := wrong(t, s, tools.Continue, map[string]any{"continueTokn": rep.ContinueToken})
	assert.Equal(t, tools.ValidationError, e.Code)
	assert.Contains(t, e.Message, "did you mean continueToken?")
	e = wrong(t, s, tools.Inspect, map[string]any{"workflowId": "examples.relase"})
	assert.Equal(t, tools.NotFound, e.Code)
	assert.Contains(t, e.Message, "did you mean examples.release?")

	f.kill()
	next := map[string]any{"continueToken": rep.ContinueToken, "output": map[string]any{"notesMarkdown": "A new user."}}
	e = wrong(t, s, tools.Continue, next)
	assert.Equal(t, []any{tools.InternalError, "retryable_after_ms"}, []any{e.Code, e.Retry.Kind})
	f.start()
	rep, _ = use(t, s, tools.Continue, next)
	for _, output := range []map[string]any{
		{"artifacts": []any{map[string]any{"kind": "wr.assessment", "dimensions": map[string]any{"purpose": "fair",
			"truth": "good"}}}},
		{},
		{"artifacts": []any{map[string]any{"kind": "wr.loop_control", "decision": "stop"}}},
		{"artifacts": []any{map[string]any{"kind": "wr.review_verdict", "verdict": "clean", "confidence": "high",
			"findings": []any{}, "summary": "A reader can act on it."}}},
	} {
		output["notesMarkdown"] = "Did it."
		require.Equal(t, "ok", rep.Kind, rep.Text)
		require.False(t, rep.IsComplete)
		rep, _ = use(t, s, tools.Continue, map[string]any{"continueToken": rep.ContinueToken, "output": output})
	}
	assert.True(t, rep.IsComplete, rep.Text)
	assert.Nil(t, rep.NextCall)
}

// Without a daemon the server does not begin; a flag for servers is a server that was forgotten.
func TestMCPWorkflowsNeedADaemon(t *testing.T) {
	program := installed(t)
	for want, args := range map[string][]string{
		"no daemon serves /nowhere.sock": {"mcp", "--socket", "/nowhere.sock"},
		"expected -- COMMAND, --url URL": {"mcp", "--standalone"},
	} {
		out, err := exec.Command(program, args...).CombinedOutput()
		require.Error(t, err)
		assert.Contains(t, string(out), want)
	}
}

// The official inspector lists the tools and calls them.
func TestMCPServers_Workflows(t *testing.T) {
	dir := mcpTools(t)
	f := newFlows(t)
	inspect := func(args ...string) string {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		inspector := filepath.Join(dir, "servers", "node_modules", ".bin", "mcp-inspector")
		args = append([]string{"--cli", f.program, "mcp", "--socket", f.socket(), "--method"}, args...)
		out, _ := exec.CommandContext(ctx, inspector, args...).Output() // a result that is an error may end it so
		require.NoError(t, ctx.Err())
		return string(out)
	}
	var list struct{ Tools []struct{ Name tools.Name } }
	require.NoError(t, json.Unmarshal([]byte(inspect("tools/list")), &list))
	require.Len(t, list.Tools, len(tools.All()))
	out := inspect("tools/call", "--tool-name", "start_workflow", "--tool-arg", "workflowId=examples.bug_hunt",
		"--tool-arg", "goal=find it", "--tool-arg", `context={"report":"it hangs"}`)
	assert.Contains(t, out, "Turn this report into one sentence")
	out = inspect("tools/call", "--tool-name", "start_workflow", "--tool-arg", "workflowId=examples.bug_hnt", "--tool-arg",
		"goal=find it")
	assert.Contains(t, strings.ReplaceAll(out, `\"`, `"`), `NOT_FOUND`)
	assert.Contains(t, out, "did you mean examples.bug_hunt?")
}
