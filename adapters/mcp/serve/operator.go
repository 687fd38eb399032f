package serve

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Operator is what an operator's agent may look at. It reads, and changes nothing: its
// client is a model, and no model answers cards, sets facts or loads rules.
type Operator interface {
	// Status is how the daemon stands.
	Status(ctx context.Context) (string, error)
	// Cards are the questions that wait for people.
	Cards(ctx context.Context) (string, error)
	// Decisions are the newest ones, at most last, oldest first.
	Decisions(ctx context.Context, last int) (string, error)
	// Explain says why a decision came out as it did.
	Explain(ctx context.Context, decision uint64) (string, error)
	// Check says what is wrong with the text of a rule file. It loads nothing.
	Check(ctx context.Context, rules string) (string, error)
}

// ForOperator serves an operator's agent on standard input and output, until the agent
// leaves or ctx ends.
func ForOperator(ctx context.Context, o Operator, version string, in io.ReadCloser, out io.WriteCloser) error {
	return operatorServer(o, version).Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
}

type none struct{}

type lastIn struct {
	Last int `json:"last,omitempty" jsonschema:"how many, 1 to 200; 20 if absent"`
}

type decisionIn struct {
	Decision uint64 `json:"decision" jsonschema:"the number of the decision's record"`
}

type rulesIn struct {
	Rules string `json:"rules" jsonschema:"the text of a rule file"`
}

// operatorServer has a tool for each thing that an operator's agent may read.
func operatorServer(o Operator, version string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "cortex", Version: version}, &mcp.ServerOptions{
		Instructions: "Read what Cortex decided and what waits for people. Nothing here answers a card or changes a " +
			"rule; people do."})
	offer(s, "status", "How the daemon stands: mode, rules, what waits.",
		func(ctx context.Context, _ none) (string, error) { return o.Status(ctx) })
	offer(s, "cards", "The calls that wait for a person. People answer them, with `cortex approvals` or a messenger.",
		func(ctx context.Context, _ none) (string, error) { return o.Cards(ctx) })
	offer(s, "decisions", "The newest decisions, one a line: number, time, session, what was decided.",
		func(ctx context.Context, in lastIn) (string, error) {
			if in.Last == 0 {
				in.Last = 20
			}
			return o.Decisions(ctx, max(1, min(in.Last, 200)))
		})
	offer(s, "explain", "Why one decision came out as it did: the clauses that decided, with the values they saw.",
		func(ctx context.Context, in decisionIn) (string, error) { return o.Explain(ctx, in.Decision) })
	offer(s, "rules_check", "What is wrong with the text of a rule file. It is read, and not put in force.",
		func(ctx context.Context, in rulesIn) (string, error) { return o.Check(ctx, in.Rules) })
	return s
}

// offer adds a tool that only reads. What goes wrong is a result that the model reads.
func offer[In any](s *mcp.Server, name, doc string, read func(context.Context, In) (string, error)) {
	closed := false
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: doc,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}},
		func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
			text, err := read(ctx, in)
			if err != nil {
				return nil, nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
}
