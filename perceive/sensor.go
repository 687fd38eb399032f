package perceive

// The sensors that Cortex knows by name. Signals of other sensors are recorded,
// but not passed to a model.
const (
	UserInput   = "user-input"
	ChatMessage = "chat-message"
	// Interrupt cancels work at an operator's request.
	Interrupt = "interrupt"

	// These are Cortex's own; [Normalise] returns an error for them.
	Heartbeat        = "heartbeat"
	ToolOutput       = "tool-output"
	ToolError        = "tool-error"
	LoopError        = "loop-error"
	ApprovalRequired = "approval-required"
	ApprovalAnswer   = "approval-answer"   // an answer to a card that a gateway has already processed
	AccountSuspended = "account-suspended" // a gateway ignores this person's messages and presses
	Run              = "run"               // the root of a run, which the engine drives
	TextRead         = "text-read"         // a model read a text that is neither a person's message nor a tool's result
)

// ForModel reports whether the signal goes to a model: a person's text, or the
// result of the model's own last action (rows 51 and 84). Other signals bypass the
// model.
func (s Signal) ForModel() bool {
	if s.Type != Event {
		return false
	}
	switch s.Sensor {
	case UserInput, ChatMessage, ToolOutput, ToolError:
		return true
	}
	return false
}
