package skills

import (
	"context"
	"errors"

	"github.com/opencortex-go/cortex/sexpr"
)

// RemoteTool is a tool that a plugin provides. Unless a rule file declares a tool of
// its name, it asks before it runs, whatever its form says, and its output is not
// trusted.
type RemoteTool struct {
	Plugin string
	Form   string // one (deftool ...)
	// Run performs the allowed action, once for each key. [ErrNotDone] says that
	// it did nothing; after any other error the outcome is unknown.
	Run func(ctx context.Context, key string, a *Action) (sexpr.Value, error)
}

// ErrNotDone says that a tool certainly did nothing.
var ErrNotDone = errors.New("nothing was done")
