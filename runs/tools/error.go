package tools

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/opencortex-go/cortex/runs/ticket"
)

// Code says what kind of error it is. The set is closed: these, and those of tickets.
type Code = ticket.Code

// The codes, beside those of package ticket and of bundles.
const (
	ValidationError    Code = "VALIDATION_ERROR"
	NotFound           Code = "NOT_FOUND"
	PreconditionFailed Code = "PRECONDITION_FAILED"
	SessionNotHealthy  Code = "SESSION_NOT_HEALTHY"
	InvariantViolation Code = "INVARIANT_VIOLATION"
	InternalError      Code = "INTERNAL_ERROR"
	Timeout            Code = "TIMEOUT"
)

// Retry says whether the same call may succeed.
type Retry struct {
	Kind    string `json:"kind"` // not_retryable, retryable_immediate, retryable_after_ms
	AfterMs int    `json:"afterMs,omitempty"`
}

// Error is what a call gets in place of an answer.
type Error struct {
	Code       Code           `json:"code"`
	Message    string         `json:"message"`
	Retry      Retry          `json:"retry"`
	Suggestion string         `json:"suggestion,omitempty"` // the exact next action
	Details    map[string]any `json:"details,omitempty"`    // small, and the same for the same error

	cause error
}

func (e *Error) Error() string {
	if e.Suggestion == "" {
		return string(e.Code) + ": " + e.Message
	}
	return string(e.Code) + ": " + strings.TrimSuffix(e.Message, ".") + "; " + e.Suggestion
}

// Unwrap returns what caused it, for the host. An agent is not told.
func (e *Error) Unwrap() error { return e.cause }

// Because returns e with its cause.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// Failed makes an error that the same call would meet again.
func Failed(code Code, message, suggestion string) *Error {
	return &Error{Code: code, Message: message, Suggestion: suggestion, Retry: Retry{Kind: "not_retryable"}}
}

// AsError returns err as an agent is told of it. What it is not meant to know is INTERNAL_ERROR
// without details.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if w, ok := errors.AsType[*Wrong](err); ok {
		return &Error{Code: ValidationError, Message: w.Error(), Retry: Retry{Kind: "retryable_immediate"}, cause: err}
	}
	if t, ok := errors.AsType[*ticket.Error](err); ok {
		e := &Error{Code: t.Code, Message: t.Message, Suggestion: t.Suggestion,
			Retry: Retry{Kind: "not_retryable"}, cause: err}
		if t.Code == ticket.SessionLocked {
			e.Retry = Retry{Kind: "retryable_after_ms", AfterMs: 1000}
		}
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &Error{Code: Timeout, Message: "the time of the call was over", Retry: Retry{Kind: "retryable_immediate"},
			Suggestion: "send the same call again, a start with its requestId: what was entered is not entered twice",
			cause:      err}
	}
	return Failed(InternalError, "something failed inside; the operator's log has it", "try again later").Because(err)
}

// JSON is the error in its envelope, {"error": ...}.
func (e *Error) JSON() []byte {
	text, err := json.Marshal(map[string]*Error{"error": e})
	if err != nil { // details that have no JSON
		text, _ = json.Marshal(map[string]*Error{"error": {Code: e.Code, Message: e.Message, Retry: e.Retry}})
	}
	return text
}
