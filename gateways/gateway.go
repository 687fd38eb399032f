// Package gateways lets people talk to an engine, and answer its approvals, from
// messengers.
//
// A [Gateway] is one messenger: it receives updates and sends messages, and knows
// nothing of approvals. A [Bridge] stands between gateways and an engine. It knows
// who people are, from the account and the chat that the service vouches for and
// never from a text; it makes signals of what they write, shows cards to those
// who may answer, takes their answers, closes a card everywhere once it is
// decided anywhere, and brings replies back. What the bridge sends is driven by the
// journal, behind a durable cursor, so that a restart forgets no message.
package gateways

import (
	"context"
	"time"

	"github.com/opencortex-go/cortex/gateways/card"
)

// Gateway is one messenger. Its methods are called by several goroutines at once.
// Package gatewaytest has the tests that every gateway passes.
type Gateway interface {
	// Name is the gateway's, such as "telegram". It never changes: it is part of
	// sessions, cursors and postings on record.
	Name() string
	// Receive reads updates, oldest first, from this position on, and hands them
	// to handle until ctx ends. An update counts as read once handle has returned
	// nil, and only then may the service be told so; after an error it is handed
	// over again. Receive retries by itself what the network or the service get
	// wrong, and returns only ctx's error or one that no retry mends, such as a
	// wrong token.
	Receive(ctx context.Context, from int64, handle func(context.Context, Update) error) error
	// Show sends a card to a chat, with buttons that carry the nonce where the
	// service has buttons, and returns the service's name for the message.
	Show(ctx context.Context, chat string, c card.Card, nonce string) (message string, err error)
	// Close takes the buttons off a card and says what became of it. To close a
	// card twice is no error.
	Close(ctx context.Context, chat, message string, c card.Card, outcome string) error
	// Say sends a text, as it is and without markup, to a chat.
	Say(ctx context.Context, chat, text string) error
	// Acknowledge tells a person what came of a press.
	Acknowledge(ctx context.Context, u Update, text string) error
}

// Troubled is a [Gateway] that knows when it cannot hear its service.
type Troubled interface {
	// Trouble says why nothing can be received at the moment; nil if it can.
	Trouble() error
}

// Numbered is a [Gateway] whose service numbers updates for each of its own
// accounts, such as a bot: another account begins anew.
type Numbered interface {
	// Numbering names the account. It is part of the cursor's name.
	Numbering() string
}

// Update is something that a person did in a messenger, as the service reports
// it. Only ids that the service vouches for stand in it.
type Update struct {
	At    int64  // the position behind this update in the service's stream
	ID    string // names the update in its gateway, for ever
	User  string // the account, by its unchangeable id
	Chat  string // the chat, by its unchangeable id
	Text  string // what the person wrote; "" for none
	Press *Press // an answer on a card; nil for none
	// Suspended says why nothing that this account does counts at the moment, such
	// as that its key has changed; "" if it counts. Such an update has no Text and
	// no Press, and the other people are told.
	Suspended string
	// Ack is the gateway's own note for Acknowledge.
	Ack string
}

// Press is an answer that a person gave on a message of ours.
type Press struct {
	Message string // the service's name for the message
	Nonce   string // what the button carried; "" where the service has no buttons
	Approve bool
	Reason  string // of a denial, where the service lets people write one
}

// Account is one person in one messenger: an entry of the allow-list. Both ids
// must match; who is on no list is not answered at all.
type Account struct {
	Gateway   string
	User      string   // numeric or otherwise unchangeable id, never a name
	Chat      string   // where this person may speak and answer
	Principal string   // who it is for rules and approvals; unique among people
	Roles     []string // what rules read as session.roles
	Classes   []string // approver classes, such as "operator"; cards are shown in Chat
}

// Permanent wraps an error that no retry mends, such as a chat that has blocked
// us: the message is given up and logged.
type Permanent struct{ Err error }

func (p *Permanent) Error() string { return p.Err.Error() }
func (p *Permanent) Unwrap() error { return p.Err }

// RetryAfter wraps an error that the service wants us to wait after.
type RetryAfter struct {
	Wait time.Duration
	Err  error
}

func (r *RetryAfter) Error() string { return r.Err.Error() }
func (r *RetryAfter) Unwrap() error { return r.Err }
