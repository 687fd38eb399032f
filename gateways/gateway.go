// Package gateways lets people talk to an engine, and answer its approvals, from
// messengers.
//
// A [Gateway] is one messenger: it receives updates and sends messages, and is
// independent of approvals. A [Bridge] connects gateways with an engine. It
// identifies people by the account and the chat that the service vouches for, never
// by a text. It turns their messages into signals, shows cards to the approvers,
// records their answers, closes a card everywhere once it is decided anywhere, and
// delivers replies. The journal drives outbound messages, with a durable cursor, so
// that a restart loses none.
package gateways

import (
	"context"
	"time"

	"github.com/opencortex-go/cortex/gateways/card"
)

// Gateway is one messenger. It must be safe for concurrent use.
// Package gatewaytest has the tests that every gateway passes.
type Gateway interface {
	// Name is the gateway's name, such as "telegram". It never changes: it is part
	// of recorded sessions, cursors and postings.
	Name() string
	// Receive returns only ctx's error, or one that retries cannot fix, such as a
	// wrong token; it retries errors of the network or the service by itself. It
	// reads updates, oldest first, from this position on, and passes them to handle
	// until ctx ends. An update counts as read once handle has returned nil; only
	// then may Receive confirm it to the service. After an error of handle, Receive
	// passes the update again.
	Receive(ctx context.Context, from int64, handle func(context.Context, Update) error) error
	// Show sends a card to a chat, with buttons that carry the nonce where the
	// service has buttons, and returns the service's name for the message; "" if there was no
	// room for all that the card asks, so that it cannot be answered there.
	Show(ctx context.Context, chat string, c card.Card, nonce string) (message string, err error)
	// Close removes the buttons of a card and shows its outcome. Closing a card
	// twice is not an error.
	Close(ctx context.Context, chat, message string, c card.Card, outcome string) error
	// Say sends a text to a chat, unchanged and without markup.
	Say(ctx context.Context, chat, text string) error
	// Acknowledge tells a person the result of a press.
	Acknowledge(ctx context.Context, u Update, text string) error
}

// Troubled is a [Gateway] that knows when it cannot receive from its service.
type Troubled interface {
	// Trouble returns why the gateway cannot receive at the moment; nil if it can.
	Trouble() error
}

// Numbered is a [Gateway] whose service numbers updates separately for each of its
// own accounts, such as a bot.
type Numbered interface {
	// Numbering names the account. It is part of the cursor's name.
	Numbering() string
}

// Update is a person's message or press, as the service reports it. It holds only
// ids that the service vouches for.
type Update struct {
	At    int64  // the position after this update in the service's stream
	ID    string // names the update in its gateway, for ever
	User  string // the account, by its unchangeable id
	Chat  string // the chat, by its unchangeable id
	Text  string // the person's text; "" for none
	Press *Press // an answer on a card; nil for none
	// Suspended says why this account is suspended, such as because its key has
	// changed; "" if it is not. Such an update has no Text and no Press, and the
	// other people are notified.
	Suspended string
	// Ack is the gateway's own note for Acknowledge.
	Ack string
}

// Press is an answer that a person gave on a message of ours.
type Press struct {
	Message string // the service's name for the message
	Nonce   string // the button's nonce; "" if the service has no buttons
	Approve bool
	Reason  string // of a denial, if the service lets people write one
}

// Account is one person in one messenger: an entry of the allow-list. Both ids
// must match; all other senders are ignored.
type Account struct {
	Gateway   string
	User      string   // numeric or otherwise unchangeable id, never a name
	Chat      string   // where this person may speak and answer
	Principal string   // the person's name for rules and approvals; unique among people
	Roles     []string // session.roles for rules
	Classes   []string // approver classes, such as "operator"; cards are shown in Chat
}

// Permanent wraps an error that retries cannot fix, such as a chat that has blocked
// us: the bridge logs it and drops the message.
type Permanent struct{ Err error }

func (p *Permanent) Error() string { return p.Err.Error() }
func (p *Permanent) Unwrap() error { return p.Err }

// RetryAfter wraps an error after which the service wants us to wait.
type RetryAfter struct {
	Wait time.Duration
	Err  error
}

func (r *RetryAfter) Error() string { return r.Err.Error() }
func (r *RetryAfter) Unwrap() error { return r.Err }
