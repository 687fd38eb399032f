package hooks

import (
	"encoding/json"
	"time"
)

// codex is OpenAI Codex, by the schemas that 0.169.0 carries. Its parser refuses unknown fields,
// and a hook that it refuses has failed, and then the tool runs. It also runs the tool on "ask", on
// "allow" without new input and on an empty reason. So silence allows, and a denial always has a text.
type codex struct{}

// codexOutput is pre-tool-use.command.output, as far as it is used. It has no field that the schema lacks.
type codexOutput struct {
	Specific codexSpecific `json:"hookSpecificOutput"`
}

type codexSpecific struct {
	Event    string          `json:"hookEventName"`
	Decision string          `json:"permissionDecision"`
	Reason   string          `json:"permissionDecisionReason,omitempty"`
	Input    json.RawMessage `json:"updatedInput,omitempty"`
}

func (codex) Name() string            { return "codex" }
func (codex) Limit() time.Duration    { return 10 * time.Minute }
func (codex) Table() *Table           { return table("codex") }
func (codex) Block(text string) Reply { return exitTwo(text) }

// Read reads the events of Codex. It has none for a call that failed.
func (codex) Read(raw []byte) (Event, error) {
	return readClaudeLike(raw, map[string]Kind{
		"UserPromptSubmit": Prompt, "PreToolUse": PreTool, "PostToolUse": PostTool,
		"SessionStart": SessionStart, "SessionEnd": SessionEnd, "Stop": Stop,
	})
}

// Answer allows by silence.
func (codex) Answer(e Event, a Answer) Reply {
	switch {
	case a.Ruled == Deny && e.Kind == Prompt:
		return exitTwo(a.Text)
	case e.Kind != PreTool, a.Ruled == Allow && a.Input == nil:
		return Reply{}
	case a.Ruled == Allow:
		return printed(codexOutput{codexSpecific{Event: e.Name, Decision: "allow", Input: a.Input}})
	}
	return printed(codexOutput{codexSpecific{Event: e.Name, Decision: "deny", Reason: reason(a.Text)}})
}
