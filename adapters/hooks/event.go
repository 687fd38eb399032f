package hooks

import (
	"encoding/json"
	"fmt"
)

// Kind says what an event is about.
type Kind uint8

// The kinds of events.
const (
	Other        Kind = iota // of no concern to a guard: it runs no tool
	SessionStart             // a conversation begins, or is taken up again
	Prompt                   // a message is about to reach the model
	PreTool                  // a tool is about to run
	PostTool                 // a tool has run
	FailedTool               // a tool was started and gave an error
	Stop                     // the model has finished its turn
	SessionEnd               // the conversation is over
)

var kindNames = [...]string{"other", "session-start", "prompt", "pre-tool", "post-tool", "failed-tool", "stop",
	"session-end"}

// String returns the kind's name, such as "pre-tool".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Event is what a host reports, the same for all dialects.
type Event struct {
	Kind    Kind
	Name    string   // the host's own name for the event
	Session string   // the host's id of the conversation
	Cwd     string   // absolute folder that relative paths and commands start from; "" if the host gives none
	Roots   []string // the folders that the host lists as its project; nil if it lists none
	Agent   string   // the sub-agent that acts; "" for the session's own
	// Start is the folder that the command of this call starts in, if it is another than Cwd.
	Start string
	// Transcript is the file in which the host keeps the conversation; "" if it gives none.
	Transcript string

	// Of Prompt.
	Text  string
	Typed bool // a person typed it, as far as the host tells; else a timer, a peer or the host itself

	// Of PreTool, PostTool and FailedTool.
	Call  string          // the host's id of the call; "" if it has none
	Tool  string          // the tool's name, as the host spells it
	Input json.RawMessage // its arguments: one JSON object

	Result json.RawMessage // of PostTool: any JSON; nil if the host gives none
	Error  string          // of FailedTool
}

// ofTool reports whether the event is about a call.
func (k Kind) ofTool() bool { return k == PreTool || k == PostTool || k == FailedTool }
