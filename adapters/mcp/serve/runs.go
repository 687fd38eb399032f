package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/opencortex-go/cortex/runs/tools"
	"github.com/opencortex-go/cortex/runs/tools/schema"
)

// Runs answers the calls of the six tools for workflows. It has an answer to everything: what
// went wrong on the way to the daemon is one that failed.
type Runs interface {
	Call(ctx context.Context, tool tools.Name, params []byte) tools.Answer
}

// Workflows serves the tools of [tools.All], and no other, to an agent on standard input and
// output, until the agent leaves or ctx ends. Calls are read where they are answered, so that
// every way to an agent says the same of a mistake.
func Workflows(ctx context.Context, r Runs, version string, in io.ReadCloser, out io.WriteCloser) error {
	s := mcp.NewServer(&mcp.Implementation{Name: "cortex", Version: version}, &mcp.ServerOptions{
		Instructions: "Long work in steps. list_workflows shows what there is; start_workflow begins, and every answer " +
			"says what to do and what to call next. After the conversation was lost, resume_session finds the run."})
	for _, d := range tools.All() {
		input, err := schema.Of(d.Input)
		if err != nil {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
		hints := &mcp.ToolAnnotations{ReadOnlyHint: d.Reads, IdempotentHint: d.Name != tools.Start}
		if d.Reads {
			hints.OpenWorldHint = new(bool)
		}
		s.AddTool(&mcp.Tool{Name: string(d.Name), Description: d.Doc, InputSchema: input, Annotations: hints},
			func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				params := req.Params.Arguments
				if string(params) == "null" { // clients write that for a call without arguments
					params = nil
				}
				a := r.Call(ctx, d.Name, params)
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: a.Text}},
					StructuredContent: json.RawMessage(a.JSON), IsError: a.Failed}, nil
			})
	}
	return s.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
}
