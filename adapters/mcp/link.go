package mcp

import "context"

// link is a connection to a server over which messages go both ways, one at a time.
type link interface {
	// send returns when the message is on its way. It may be called by several goroutines.
	send(ctx context.Context, raw []byte) error
	// receive returns the next message of the server; io.EOF after the last.
	receive() ([]byte, error)
	// close ends the connection, and waits for what it started.
	close() error
}
