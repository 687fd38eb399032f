package llm

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/opencortex-go/cortex/reason/model"
)

// Error is a provider's failure. Its text is for the log: it is short, on one
// line, and has no key in it.
type Error struct {
	Provider string
	Status   int    // of HTTP; 0 if there was no answer
	Text     string // the endpoint's message, or what is wrong with its answer
	tries    int
	cause    error
	again    bool          // a retry may help
	after    time.Duration // no retry before this
}

// Error is one line.
func (e *Error) Error() string {
	s := "llm: " + e.Provider + ": "
	if e.Status != 0 && e.Status != http.StatusOK {
		s += "status " + strconv.Itoa(e.Status) + ": "
	}
	quoted := strconv.Quote(e.Text)
	s += quoted[1 : len(quoted)-1]
	if e.tries > 1 {
		s += fmt.Sprintf(" (after %d tries)", e.tries)
	}
	return s
}

// Unwrap returns the context's error, or [model.ErrPrompt] if the endpoint rejects
// the prompt.
func (e *Error) Unwrap() error {
	switch e.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return model.ErrPrompt
	}
	return e.cause
}
