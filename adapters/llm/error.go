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
	Text     string // what the endpoint said, or what is wrong with what it said
	tries    int
	cause    error
	again    bool          // another try may help
	after    time.Duration // the endpoint wants none before
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

// Unwrap returns the context's error, or [model.ErrPrompt] where the endpoint
// finds fault with the prompt.
func (e *Error) Unwrap() error {
	switch e.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return model.ErrPrompt
	}
	return e.cause
}
