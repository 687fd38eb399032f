// Package merging makes one server of several for a client of the Model Context Protocol. Tools and prompts have the
// name of their server before their own. A request goes to the server that it names; lists and greetings go to all, and
// their answers become one. A server that is late holds up no other.
package merging

import (
	"context"
	"log/slog"
	"time"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// Link is a connection to a server over which messages go both ways, one at a time.
type Link interface {
	// Send returns when the message is on its way. It may be called by several goroutines.
	Send(ctx context.Context, m *wire.Message) error
	// Receive returns the next message of the server; io.EOF after the last. For one that is refused it returns
	// the errors that the client gets instead.
	Receive() (*wire.Message, error)
	// Close ends the connection, and waits for what it started.
	Close() error
}

// Between separates the name of a server from that of its tool.
const Between = "__"

// maxAsks bounds the requests of servers that the client has not answered.
const maxAsks = 1024

// Options configure a [Merged].
type Options struct {
	Name   string        // of the one server that the client sees
	Part   time.Duration // how long one server may take for its part of a list; six times as long for its greeting
	Logger *slog.Logger
}
