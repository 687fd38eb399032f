package hooks

import (
	"encoding/json"
	"time"
)

// claude is Claude Code, from 2.1.295 on (its switch onFailure). Exit code 2 blocks and its error
// text reaches the model; any other failure lets the tool run, unless onFailure says otherwise.
type claude struct{}

// claudeOutput is HookJSONOutput for PreToolUse, as far as it is used.
type claudeOutput struct {
	Specific struct {
		Event    string          `json:"hookEventName"`
		Decision string          `json:"permissionDecision"`
		Reason   string          `json:"permissionDecisionReason"`
		Input    json.RawMessage `json:"updatedInput,omitempty"`
	} `json:"hookSpecificOutput"`
}

func (claude) Name() string            { return "claude" }
func (claude) Limit() time.Duration    { return 10 * time.Minute }
func (claude) Table() *Table           { return table("claude") }
func (claude) Block(text string) Reply { return exitTwo(text) }

// Read reads the events of Claude Code. A timer, a peer or the host may write a
// prompt: Read takes that from its source, and [Typed] decides where it names none, as 2.1.330 does.
func (claude) Read(raw []byte) (Event, error) {
	return readClaudeLike(raw, map[string]Kind{
		"UserPromptSubmit": Prompt, "PreToolUse": PreTool, "PostToolUse": PostTool, "PostToolUseFailure": FailedTool,
		"SessionStart": SessionStart, "SessionEnd": SessionEnd, "Stop": Stop,
	})
}

// Answer says allow in words, since silence leaves the decision to the host's own rules.
func (claude) Answer(e Event, a Answer) Reply {
	switch {
	case a.Ruled == Deny && e.Kind == Prompt:
		return exitTwo(a.Text)
	case e.Kind != PreTool:
		return Reply{}
	}
	var out claudeOutput
	out.Specific.Event = e.Name
	if a.Ruled == Allow {
		out.Specific.Decision, out.Specific.Reason, out.Specific.Input = "allow", "allowed by the rules", a.Input
	} else {
		out.Specific.Decision, out.Specific.Reason = "deny", reason(a.Text)
	}
	return printed(out)
}

// readClaudeLike reads the events of hosts that took over Claude's names of fields.
func readClaudeLike(raw []byte, kinds map[string]Kind) (Event, error) {
	o, err := readObject("the event", raw)
	if err != nil {
		return Event{}, err
	}
	var e Event
	var source string
	if err := o.fields(map[string]*string{"hook_event_name": &e.Name, "session_id": &e.Session, "?cwd": &e.Cwd,
		"?transcript_path": &e.Transcript, "?source": &source, "?agent_id": &e.Agent}); err != nil {
		return e, err
	}
	e.Kind = kinds[e.Name]
	if err := folder(e.Cwd); err != nil {
		return e, err
	}
	switch {
	case e.Kind == Prompt:
		e.Typed = e.Agent == "" && (source == "" || source == "user" || source == "sdk")
		return e, o.fields(map[string]*string{"?prompt": &e.Text})
	case e.Kind.ofTool():
		return e, readCall(&e, o, "tool_name", "tool_input")
	}
	return e, unknownTool(e, o, "tool_name", "tool_input")
}

// readCall reads a call's fields by Claude's names, which most hosts share.
func readCall(e *Event, o object, name, input string) (err error) {
	if err := o.fields(map[string]*string{name: &e.Tool, "?tool_use_id": &e.Call, "?error": &e.Error}); err != nil {
		return err
	}
	if e.Input, err = o.arguments(input); err != nil {
		return err
	}
	if e.Kind == PostTool {
		e.Result = o["tool_response"]
	}
	return nil
}
