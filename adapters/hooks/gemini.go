package hooks

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// gemini is Gemini CLI, by the reference that 0.61.0 carries. It merges new arguments into the old
// ones, so a rewrite cannot take one away. Exit code 2 blocks, any other failure lets the tool run.
type gemini struct{}

// geminiOutput is the output of BeforeTool and BeforeAgent.
type geminiOutput struct {
	Decision string          `json:"decision"`
	Reason   string          `json:"reason,omitempty"`
	Specific *geminiSpecific `json:"hookSpecificOutput,omitempty"`
}

type geminiSpecific struct {
	Event string          `json:"hookEventName"`
	Input json.RawMessage `json:"tool_input"`
}

func (gemini) Name() string            { return "gemini" }
func (gemini) Limit() time.Duration    { return 10 * time.Minute }
func (gemini) Table() *Table           { return table("gemini") }
func (gemini) Block(text string) Reply { return exitTwo(text) }

// Read reads the events of Gemini CLI. It gives calls no id. A call that failed has an error in
// the result of AfterTool.
func (gemini) Read(raw []byte) (Event, error) {
	e, err := readClaudeLike(raw, map[string]Kind{
		"BeforeAgent": Prompt, "BeforeTool": PreTool, "AfterTool": PostTool,
		"SessionStart": SessionStart, "SessionEnd": SessionEnd, "AfterAgent": Stop,
	})
	if err != nil || !e.Kind.ofTool() {
		return e, err
	}
	var with struct {
		MCP *struct {
			Server string `json:"server_name"`
			Tool   string `json:"tool_name"`
		} `json:"mcp_context"`
	}
	if err := json.Unmarshal(raw, &with); err != nil {
		return e, err
	}
	if m := with.MCP; m != nil && m.Server != "" && m.Tool != "" { // mcp_a_b_c may be of server a or a_b
		e.Tool = "mcp__" + m.Server + "__" + m.Tool
	}
	var result struct {
		Error *struct{ Message string } `json:"error"`
	}
	if json.Unmarshal(e.Result, &result) == nil && result.Error != nil {
		e.Kind, e.Error = FailedTool, reason(result.Error.Message)
	}
	return e, nil
}

// Answer says allow in words. New arguments must hold every argument that the call has.
func (gemini) Answer(e Event, a Answer) Reply {
	switch {
	case a.Ruled == Deny && (e.Kind == Prompt || e.Kind == PreTool):
		return printed(geminiOutput{Decision: "deny", Reason: reason(a.Text)})
	case e.Kind != PreTool:
		return Reply{}
	case a.Input == nil:
		return printed(geminiOutput{Decision: "allow"})
	}
	if gone := missing(e.Input, a.Input); gone != "" {
		return printed(geminiOutput{Decision: "deny",
			Reason: "leave out the argument " + gone + "; this would be allowed: " + string(a.Input)})
	}
	return printed(geminiOutput{Decision: "allow", Specific: &geminiSpecific{Event: e.Name, Input: a.Input}})
}

// missing names a key of one object that another lacks; "" if there is none.
func missing(of, in json.RawMessage) string {
	was, err := readObject("the arguments", of)
	if err != nil {
		return err.Error()
	}
	is, err := readObject("the arguments", in)
	if err != nil {
		return err.Error()
	}
	for _, key := range slices.Sorted(maps.Keys(was)) {
		if _, ok := is[key]; !ok {
			return key
		}
	}
	return ""
}
