package serve_test

import (
	"context"
	"io"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/mcp/serve"
)

// reader answers with the name of what was asked.
type reader struct{}

func (reader) Status(context.Context) (string, error)          { return "status", nil }
func (reader) Cards(context.Context) (string, error)           { return "cards", nil }
func (reader) Decisions(context.Context, int) (string, error)  { return "decisions", nil }
func (reader) Explain(context.Context, uint64) (string, error) { return "", io.ErrUnexpectedEOF }
func (reader) Check(_ context.Context, text string) (string, error) {
	return "checked " + text, nil
}

// I6: an operator's agent reads. To approve, to set facts and to reload are not among its
// tools, and a new tool has to be thought about here.
func TestI6_OperatorsAgentOnlyReads(t *testing.T) {
	theirs, in := io.Pipe()
	out, mine := io.Pipe()
	over := make(chan error, 1)
	go func() { over <- serve.ForOperator(t.Context(), reader{}, "1", theirs, mine) }()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(),
		&sdk.IOTransport{Reader: out, Writer: in}, nil)
	require.NoError(t, err)
	list, err := s.ListTools(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		require.True(t, tool.Annotations.ReadOnlyHint, tool.Name)
	}
	require.ElementsMatch(t, []string{"status", "cards", "decisions", "explain", "rules_check"}, names)
	for _, name := range []string{"approve", "deny", "set-fact", "set_fact", "reload", "edit", "kill_switch"} {
		_, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: map[string]any{}})
		require.Error(t, err, name)
	}
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "rules_check", Arguments: map[string]any{"rules": "(x)"}})
	require.NoError(t, err)
	require.Equal(t, "checked (x)", r.Content[0].(*sdk.TextContent).Text)
	r, err = s.CallTool(t.Context(), &sdk.CallToolParams{Name: "explain", Arguments: map[string]any{"decision": 1}})
	require.NoError(t, err)
	require.True(t, r.IsError)
	require.NoError(t, s.Close())
	require.NoError(t, <-over)
}
