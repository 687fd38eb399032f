// Package telegram lets people talk to an engine, and answer its approvals, in
// Telegram, through a bot.
//
// Updates come by long polling, or by a webhook. Either way one counts as read only
// after it is recorded: the next poll sends the offset that confirms it, or the
// webhook then answers 200. The numeric id that Telegram vouches for identifies a
// person. Messages that were forwarded, or sent in the name of a chat or through
// another bot, are not read.
package telegram

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/gateways/card"
)

// The limits of the Bot API, which counts characters; we count bytes, which is
// stricter.
const (
	maxMessage = 4000
	maxNotice  = 180
)

// Options configures the gateway. Token is required.
type Options struct {
	// Token is the bot's, as BotFather gives it. It is a secret.
	Token string
	// URL is the Bot API's; "" means https://api.telegram.org.
	URL string
	// Poll is how long one poll waits for updates; 0 means 50 s.
	Poll time.Duration
	// Backoff is the first wait after a poll that failed; it doubles up to a
	// minute. 0 means one second.
	Backoff time.Duration
	// Secret, if set, means that updates come to [Gateway.Webhook] and are not
	// polled for: the secret_token that setWebhook was given, 1 to 256 characters
	// of A-Z, a-z, 0-9, _ and -.
	Secret string
	// Hook is the public https address that leads to [Gateway.Webhook]; the gateway
	// registers it. "" keeps the registered one.
	Hook string
	// Logger logs errors; nil discards them.
	Logger *slog.Logger
}

// Gateway is a [gateways.Gateway] for one bot.
type Gateway struct {
	opt Options
	api api

	mu     sync.Mutex // one update at a time; guards handle
	handle func(context.Context, gateways.Update) error

	health  sync.Mutex
	trouble error
}

// New returns an error if an option is invalid. It does not connect to the service.
func New(opt Options) (*Gateway, error) {
	if id, key, ok := strings.Cut(opt.Token, ":"); !ok || id == "" || key == "" ||
		strings.ContainsAny(opt.Token, "/ \n\t?#%") {
		return nil, errors.New("telegram: the token is not of the form 123456:ABC-DEF, as BotFather gives it")
	}
	if opt.Secret != "" && !validSecret(opt.Secret) {
		return nil, errors.New("telegram: the webhook's secret has 1 to 256 characters of A-Z, a-z, 0-9, _ and -")
	}
	if opt.URL == "" {
		opt.URL = "https://api.telegram.org"
	}
	if opt.Poll == 0 {
		opt.Poll = 50 * time.Second
	}
	if opt.Backoff == 0 {
		opt.Backoff = time.Second
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	client := &http.Client{
		Timeout: opt.Poll + 20*time.Second,
		// the token goes nowhere else
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Gateway{opt: opt, api: api{url: strings.TrimSuffix(opt.URL, "/"), token: opt.Token, http: client}}, nil
}

// Numbering implements [gateways.Numbered]: the bot's number, which is not a secret.
func (g *Gateway) Numbering() string {
	id, _, _ := strings.Cut(g.opt.Token, ":")
	return id
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
func (g *Gateway) Name() string { return "telegram" }

// Show implements [gateways.Gateway]: a message with two buttons,
// or one for a question that takes an answer in words.
func (g *Gateway) Show(ctx context.Context, chatID string, c card.Card, nonce string) (string, error) {
	id, err := chatNumber(chatID)
	if err != nil {
		return "", err
	}
	var sent message
	c, here := c.Answering("/answer "+c.Token).Elsewhere(maxMessage, "cortex approvals show "+c.Token+" has all of it")
	buttons := []button{{"Approve", approve + nonce}, {"Deny", deny + nonce}}
	if c.Answers {
		buttons = buttons[1:]
	}
	say := map[string]any{"chat_id": id, "text": c.Short(maxMessage), "link_preview_options": noPreview}
	if here {
		say["reply_markup"] = keyboard{[][]button{buttons}}
	}
	if err = g.api.call(ctx, "sendMessage", say, &sent); err != nil || !here {
		return "", err
	}
	return strconv.FormatInt(sent.ID, 10), nil
}

// What a button's data begins with.
const (
	approve = "a:"
	deny    = "d:"
)

var noPreview = map[string]any{"is_disabled": true}

// Close implements [gateways.Gateway].
func (g *Gateway) Close(ctx context.Context, chatID, messageID string, c card.Card, outcome string) error {
	id, err := chatNumber(chatID)
	if err != nil {
		return err
	}
	m, err := strconv.ParseInt(messageID, 10, 64)
	if err != nil {
		return &gateways.Permanent{Err: fmt.Errorf("telegram: %q is not a message of Telegram's", messageID)}
	}
	if len(outcome) > maxMessage/4 {
		outcome = strings.ToValidUTF8(outcome[:maxMessage/4], "")
	}
	err = g.api.call(ctx, "editMessageText", map[string]any{
		"chat_id": id, "message_id": m, "text": c.Short(maxMessage-len(outcome)-1) + "\n" + outcome,
		"link_preview_options": noPreview,
	}, nil)
	if err != nil && strings.Contains(err.Error(), "message is not modified") {
		return nil // it is closed already
	}
	return err
}

// Say implements [gateways.Gateway].
func (g *Gateway) Say(ctx context.Context, chatID, text string) error {
	id, err := chatNumber(chatID)
	if err != nil {
		return err
	}
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage-6], "") + "\n[cut]"
	}
	return g.api.call(ctx, "sendMessage", map[string]any{"chat_id": id, "text": text, "link_preview_options": noPreview},
		nil)
}

// Acknowledge implements [gateways.Gateway]: the notice that Telegram shows over
// the chat when a button was pressed.
func (g *Gateway) Acknowledge(ctx context.Context, u gateways.Update, text string) error {
	if len(text) > maxNotice {
		text = strings.ToValidUTF8(text[:maxNotice], "")
	}
	return g.api.call(ctx,
		"answerCallbackQuery", map[string]any{"callback_query_id": u.Ack, "text": text, "show_alert": true}, nil)
}

func chatNumber(chat string) (int64, error) {
	id, err := strconv.ParseInt(chat, 10, 64)
	if err != nil {
		return 0, &gateways.Permanent{Err: fmt.Errorf("telegram: the chat %q is not a number", chat)}
	}
	return id, nil
}

func validSecret(s string) bool {
	for _, c := range s {
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return len(s) <= 256
}
