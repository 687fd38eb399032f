package hooks

import (
	"encoding/json"
	"errors"
	"time"
)

// cursor is Cursor. It has an event for each kind of tool, and one for the others. It cannot
// rewrite on all of them, so nothing is rewritten: the form that would be allowed is named instead.
type cursor struct{}

// cursorOutput answers events before a tool.
type cursorOutput struct {
	Permission string `json:"permission"`
	User       string `json:"user_message,omitempty"`
	Agent      string `json:"agent_message,omitempty"`
}

// cursorPrompt answers beforeSubmitPrompt.
type cursorPrompt struct {
	Continue bool   `json:"continue"`
	User     string `json:"user_message,omitempty"`
}

func (cursor) Name() string         { return "cursor" }
func (cursor) Limit() time.Duration { return 10 * time.Minute }
func (cursor) Table() *Table        { return table("cursor") }

// Block says no in every way that Cursor hears: by exit code, and by what is printed.
func (cursor) Block(text string) Reply {
	r := printed(cursorOutput{Permission: "deny", User: reason(text), Agent: reason(text)})
	r.Stderr, r.Code = reason(text)+"\n", 2
	return r
}

// cursorKinds are the events of Cursor that are about prompts, calls and sessions.
var cursorKinds = map[string]Kind{
	"beforeSubmitPrompt": Prompt, "sessionStart": SessionStart, "sessionEnd": SessionEnd, "stop": Stop,
	"beforeShellExecution": PreTool, "beforeMCPExecution": PreTool, "beforeReadFile": PreTool, "preToolUse": PreTool,
	"afterShellExecution": PostTool, "afterMCPExecution": PostTool, "postToolUse": PostTool,
	"postToolUseFailure": FailedTool,
}

// Read reads the events of Cursor. The id of the conversation is the session.
func (cursor) Read(raw []byte) (Event, error) {
	o, err := readObject("the event", raw)
	if err != nil {
		return Event{}, err
	}
	var e Event
	if err := o.fields(map[string]*string{"hook_event_name": &e.Name, "conversation_id": &e.Session, "?cwd": &e.Cwd,
		"?transcript_path": &e.Transcript}); err != nil {
		return e, err
	}
	if list, ok := o["workspace_roots"]; ok {
		if err := json.Unmarshal(list, &e.Roots); err != nil {
			return e, errors.New(`"workspace_roots" is not a list of strings`)
		}
	}
	if e.Cwd == "" && len(e.Roots) > 0 {
		e.Cwd = e.Roots[0]
	}
	for _, dir := range append([]string{e.Cwd}, e.Roots...) {
		if err := folder(dir); err != nil {
			return e, err
		}
	}
	switch e.Kind = cursorKinds[e.Name]; {
	case e.Kind == Prompt:
		e.Typed = true
		return e, o.fields(map[string]*string{"?prompt": &e.Text})
	case e.Kind.ofTool():
		return e, cursorCall(&e, o)
	}
	return e, unknownTool(e, o, "tool_name", "tool_input", "command")
}

// cursorCall reads a call, whose fields differ by event.
func cursorCall(e *Event, o object) (err error) {
	if err := o.fields(map[string]*string{"?tool_use_id": &e.Call, "?error_message": &e.Error}); err != nil {
		return err
	}
	switch e.Name {
	case "beforeShellExecution", "afterShellExecution":
		e.Tool, e.Result = "Shell", o["output"]
		e.Input, err = only(o, "command")
		return err
	case "beforeReadFile":
		e.Tool = "Read"
		e.Input, err = only(o, "file_path")
		return err
	}
	var tool, url, command string
	if err := o.fields(map[string]*string{"tool_name": &tool, "?url": &url, "?command": &command}); err != nil {
		return err
	}
	e.Tool = tool
	e.Result = o["tool_output"]
	if e.Name == "beforeMCPExecution" || e.Name == "afterMCPExecution" {
		e.Tool = "mcp__" + url + command + "__" + tool // the server has no name here; where it is tells it apart
		e.Result = o["result_json"]
	}
	e.Input, err = o.arguments("tool_input")
	return err
}

// only is an object of one text of another.
func only(o object, key string) (json.RawMessage, error) {
	if _, err := o.text(key); err != nil {
		return nil, err
	}
	return json.Marshal(object{key: o[key]})
}

// Answer holds no question open in Cursor's own dialog: a person has answered it by now.
func (cursor) Answer(e Event, a Answer) Reply {
	switch {
	case e.Kind == Prompt && a.Ruled == Allow:
		return printed(cursorPrompt{Continue: true})
	case e.Kind == Prompt:
		return printed(cursorPrompt{User: reason(a.Text)})
	case e.Kind != PreTool:
		return Reply{}
	case a.Ruled == Allow && a.Input == nil:
		return printed(cursorOutput{Permission: "allow"})
	}
	text := reason(a.Text)
	if a.Ruled == Allow {
		text = instead(a.Input)
	}
	return printed(cursorOutput{Permission: "deny", User: text, Agent: text})
}

// instead denies a call whose rewritten form would be allowed, where the host cannot be given it.
func instead(input json.RawMessage) string {
	return "not with these arguments; the same call would be allowed with " + string(input)
}
