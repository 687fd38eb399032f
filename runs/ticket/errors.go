package ticket

// Code says what is wrong with a ticket. The set is closed.
type Code string

// What may be wrong with a ticket.
const (
	InvalidFormat        Code = "TOKEN_INVALID_FORMAT"
	UnsupportedVersion   Code = "TOKEN_UNSUPPORTED_VERSION"
	BadSignature         Code = "TOKEN_BAD_SIGNATURE"
	ScopeMismatch        Code = "TOKEN_SCOPE_MISMATCH"
	UnknownNode          Code = "TOKEN_UNKNOWN_NODE"
	WorkflowHashMismatch Code = "TOKEN_WORKFLOW_HASH_MISMATCH"
	SessionLocked        Code = "TOKEN_SESSION_LOCKED"
)

// Error says what is wrong with a ticket, and what to do instead. It never quotes the ticket.
type Error struct {
	Code       Code
	Message    string
	Suggestion string
}

func (e *Error) Error() string {
	if e.Suggestion == "" {
		return string(e.Code) + ": " + e.Message
	}
	return string(e.Code) + ": " + e.Message + "; " + e.Suggestion
}

// again is what helps against most mistakes with tickets.
const again = "send the whole ticket of the last reply, and nothing else"

func malformed(message string) error {
	return &Error{Code: InvalidFormat, Message: message, Suggestion: again}
}
