package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/opencortex-go/cortex/runs/tools"
)

// Runs answers the calls of the six tools for workflows. It has an answer to everything: what
// went wrong on the way to the daemon is one that failed.
type Runs interface {
	Call(ctx context.Context, tool tools.Name, params []byte) tools.Answer
}

// ServeRuns serves the six tools for workflows to an agent on standard input and output, until
// the agent leaves or ctx ends.
func ServeRuns(ctx context.Context, r Runs, version string, in io.ReadCloser, out io.WriteCloser) error {
	s, err := runsServer(r, version)
	if err != nil {
		return err
	}
	return s.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
}

// runsServer has the tools of [tools.All], and no other. The calls are read where they are
// answered, so that every way to an agent says the same of a mistake.
func runsServer(r Runs, version string) (*mcp.Server, error) {
	s := mcp.NewServer(&mcp.Implementation{Name: "cortex", Version: version}, &mcp.ServerOptions{
		Instructions: "Long work in steps. list_workflows shows what there is; start_workflow begins, and every answer " +
			"says what to do and what to call next. After the conversation was lost, resume_session finds the run."})
	for _, d := range tools.All() {
		schema, err := inputOf(d.Input)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		closed := false
		hints := &mcp.ToolAnnotations{ReadOnlyHint: d.Reads, IdempotentHint: d.Name != tools.Start}
		if d.Reads {
			hints.OpenWorldHint = &closed
		}
		s.AddTool(&mcp.Tool{Name: string(d.Name), Description: d.Doc, InputSchema: schema, Annotations: hints},
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
	return s, nil
}

// inputOf is the schema of a call, from its struct. An optional object is absent, and not null.
func inputOf(c tools.Call) (*jsonschema.Schema, error) {
	object := &jsonschema.Schema{Type: "object"}
	s, err := jsonschema.ForType(reflect.TypeOf(c).Elem(), &jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): object}})
	if err != nil {
		return nil, err
	}
	neverNull(s)
	return s, nil
}

// neverNull takes null out of the types of a schema: what an agent leaves out, it leaves out.
func neverNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, p := range s.Properties {
		neverNull(p)
	}
	if s.Items != nil {
		neverNull(s.Items)
	}
}
