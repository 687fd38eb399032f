package mcp

import (
	"context"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// link is a connection to a server over which messages go both ways, one at a time.
type link interface {
	// send returns when the message is on its way. It may be called by several goroutines.
	send(ctx context.Context, m *wire.Message) error
	// receive returns the next message of the server; io.EOF after the last. For one that is refused it returns
	// the errors that the client gets instead.
	receive() (*wire.Message, error)
	// close ends the connection, and waits for what it started.
	close() error
}
