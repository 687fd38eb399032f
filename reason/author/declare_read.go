package author

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/reason/author/openapi"
)

// MaxDocument is the length of the longest document that is read, in bytes.
const MaxDocument = 16 << 20

// document is what a server says of its tools, of whichever known shape.
type document struct {
	tools []described
	defs  map[string]json.RawMessage // what a $ref in a schema names
}

// described is one tool as any of the known lists has it.
type described struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`   // OpenAI, suites
	Snake       json.RawMessage `json:"input_schema"` // Anthropic
	Camel       json.RawMessage `json:"inputSchema"`  // MCP
	Output      json.RawMessage `json:"outputSchema"` // MCP
	Function    *described      `json:"function"`     // OpenAI's wrapper
	Hints       hints           `json:"annotations"`  // MCP
	http        *request        // of an OpenAPI document
}

// hints are MCP's annotations; nil is what a server did not say.
type hints struct {
	ReadOnly    *bool `json:"readOnlyHint"`
	Destructive *bool `json:"destructiveHint"`
	Idempotent  *bool `json:"idempotentHint"`
	OpenWorld   *bool `json:"openWorldHint"`
}

// read returns the tools of a document.
func read(data []byte) (document, error) {
	if len(data) > MaxDocument {
		return document{}, fmt.Errorf("the document has more than %d bytes", MaxDocument)
	}
	if !utf8.Valid(data) {
		return document{}, errors.New("the document is not UTF-8")
	}
	var list []described
	if err := json.Unmarshal(data, &list); err == nil {
		return document{tools: list}, nil
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		if openapi.Is(data) {
			return operations(data)
		}
		return document{}, fmt.Errorf("expected JSON, an object or a list of tools, or an OpenAPI document: %w", err)
	}
	if top["openapi"] != nil || top["swagger"] != nil {
		return operations(data)
	}
	if inner, ok := top["result"]; ok && top["jsonrpc"] != nil {
		return read(inner)
	}
	if tools, ok := top["tools"]; ok {
		err := within("tools", json.Unmarshal(tools, &list))
		return document{tools: list}, err
	}
	for _, suite := range slices.Sorted(maps.Keys(top)) {
		var some []described
		if err := json.Unmarshal(top[suite], &some); err != nil {
			return document{}, within(suite, err)
		}
		list = append(list, some...)
	}
	return document{tools: list}, nil
}

func within(where string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: expected a list of tools: %w", where, err)
	}
	return nil
}
