package skills

import (
	"context"
	"errors"

	"github.com/opencortex-go/cortex/sexpr"
)

// RemoteTool is a tool that a plugin brings. It asks before it runs, whatever its
// form says, and its output is not trusted, unless a rule file declares a tool of
// its name.
type RemoteTool struct {
	Plugin string
	Form   string // one (deftool ...)
	// Run does what was allowed, once for each key. An error that is [ErrNotDone]
	// says that nothing was done; after any other nobody knows.
	Run func(ctx context.Context, key string, a *Action) (sexpr.Value, error)
}

// ErrNotDone says of a tool that it certainly did nothing.
var ErrNotDone = errors.New("nothing was done")
