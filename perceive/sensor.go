package perceive

// The sensors that Cortex knows by name. Others are facts like any: they are
// recorded, and no model is asked about them.
const (
	UserInput   = "user-input"
	ChatMessage = "chat-message"
	// Interrupt cancels what an operator wants cancelled.
	Interrupt = "interrupt"

	// These are Cortex's own; [Normalise] refuses them from outside.
	Heartbeat        = "heartbeat"
	ToolOutput       = "tool-output"
	ToolError        = "tool-error"
	LoopError        = "loop-error"
	ApprovalRequired = "approval-required"
	ApprovalAnswer   = "approval-answer"   // an answer to a card that a gateway has taken already
	AccountSuspended = "account-suspended" // a gateway leaves what this person does out of account
)

// ForModel reports whether a model is to be asked about the signal: what a
// person wrote, and what came of the model's own last action (rows 51 and 84).
// Everything else passes reason untouched.
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
