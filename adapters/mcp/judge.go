package mcp

import (
	"context"
	"time"

	"github.com/opencortex-go/cortex/adapters/api/client"
)

// Judge decides about calls and keeps the record: a [client.Client] of a daemon.
type Judge interface {
	// Judge decides about a call, waits for people up to r.Hold, and begins what is
	// allowed: its intent is durable when Judge returns. An error means no.
	Judge(ctx context.Context, r client.Request) (client.Ruling, error)
	// Finish reports the outcome of an intent.
	Finish(ctx context.Context, host, session, call string, intent uint64, o client.Outcome) error
	// Read reports a text that the model reads besides results.
	Read(ctx context.Context, host, session, name, text string) error
	// Answered waits at most hold until people have answered a card.
	Answered(ctx context.Context, token string, hold time.Duration) (client.Answer, error)
	// Withdraw takes back a card that waits for people.
	Withdraw(ctx context.Context, host, session, token string) error
	// End says that a session is over.
	End(ctx context.Context, host, session string) error
}

// What a ruling says, see [client.Ruling].
const (
	allow = "allow"
	ask   = "ask"
	deny  = "deny"
)
