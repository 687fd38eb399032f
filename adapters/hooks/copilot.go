package hooks

import "time"

// copilot is GitHub Copilot's command line. It reads what a hook prints; an exit code other than 0
// is a failure of the hook, and the documents do not promise that it blocks. So it is told no in
// words, with exit code 0. Its output has no word for new arguments.
type copilot struct{}

// copilotOutput is the output of preToolUse.
type copilotOutput struct {
	Decision string `json:"permissionDecision"`
	Reason   string `json:"permissionDecisionReason,omitempty"`
}

func (copilot) Name() string         { return "copilot" }
func (copilot) Limit() time.Duration { return 10 * time.Minute }
func (copilot) Table() *Table        { return table("copilot") }

// Block prints a denial.
func (copilot) Block(text string) Reply {
	r := printed(copilotOutput{Decision: "deny", Reason: reason(text)})
	r.Stderr = reason(text) + "\n"
	return r
}

// Read reads the events of Copilot, which are told apart by their fields where they have no name.
// Where there is no session id, the working folder stands for it.
func (copilot) Read(raw []byte) (Event, error) {
	o, err := readObject("the event", raw)
	if err != nil {
		return Event{}, err
	}
	var e Event
	if err := o.fields(map[string]*string{"?sessionId": &e.Session, "cwd": &e.Cwd,
		"?hookEventName": &e.Name, "?transcriptPath": &e.Transcript}); err != nil {
		return e, err
	}
	if err := folder(e.Cwd); err != nil {
		return e, err
	}
	if e.Session == "" {
		e.Session = e.Cwd
	}
	has := func(key string) bool { _, ok := o[key]; return ok }
	switch {
	case has("toolName") && has("toolResult"):
		e.Kind = PostTool
	case has("toolName"):
		e.Kind = PreTool
	case has("prompt"):
		e.Kind, e.Typed = Prompt, true
		return e, o.fields(map[string]*string{"?prompt": &e.Text})
	case has("reason"):
		e.Kind = SessionEnd
		return e, nil
	default:
		return e, unknownTool(e, o, "toolArgs", "toolResult")
	}
	if err := o.fields(map[string]*string{"toolName": &e.Tool, "?toolCallId": &e.Call}); err != nil {
		return e, err
	}
	e.Result = o["toolResult"]
	e.Input, err = o.arguments("toolArgs")
	return e, err
}

// Answer denies a prompt in no way: Copilot has none.
func (copilot) Answer(e Event, a Answer) Reply {
	switch {
	case e.Kind != PreTool:
		return Reply{}
	case a.Ruled == Allow && a.Input == nil:
		return printed(copilotOutput{Decision: "allow"})
	case a.Ruled == Allow:
		return printed(copilotOutput{Decision: "deny", Reason: instead(a.Input)})
	}
	return printed(copilotOutput{Decision: "deny", Reason: reason(a.Text)})
}
