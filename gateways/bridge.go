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

// Options says how a bridge is to run. Engine is required.
type Options struct {
	Engine   *cortex.Engine
	Gateways []Gateway
	Accounts []Account
	Card     card.Options
	// Work is how many messages of people are answered at the same time; 0 means
	// 32. What comes then waits, and the service is not told that it was read.
	Work int
	// Backoff is the first wait after a message could not be sent; it doubles up
	// to a minute. 0 means one second.
	Backoff time.Duration
	// Patience is how long a gateway rests that reported what no retry mends, such
	// as a wrong token, before it is tried again; the others go on. With 0 such a
	// report ends [Bridge.Run].
	Patience time.Duration
	Logger   *slog.Logger // nil discards
}

// Bridge connects gateways with an engine.
type Bridge struct {
	opt   Options
	work  chan struct{} // holds a token for each message that is being answered
	until context.Context
	wg    sync.WaitGroup

	mu      sync.Mutex
	trouble map[string]error             // by gateway and direction, while it lasts
	refused map[[3]string]cortex.Posting // by token, gateway and chat, while it lasts

	strangers strangers
}

// New checks the options, as [Check] does.
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

// Check says what is wrong with an allow-list for these gateways: accounts must
// name one of them, and two never the same user and chat.
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

// Run serves all gateways until ctx ends, or until one of them reports what no
// retry mends; then all of them stop, and the error says which. It returns when
// nothing of the bridge runs any more.
func (d *Bridge) Run(ctx context.Context) error {
	for _, g := range d.opt.Gateways {
		if err := d.begin(ctx, g); err != nil && ctx.Err() == nil {
			return err
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// What is being answered when the bridge stops is taken up by the next engine.
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

// keep runs one direction of a gateway, again after a rest where the bridge has
// patience. Its error is what ends the bridge.
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

// note keeps what is wrong with one direction of a gateway; nil when it is well.
func (d *Bridge) note(g Gateway, what string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		delete(d.trouble, g.Name()+" "+what)
		return
	}
	d.trouble[g.Name()+" "+what] = err
}

// Trouble says what is wrong with gateways at the moment, by their names; one
// that is not in it is well, as far as is known.
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

// receive hands a gateway's updates to the engine.
func (d *Bridge) receive(ctx context.Context, g Gateway) error {
	from, err := d.opt.Engine.Cursors().Of(heardCursor(g))
	if err != nil {
		return err
	}
	return g.Receive(ctx, from, func(ctx context.Context, u Update) error {
		err := d.handle(ctx, g, u)
		d.note(g, receiving, err)
		return err
	})
}

// heardCursor names how far a gateway's updates were read.
func heardCursor(g Gateway) string {
	if n, ok := g.(Numbered); ok {
		return g.Name() + " " + n.Numbering()
	}
	return g.Name()
}

// handle makes one update durable. When it returns nil the update need never be
// delivered again.
func (d *Bridge) handle(ctx context.Context, g Gateway, u Update) error {
	read := cortex.Cursor{Source: heardCursor(g), At: u.At}
	// What no record can hold would be tried for ever, and all behind it would wait.
	u.Text = strings.ToValidUTF8(u.Text, "\ufffd")
	if u.Press != nil {
		press := *u.Press
		press.Reason = strings.ToValidUTF8(press.Reason, "\ufffd")
		u.Press = &press
	}
	who, ok := d.account(g, u)
	if !ok { // nothing is written: strangers cost neither disk nor, beyond a few lines, log
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
	if u.Text == "" { // a picture, a sticker, somebody joined: nothing to answer
		return nil
	}
	return d.say(ctx, g, u, who, read)
}

// account finds who sent an update. User and chat must both be on the list.
func (d *Bridge) account(g Gateway, u Update) (Account, bool) {
	i := slices.IndexFunc(d.opt.Accounts, func(a Account) bool {
		return a.Gateway == g.Name() && a.User == u.User && a.Chat == u.Chat
	})
	if i < 0 {
		return Account{}, false
	}
	return d.opt.Accounts[i], true
}

// say makes a signal of what somebody wrote. Its answer is sent when it is on
// record; see [Bridge.send].
func (d *Bridge) say(ctx context.Context, g Gateway, u Update, who Account, read cortex.Cursor) error {
	select {
	case d.work <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	a, err := d.opt.Engine.Cursors().Accept(ctx, d.signal(g, u, who, perceive.ChatMessage), read)
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

// full tells a person that a conversation takes all the memory that one may have.
// Waiting does not help, so the message is not brought again: those behind it have
// their turn. Whatever else it was is still an error.
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
	return d.opt.Engine.Cursors().Advance(ctx, read)
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

// aside names where answers are put on record: in no conversation, whose turn
// they would have to wait for while a model thinks.
func aside(g Gateway) string { return g.Name() + " answers" }

// press takes an answer on a card. The answer counts before the update is on
// record: delivered again, it finds the card decided.
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

// typed takes an answer that was written out, /approve TOKEN. No model sees it.
func (d *Bridge) typed(ctx context.Context, g Gateway, u Update, who Account, a perceive.Answer,
	read cortex.Cursor) error {
	if a.Token == "" {
		return d.answered(ctx, g, u, who, "which approval? write /approve TOKEN or /deny TOKEN why", read)
	}
	text, err := d.decide(ctx, g, who, a)
	if err != nil {
		return err
	}
	return d.answered(ctx, g, u, who, text, read)
}

// decide records a person's answer and says what came of it. An error means that
// the record could not be reached, and the update has to come again.
func (d *Bridge) decide(ctx context.Context, g Gateway, who Account, a perceive.Answer) (string, error) {
	approver := cortex.Approver{Name: who.Principal, Classes: who.Classes, Via: g.Name()}
	var err error
	if a.Approve {
		err = d.opt.Engine.Approve(ctx, a.Token, approver)
	} else {
		err = d.opt.Engine.Deny(ctx, a.Token, approver, a.Reason)
	}
	var state *cortex.StateError
	switch {
	case err == nil && a.Approve:
		return "approved " + a.Token, nil
	case err == nil:
		return "denied " + a.Token, nil
	case errors.As(err, &state), errors.Is(err, cortex.ErrUnknownToken), errors.Is(err, cortex.ErrNotApprover):
		return err.Error(), nil
	}
	return "", err
}

// answered records the update of an answer and tells the person. That it could
// not be told is no reason to take the answer again.
func (d *Bridge) answered(ctx context.Context, g Gateway, u Update, who Account, text string,
	read cortex.Cursor) error {
	sig := d.signal(g, u, who, perceive.ApprovalAnswer)
	sig.Session = aside(g)
	a, err := d.opt.Engine.Cursors().Accept(ctx, sig, read)
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
		d.opt.Logger.Warn("could not tell what came of an answer", "gateway", g.Name(), "chat", u.Chat, "error", err)
	}
	return nil
}
