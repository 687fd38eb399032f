package gateways

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/gateways/card"
)

// maxText bounds an outbound reply, in bytes; messengers reject longer ones.
const maxText = 3500

// send follows the journal and sends one gateway's outbound messages: answers to
// its chats, cards for approvers, outcomes of cards, and suspended accounts. It
// continues where it stopped; a message sent in the instant of a crash may be sent
// again.
func (d *Bridge) send(ctx context.Context, g Gateway) error {
	name := sentCursor(g)
	at, err := d.opt.Engine.Hosts().Cursors().Of(name)
	if err != nil {
		return err
	}
	d.note(g, sending, nil)
	for rec, err := range d.opt.Engine.Journal().Subscribe(ctx, uint64(at)+1) {
		if err != nil {
			return err
		}
		if rec.Kind != record.KindAnswer && rec.Kind != record.KindApproval && !suspends(rec) {
			continue
		}
		if err := d.persist(ctx, g, rec); err != nil {
			return err
		}
		if err := d.opt.Engine.Hosts().Cursors().Advance(ctx, cortex.Cursor{Source: name, At: int64(rec.Seq)}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func sentCursor(g Gateway) string { return g.Name() + " sent" }

// begin starts the cursor of a gateway that is new on this record, at the record's
// end: older records are not sent.
func (d *Bridge) begin(ctx context.Context, g Gateway) error {
	at, err := d.opt.Engine.Hosts().Cursors().Of(sentCursor(g))
	if err != nil || at > 0 {
		return err
	}
	return d.opt.Engine.Hosts().Cursors().Advance(ctx,
		cortex.Cursor{Source: sentCursor(g), At: int64(d.opt.Engine.Journal().Last())})
}

// persist sends a record's messages, and retries until they are sent or dropped.
func (d *Bridge) persist(ctx context.Context, g Gateway, rec cortex.Record) error {
	for wait := d.opt.Backoff; ; wait = min(2*wait, time.Minute) {
		err := d.bring(ctx, g, rec)
		var permanent *Permanent
		var retry *RetryAfter
		switch {
		case err == nil:
			d.note(g, sending, nil)
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &permanent):
			d.opt.Logger.Error("given up: the message cannot be sent", "gateway", g.Name(), "record", rec.Seq, "error", err)
			return nil
		case errors.As(err, &retry):
			wait = max(wait, min(retry.Wait, 10*time.Minute))
		}
		d.opt.Logger.Warn("the message could not be sent and is tried again", "gateway", g.Name(), "record", rec.Seq,
			"wait", wait, "error", err)
		d.note(g, sending, err)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// bring sends the messages that one record causes on a gateway, if any.
func (d *Bridge) bring(ctx context.Context, g Gateway, rec cortex.Record) error {
	switch {
	case rec.Kind == record.KindAnswer:
		return d.reply(ctx, g, rec)
	case suspends(rec):
		return d.warn(ctx, g, rec)
	}
	a, err := d.opt.Engine.Approvals().Get(ctx, rec.Body.GetText("token"))
	if errors.Is(err, cortex.ErrUnknownToken) {
		return nil // retention has removed it while the service could not be reached
	}
	if err != nil {
		return err
	}
	if a.State == cortex.Consumed {
		if rec.Body.GetText("state") == string(cortex.Consumed) {
			return nil // it was closed when it was approved
		}
		a.State = cortex.Approved // as in this record; its later use is not reported
	}
	code, err := d.opt.Engine.Approvals().Code(a)
	if err != nil {
		return err
	}
	c := card.New(a, code, d.opt.Card)
	if a.State == cortex.Pending {
		return d.show(ctx, g, a, c)
	}
	return d.close(ctx, g, a, c)
}

// reply sends an answer to its session's chat.
func (d *Bridge) reply(ctx context.Context, g Gateway, rec cortex.Record) error {
	chat, ok := chatOf(g, rec.Session)
	if !ok || !slices.ContainsFunc(d.opt.Accounts, func(a Account) bool {
		return a.Gateway == g.Name() && a.Chat == chat
	}) {
		return nil // another gateway's, or of a chat removed from the list
	}
	a := record.AnswerFrom(rec.Body)
	parts := []string{a.Text, a.Notice}
	if a.Error != "" {
		parts = append(parts, "something went wrong and your message could not be answered")
	}
	text := strings.TrimSpace(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n"))
	if text == "" {
		return nil
	}
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "\n[cut]"
	}
	return g.Say(ctx, chat, text)
}

// show sends a card once to every chat of its approvers.
func (d *Bridge) show(ctx context.Context, g Gateway, a *cortex.Approval, c card.Card) error {
	posted, err := d.opt.Engine.Approvals().Postings(a.Token)
	if err != nil {
		return err
	}
	for _, chat := range d.approvers(g, a) {
		if slices.ContainsFunc(posted, func(p cortex.Posting) bool {
			return p.Gateway == g.Name() && p.Chat == chat && p.Message != ""
		}) {
			continue
		}
		p, err := d.posting(ctx, g, a, chat)
		if err != nil {
			return err
		}
		message, err := g.Show(ctx, chat, c, p.Nonce)
		if d.shown(p, err); err != nil {
			var permanent *Permanent
			if errors.As(err, &permanent) { // skip this chat, not the others
				d.opt.Logger.Error("a card cannot be shown", "gateway", g.Name(), "chat", chat, "token", a.Token, "error", err)
				continue
			}
			return err
		}
		p.Message = message
		if err := d.opt.Engine.Approvals().Post(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// posting is a card's posting in a chat. Its nonce is recorded before the card can
// be pressed. A posting that the service throttled is reused, so that retries do not
// grow the record. After any other failure the card may have been shown, and its
// buttons must work, so its posting is not reused.
func (d *Bridge) posting(ctx context.Context, g Gateway, a *cortex.Approval, chat string) (cortex.Posting, error) {
	d.mu.Lock()
	p, ok := d.refused[[3]string{a.Token, g.Name(), chat}]
	d.mu.Unlock()
	if ok {
		return p, nil
	}
	p = cortex.Posting{Token: a.Token, Gateway: g.Name(), Chat: chat, Nonce: rand.Text()}
	return p, d.opt.Engine.Approvals().Post(ctx, p)
}

// shown remembers a posting while the service throttles it.
func (d *Bridge) shown(p cortex.Posting, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := [3]string{p.Token, p.Gateway, p.Chat}
	var retry *RetryAfter
	if delete(d.refused, at); errors.As(err, &retry) {
		d.refused[at] = p
	}
}

// approvers are the chats of a gateway in which a person may fill an open slot.
func (d *Bridge) approvers(g Gateway, a *cortex.Approval) (chats []string) {
	for _, x := range d.opt.Accounts {
		may := slices.ContainsFunc(a.Slots, func(s cortex.ApprovalSlot) bool {
			return !s.Filled() &&
				d.opt.Engine.Approvals().MayFill(cortex.Approver{Name: x.Principal, Classes: x.Classes, Via: g.Name()}, &s)
		})
		if x.Gateway == g.Name() && may && x.Principal != a.Requester && !slices.Contains(chats, x.Chat) {
			chats = append(chats, x.Chat)
		}
	}
	return chats
}

// close ends a card wherever this gateway has shown it.
func (d *Bridge) close(ctx context.Context, g Gateway, a *cortex.Approval, c card.Card) error {
	posted, err := d.opt.Engine.Approvals().Postings(a.Token)
	if err != nil {
		return err
	}
	for _, p := range posted {
		if p.Gateway != g.Name() || p.Message == "" {
			continue
		}
		err := g.Close(ctx, p.Chat, p.Message, c, card.Outcome(a))
		var permanent *Permanent
		if errors.As(err, &permanent) {
			d.opt.Logger.Warn("a card cannot be closed", "gateway", g.Name(), "chat", p.Chat, "token", a.Token, "error", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}
