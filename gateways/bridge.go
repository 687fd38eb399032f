package gateways

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/perceive"
)

// Options configures a bridge. Engine is required.
type Options struct {
	Engine   *cortex.Engine
	Gateways []Gateway
	Accounts []Account
	Card     card.Options
	// Work is how many inbound messages are answered at the same time; 0 means 32.
	// Further ones wait, and the service is not told that they were read.
	Work int
	// Backoff is the first wait after an outbound message failed; it doubles up to
	// a minute. 0 means one second.
	Backoff time.Duration
	// Patience is how long a gateway pauses after an error that retries cannot
	// fix, such as a wrong token; the others continue. With 0 such an error ends
	// [Bridge.Run].
	Patience time.Duration
	Logger   *slog.Logger // nil discards
}

// Bridge connects gateways with an engine.
type Bridge struct {
	opt   Options
	work  chan struct{} // holds a token for each message in progress
	until context.Context
	wg    sync.WaitGroup

	mu      sync.Mutex
	trouble map[string]error             // current errors, by gateway and direction
	refused map[[3]string]cortex.Posting // postings that the service throttles, by token, gateway and chat

	strangers strangers
}

// New returns an error where [Check] does.
func New(opt Options) (*Bridge, error) {
	if opt.Engine == nil {
		return nil, errors.New("gateways: Options.Engine is missing")
	}
	if opt.Work == 0 {
		opt.Work = 32
	}
	if opt.Backoff == 0 {
		opt.Backoff = time.Second
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	if err := Check(opt.Gateways, opt.Accounts); err != nil {
		return nil, err
	}
	return &Bridge{opt: opt, work: make(chan struct{}, opt.Work), trouble: map[string]error{},
		refused: map[[3]string]cortex.Posting{}}, nil
}

// Check returns an error if an account of the allow-list names none of these
// gateways, or two people share a user and chat.
func Check(list []Gateway, accounts []Account) error {
	names := map[string]bool{}
	for _, g := range list {
		if g.Name() == "" || strings.Contains(g.Name(), "/") || names[g.Name()] {
			return fmt.Errorf("gateways: the name %q is empty, taken, or has a slash", g.Name())
		}
		names[g.Name()] = true
	}
	seen := map[[3]string]string{}
	for _, a := range accounts {
		at := [3]string{a.Gateway, a.User, a.Chat}
		switch {
		case !names[a.Gateway]:
			return fmt.Errorf("gateways: the account of %q is on %q, expected one of %q", a.Principal, a.Gateway,
				slices.Sorted(maps.Keys(names)))
		case a.User == "" || a.Chat == "" || a.Principal == "":
			return fmt.Errorf("gateways: the account of %q on %s needs a user, a chat and a principal", a.Principal, a.Gateway)
		case seen[at] != "":
			return fmt.Errorf("gateways: user %s in chat %s of %s is both %q and %q", a.User, a.Chat, a.Gateway, seen[at],
				a.Principal)
		}
		seen[at] = a.Principal
	}
	return nil
}

// Run serves all gateways until ctx ends. Without Options.Patience, an error that
// retries cannot fix stops all gateways, and Run returns it with the gateway's name.
// It returns after all goroutines of the bridge have ended.
func (d *Bridge) Run(ctx context.Context) error {
	for _, g := range d.opt.Gateways {
		if err := d.begin(ctx, g); err != nil && ctx.Err() == nil {
			return err
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// The next engine resumes messages in progress.
	until, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, func() { cut(cortex.ErrClosed) })()
	d.until = until
	for _, g := range d.opt.Gateways {
		for what, run := range map[string]func(context.Context, Gateway) error{receiving: d.receive, sending: d.send} {
			d.wg.Go(func() {
				if err := d.keep(ctx, g, what, run); err != nil {
					stop(err)
				}
			})
		}
	}
	<-ctx.Done()
	d.wg.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// keep runs one direction of a gateway, and restarts it after a pause if the bridge
// has patience. Its error ends the bridge.
func (d *Bridge) keep(ctx context.Context, g Gateway, what string, run func(context.Context, Gateway) error) error {
	for {
		d.note(g, what, nil)
		err := run(ctx, g)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		err = fmt.Errorf("gateway %s, %s: %w", g.Name(), what, err)
		if d.opt.Patience == 0 {
			return err
		}
		d.note(g, what, err)
		d.opt.Logger.Error("a gateway has stopped and is tried again after a rest", "gateway", g.Name(),
			"rest", d.opt.Patience, "error", err)
		if sleep(ctx, d.opt.Patience) != nil {
			return nil
		}
	}
}

// note stores the current error of one direction of a gateway, nil for none.
func (d *Bridge) note(g Gateway, what string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		delete(d.trouble, g.Name()+" "+what)
		return
	}
	d.trouble[g.Name()+" "+what] = err
}

// Trouble returns the current errors of gateways by name; gateways that are not in
// it have no known error.
func (d *Bridge) Trouble() map[string]error {
	out := map[string]error{}
	for _, g := range d.opt.Gateways {
		d.mu.Lock()
		err := errors.Join(d.trouble[g.Name()+" "+receiving], d.trouble[g.Name()+" "+sending])
		d.mu.Unlock()
		if t, ok := g.(Troubled); ok && err == nil {
			err = t.Trouble()
		}
		if err != nil {
			out[g.Name()] = err
		}
	}
	return out
}

// The two directions of a gateway.
const (
	receiving = "receiving"
	sending   = "sending"
)

// sleep waits, unless ctx ends.
func sleep(ctx context.Context, wait time.Duration) error {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// receive passes a gateway's inbound updates to the engine.
func (d *Bridge) receive(ctx context.Context, g Gateway) error {
	from, err := d.opt.Engine.Hosts().Cursors().Of(heardCursor(g))
	if err != nil {
		return err
	}
	return g.Receive(ctx, from, func(ctx context.Context, u Update) error {
		err := d.handle(ctx, g, u)
		d.note(g, receiving, err)
		return err
	})
}

// heardCursor names the inbound cursor of a gateway.
func heardCursor(g Gateway) string {
	if n, ok := g.(Numbered); ok {
		return g.Name() + " " + n.Numbering()
	}
	return g.Name()
}

// handle makes one update durable. After an error the update must be delivered
// again; after nil, never.
func (d *Bridge) handle(ctx context.Context, g Gateway, u Update) error {
	read := cortex.Cursor{Source: heardCursor(g), At: u.At}
	// An update that no record can hold would be retried for ever and block the others.
	u.Text = strings.ToValidUTF8(u.Text, "\ufffd")
	if u.Press != nil {
		press := *u.Press
		press.Reason = strings.ToValidUTF8(press.Reason, "\ufffd")
		u.Press = &press
	}
	who, ok := d.account(g, u)
	if !ok { // write nothing: strangers cost no disk, and only a few log lines
		d.strangers.heard(d.opt.Logger, g.Name(), u)
		return nil
	}
	if u.Suspended != "" {
		return d.suspend(ctx, g, u, who, read)
	}
	if u.Press != nil {
		return d.press(ctx, g, u, who, read)
	}
	if a, ok := perceive.ParseAnswer(u.Text); ok {
		return d.typed(ctx, g, u, who, a, read)
	}
	if u.Text == "" { // a picture, a sticker, a person who joined: nothing to answer
		return nil
	}
	return d.say(ctx, g, u, who, read)
}

// account finds the sender of an update. User and chat must both be on the list.
func (d *Bridge) account(g Gateway, u Update) (Account, bool) {
	i := slices.IndexFunc(d.opt.Accounts, func(a Account) bool {
		return a.Gateway == g.Name() && a.User == u.User && a.Chat == u.Chat
	})
	if i < 0 {
		return Account{}, false
	}
	return d.opt.Accounts[i], true
}

// say makes a signal of a person's text. [Bridge.send] sends the answer once it is
// recorded.
func (d *Bridge) say(ctx context.Context, g Gateway, u Update, who Account, read cortex.Cursor) error {
	select {
	case d.work <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	a, err := d.opt.Engine.Hosts().Cursors().Accept(ctx, d.signal(g, u, who, perceive.ChatMessage), read)
	if err != nil {
		<-d.work
		return d.full(ctx, g, u, read, err)
	}
	d.wg.Go(func() {
		defer func() { <-d.work }()
		if _, err := a.Answer(d.until); err != nil && !errors.Is(err, cortex.ErrClosed) {
			d.opt.Logger.Error("a message could not be answered", "gateway", g.Name(), "signal", a.Signal, "error", err)
		}
	})
	return nil
}

// full tells a person that the conversation has reached its memory limit. Waiting
// does not help, so the message is not delivered again. full returns any other error
// unchanged.
func (d *Bridge) full(ctx context.Context, g Gateway, u Update, read cortex.Cursor, err error) error {
	var full *cortex.BusyError
	if !errors.As(err, &full) || full.What != "memory" || full.Of != "session" {
		return err
	}
	d.opt.Logger.Error("a conversation is full: end its session", "gateway", g.Name(), "session", sessionOf(g, u.Chat))
	if err := g.Say(ctx, u.Chat, full.Error()); err != nil {
		d.opt.Logger.Warn("could not tell that a conversation is full", "gateway", g.Name(), "chat", u.Chat, "error", err)
	}
	if read == (cortex.Cursor{}) {
		return nil
	}
	return d.opt.Engine.Hosts().Cursors().Advance(ctx, read)
}

func (d *Bridge) signal(g Gateway, u Update, who Account, sensor string) cortex.Signal {
	return cortex.Signal{
		Type: perceive.Event, Sensor: sensor, Source: g.Name(), Principal: who.Principal, Roles: who.Roles,
		Session: sessionOf(g, u.Chat), Key: "update " + u.ID, Text: u.Text,
	}
}

// sessionOf names the conversation of a chat, and chatOf reads it back.
func sessionOf(g Gateway, chat string) string { return g.Name() + "/" + chat }

func chatOf(g Gateway, session string) (chat string, ok bool) {
	return strings.CutPrefix(session, g.Name()+"/")
}

// aside names the session in which answers are recorded. It is not a conversation's,
// because they would have to wait there while a model thinks.
func aside(g Gateway) string { return g.Name() + " answers" }

// press handles an answer on a card. The answer counts before the update is
// recorded: an update that is delivered again finds the card decided.
func (d *Bridge) press(ctx context.Context, g Gateway, u Update, who Account, read cortex.Cursor) error {
	p, err := d.opt.Engine.Approvals().Pressed(ctx, g.Name(), u.Chat, u.Press.Message, u.Press.Nonce)
	if errors.Is(err, cortex.ErrUnknownCard) {
		return d.answered(ctx, g, u, who, err.Error(), read)
	}
	if err != nil {
		return err
	}
	text, err := d.decide(ctx, g, who, perceive.Answer{Token: p.Token, Approve: u.Press.Approve, Reason: u.Press.Reason})
	if err != nil {
		return err
	}
	return d.answered(ctx, g, u, who, text, read)
}

// typed handles a typed answer, /approve TOKEN. No model sees it.
func (d *Bridge) typed(ctx context.Context, g Gateway, u Update, who Account, a perceive.Answer,
	read cortex.Cursor) error {
	if a.Token == "" {
		return d.answered(ctx, g, u, who, "which approval? write "+perceive.Answers, read)
	}
	text, err := d.decide(ctx, g, who, a)
	if err != nil {
		return err
	}
	return d.answered(ctx, g, u, who, text, read)
}

// decide records a person's answer and returns a text about the outcome. An error
// means that the record could not be reached; the update must be delivered again.
func (d *Bridge) decide(ctx context.Context, g Gateway, who Account, a perceive.Answer) (string, error) {
	approver := cortex.Approver{Name: who.Principal, Classes: who.Classes, Via: g.Name()}
	var err error
	switch {
	case a.Approve:
		err = d.opt.Engine.Approve(ctx, a.Token, approver)
	case a.Answers:
		_, err = d.opt.Engine.Approvals().Answer(ctx, a.Token, approver, a.Reason)
	default:
		err = d.opt.Engine.Deny(ctx, a.Token, approver, a.Reason)
	}
	switch {
	case err == nil:
		return a.Done(), nil
	case errors.As(err, new(*cortex.StateError)),
		errors.As(err, new(*cortex.AnswerError)),
		errors.Is(err, cortex.ErrUnknownToken),
		errors.Is(err, cortex.ErrNotApprover):
		return err.Error(), nil
	}
	return "", err
}

// answered records the update of an answer and tells the person. If telling fails,
// the answer still counts.
func (d *Bridge) answered(ctx context.Context, g Gateway, u Update, who Account, text string,
	read cortex.Cursor) error {
	sig := d.signal(g, u, who, perceive.ApprovalAnswer)
	sig.Session = aside(g)
	a, err := d.opt.Engine.Hosts().Cursors().Accept(ctx, sig, read)
	if err != nil {
		return err
	}
	if _, err := a.Answer(ctx); err != nil {
		return err
	}
	if u.Press != nil {
		err = g.Acknowledge(ctx, u, text)
	} else {
		err = g.Say(ctx, u.Chat, text)
	}
	if err != nil {
		d.opt.Logger.Warn("could not report the result of an answer", "gateway", g.Name(), "chat", u.Chat, "error", err)
	}
	return nil
}
