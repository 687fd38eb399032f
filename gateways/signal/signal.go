// Package signal lets people talk to an engine, and answer its approvals, in
// Signal, through the JSON-RPC daemon of signal-cli.
//
// The account's uuid, together with the key that signal-cli trusts for it,
// identifies a person, because phone numbers and names change hands. When the key of
// a listed person changes, their account is suspended until an operator has trusted
// the new key, and the others are notified. Signal has no buttons: people answer a
// card with a reaction, thumbs up or thumbs down, with a reply that quotes it, yes or
// no, or with a typed command.
package signal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/gateways/card"
)

const (
	maxMessage = 1900             // bytes; Signal turns longer texts into attachments
	rateWait   = 30 * time.Second // after the service has throttled us
	// group begins the name of a chat that is a group; others are a person's uuid.
	group = "group:"
)

// Options configures the gateway. Address and UUID are required.
type Options struct {
	// Address is where the daemon listens: the path of its Unix socket, or
	// host:port.
	Address string
	// Account is our phone number if the daemon serves several accounts; "" if it
	// serves one.
	Account string
	// UUID is our own account's: reactions and quotes count only on its messages.
	UUID string
	// Keys pins the fingerprints of people's keys, by uuid, in addition to
	// signal-cli's own trust.
	Keys map[string]string
	// Backoff is the first wait after the daemon could not be reached; it doubles
	// up to a minute. 0 means one second.
	Backoff time.Duration
	// Logger logs errors; nil discards them.
	Logger *slog.Logger
}

// Gateway is a [gateways.Gateway] for one account.
type Gateway struct {
	opt  Options
	dial dialer

	heard queue // notifications, from either connection

	mu    sync.Mutex
	calls *conn             // the outbound connection; nil while there is none
	known map[string]string // first seen fingerprints, by uuid
	wg    sync.WaitGroup

	health  sync.Mutex
	trouble error
}

// New returns an error if an option is invalid. It does not connect to the daemon.
func New(opt Options) (*Gateway, error) {
	if opt.Address == "" || opt.UUID == "" {
		return nil, errors.New(
			"signal: Options.Address and Options.UUID are required: where signal-cli's daemon listens, " +
				"and our own account's uuid",
		)
	}
	if opt.Backoff == 0 {
		opt.Backoff = time.Second
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	return &Gateway{opt: opt, dial: newDialer(opt.Address), known: map[string]string{},
		heard: queue{more: make(chan struct{}, 1)}}, nil
}

// Trouble implements [gateways.Troubled].
func (g *Gateway) Trouble() error {
	g.health.Lock()
	defer g.health.Unlock()
	return g.trouble
}

func (g *Gateway) note(err error) {
	g.health.Lock()
	defer g.health.Unlock()
	g.trouble = err
}

// Name implements [gateways.Gateway].
func (g *Gateway) Name() string { return "signal" }

// Show implements [gateways.Gateway]. The nonce is not needed: the message's
// timestamp, which the service made, is what reactions and quotes name.
func (g *Gateway) Show(ctx context.Context, chat string, c card.Card, _ string) (string, error) {
	how := "\nReact to this message with \U0001f44d or \U0001f44e, or reply to it with yes or no."
	if c.Answers {
		c, how = c.Answering(
			"/answer "+c.Token,
		), "\nReact to this message with \U0001f44e, or reply to it with no, to refuse it."
	}
	c, here := c.Elsewhere(maxMessage-len(how), "cortex approvals show "+c.Token+" has all of it")
	if !here {
		_, err := g.send(ctx, chat, c.Short(maxMessage), nil)
		return "", err
	}
	return g.send(ctx, chat, c.Short(maxMessage-len(how))+how, nil)
}

// Close implements [gateways.Gateway]: it edits the card, or, if the card is too old
// for that, sends a message with the outcome.
func (g *Gateway) Close(ctx context.Context, chat, message string, c card.Card, outcome string) error {
	at, err := strconv.ParseInt(message, 10, 64)
	if err != nil {
		return &gateways.Permanent{Err: fmt.Errorf("signal: %q is not a message of Signal's", message)}
	}
	if len(outcome) > maxMessage/4 {
		outcome = strings.ToValidUTF8(outcome[:maxMessage/4], "")
	}
	_, err = g.send(ctx, chat, c.Short(maxMessage-len(outcome)-1)+"\n"+outcome, map[string]any{"editTimestamp": at})
	var permanent *gateways.Permanent
	if errors.As(err, &permanent) { // too old to be edited
		_, err = g.send(ctx, chat, "approval "+c.Token+" is "+outcome, nil)
	}
	return err
}

// Say implements [gateways.Gateway].
func (g *Gateway) Say(ctx context.Context, chat, text string) error {
	_, err := g.send(ctx, chat, text, nil)
	return err
}

// Acknowledge implements [gateways.Gateway]: Signal has only messages.
func (g *Gateway) Acknowledge(ctx context.Context, u gateways.Update, text string) error {
	return g.Say(ctx, u.Chat, text)
}

// send sends a text and returns its timestamp, which is the message's name.
func (g *Gateway) send(ctx context.Context, chat, text string, more map[string]any) (string, error) {
	params := map[string]any{"message": text}
	if id, ok := strings.CutPrefix(chat, group); ok {
		params["groupId"] = id
	} else {
		params["recipient"] = []string{chat}
	}
	for k, v := range more {
		params[k] = v
	}
	var sent struct {
		Timestamp int64 `json:"timestamp"`
	}
	if err := g.call(ctx, "send", params, &sent); err != nil {
		return "", sorted(err)
	}
	return strconv.FormatInt(sent.Timestamp, 10), nil
}

// call calls a method over the outbound connection, and opens one if there is
// none. It names the account if the daemon serves several.
func (g *Gateway) call(ctx context.Context, method string, params map[string]any, result any) error {
	c, err := g.sending(ctx)
	if err != nil {
		return err
	}
	return c.call(ctx, method, g.as(params), result)
}

func (g *Gateway) as(params map[string]any) map[string]any {
	if params == nil {
		params = map[string]any{}
	}
	if g.opt.Account != "" {
		params["account"] = g.opt.Account
	}
	return params
}

// sending returns the outbound connection. It lives until Receive ends.
func (g *Gateway) sending(ctx context.Context) (*conn, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.calls != nil {
		return g.calls, nil
	}
	c, err := g.dial.dial(ctx)
	if err != nil {
		return nil, err
	}
	g.calls = c
	g.wg.Go(func() {
		// A daemon in automatic receive mode notifies every connection. Callers get
		// the error with which this one ends.
		_ = c.read(g.heard.put)
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.calls == c {
			g.calls = nil
		}
	})
	return c, nil
}

// hangUp closes the outbound connection and waits until it has ended.
func (g *Gateway) hangUp() {
	g.mu.Lock()
	if g.calls != nil {
		_ = g.calls.Close() // its reader fails the waiting calls
	}
	g.mu.Unlock()
	g.wg.Wait()
}
