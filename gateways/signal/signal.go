// Package signal lets people talk to an engine, and answer its approvals, in
// Signal, through the JSON-RPC daemon of signal-cli.
//
// Who somebody is, is the account's uuid together with the key that signal-cli
// trusts for it: phone numbers and names change hands. When the key of a listed
// person changes, nothing they write or press counts until an operator has
// trusted the new key, and the others are told. Signal has no buttons: a card is
// answered with a reaction on it, thumbs up or thumbs down, with a reply that
// quotes it, yes or no, or with a typed command.
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
	rateWait   = 30 * time.Second // after the service said that we are too fast
	// group begins the name of a chat that is a group; others are a person's uuid.
	group = "group:"
)

// Options says how the gateway is to run. Address and UUID are required.
type Options struct {
	// Address is where the daemon listens: the path of its Unix socket, or
	// host:port.
	Address string
	// Account is the phone number that we speak with, where the daemon serves
	// several; "" where it serves one.
	Account string
	// UUID is our own account's: reactions and quotes count only on messages of
	// its.
	UUID string
	// Keys pins the fingerprints of people's keys, by uuid, besides what
	// signal-cli trusts.
	Keys map[string]string
	// Backoff is the first wait after the daemon could not be reached; it doubles
	// up to a minute. 0 means one second.
	Backoff time.Duration
	// Logger hears of trouble; nil discards.
	Logger *slog.Logger
}

// Gateway is a [gateways.Gateway] for one account.
type Gateway struct {
	opt  Options
	dial dialer

	heard queue // what the daemon sent, over either connection

	mu    sync.Mutex
	calls *conn             // for what we send; nil while there is none
	known map[string]string // fingerprints as they were first seen, by uuid
	wg    sync.WaitGroup

	health  sync.Mutex
	trouble error
}

// New checks the options and makes a gateway. It does not speak to the daemon.
func New(opt Options) (*Gateway, error) {
	if opt.Address == "" || opt.UUID == "" {
		return nil, errors.New("signal: Options.Address and Options.UUID are required: where signal-cli's daemon listens, " +
			"and our own account's uuid")
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
	const how = "\nReact to this message with \U0001f44d or \U0001f44e, or reply to it with yes or no."
	return g.send(ctx, chat, c.Short(maxMessage-len(how))+how, nil)
}

// Close implements [gateways.Gateway]: the card is edited where that is still
// possible, else a message says what became of it.
func (g *Gateway) Close(ctx context.Context, chat, message string, c card.Card, outcome string) error {
	at, err := strconv.ParseInt(message, 10, 64)
	if err != nil {
		return &gateways.Permanent{Err: fmt.Errorf("signal: %q is no message of Signal's", message)}
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

// Acknowledge implements [gateways.Gateway]: Signal has nothing but messages.
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

// call calls a method over the connection for sending, and makes one if there is
// none. The account is named where the daemon serves several.
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

// sending returns the connection for sending. It lives until Receive ends.
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
		// A daemon that receives by itself tells every connection. How this one
		// ended is told to anyone who calls.
		_ = c.read(g.heard.put)
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.calls == c {
			g.calls = nil
		}
	})
	return c, nil
}

// hangUp ends the connection for sending and waits until it is gone.
func (g *Gateway) hangUp() {
	g.mu.Lock()
	if g.calls != nil {
		_ = g.calls.Close() // its reader says so to anyone who waits
	}
	g.mu.Unlock()
	g.wg.Wait()
}
