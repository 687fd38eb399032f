package serve_test

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/mcp/serve"
	"github.com/opencortex-go/cortex/runs/tools"
)

var update = flag.Bool("update", false, "write the golden files anew")

// echo answers with what was called.
type echo struct{}

func (echo) Call(_ context.Context, tool tools.Name, params []byte) tools.Answer {
	if tool == tools.Resume {
		return tools.AnswerOf(nil, tools.Failed(tools.NotFound, "no such run", "ask with other words"))
	}
	data, err := json.Marshal(map[string]string{"tool": string(tool), "params": string(params)})
	if err != nil {
		return tools.AnswerOf(nil, err)
	}
	return tools.Answer{Text: "called " + string(tool), JSON: data}
}

// agent is a client of the official SDK at the server of the tools.
func agent(t *testing.T) *sdk.ClientSession {
	t.Helper()
	theirs, in := io.Pipe()
	out, mine := io.Pipe()
	over := make(chan error, 1)
	go func() { over <- serve.Workflows(context.WithoutCancel(t.Context()), echo{}, "1", theirs, mine) }()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(),
		&sdk.IOTransport{Reader: out, Writer: in}, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, s.Close())
		assert.NoError(t, <-over)
	})
	return s
}

// Row 147: what agents see of the tools is made from the structs of runs/tools. A change of a
// name, a field, a description or a schema shows here, and so does a seventh tool.
func TestRow147_TheToolsAreTheseSix(t *testing.T) {
	list, err := agent(t).ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, list.Tools, 6)
	got, err := json.MarshalIndent(list.Tools, "", "  ")
	require.NoError(t, err)
	got = append(got, '\n')
	file := filepath.Join("testdata", "runs.json")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "what agents see has changed; -update writes it, if that is meant")
}

func TestRunsAnswers(t *testing.T) {
	s := agent(t)
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "start_workflow",
		Arguments: map[string]any{"workflowID": "x", "goal": "g"}})
	require.NoError(t, err, "a call is read where it is answered, also a wrong one")
	assert.False(t, r.IsError)
	assert.Equal(t, "called start_workflow", r.Content[0].(*sdk.TextContent).Text)
	assert.Equal(t, map[string]any{"tool": "start_workflow", "params": `{"goal":"g","workflowID":"x"}`},
		r.StructuredContent)

	r, err = s.CallTool(t.Context(), &sdk.CallToolParams{Name: "resume_session"})
	require.NoError(t, err)
	assert.True(t, r.IsError)
	assert.Equal(t, "NOT_FOUND: no such run; ask with other words", r.Content[0].(*sdk.TextContent).Text)
	assert.Equal(t, map[string]any{"error": map[string]any{"code": "NOT_FOUND", "message": "no such run",
		"suggestion": "ask with other words", "retry": map[string]any{"kind": "not_retryable"}}}, r.StructuredContent)

	_, err = s.CallTool(t.Context(), &sdk.CallToolParams{Name: "export_run"})
	require.Error(t, err)
}
