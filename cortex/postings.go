package cortex

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// ErrUnknownCard says that no posting answers to what was pressed.
var ErrUnknownCard = errors.New("this is no card of ours, or one that is out of date")

// Post records that a card is about to be shown, and again, with its Message,
// that it was. The nonce names the posting.
func (l *mainLedger) Post(ctx context.Context, p Posting) error {
	if err := named("token, gateway, chat, message or nonce", p.Token, p.Gateway, p.Chat, p.Message, p.Nonce); err != nil {
		return err
	}
	if p.Token == "" || p.Gateway == "" || len(p.Nonce) < 16 {
		return fmt.Errorf("posting of %q: it has a gateway, a token and a nonce of at least 16 characters", p.Token)
	}
	return l.j.Update(ctx, func(tx *journal.Tx) error {
		if _, err := loadApproval(tx, p.Token); err != nil {
			return err
		}
		old, ok, err := getPlist(tx, key(tablePosting, p.Nonce))
		if err != nil {
			return err
		}
		if was := postingFrom(old); ok && (was.Token != p.Token || was.Gateway != p.Gateway || was.Chat != p.Chat ||
			was.Message != "" && was.Message != p.Message) {
			return fmt.Errorf("posting of %q: the nonce belongs to another one", p.Token)
		}
		if _, err := tx.Append(kindPosting, "", p.value()); err != nil {
			return err
		}
		tx.Set(key(tablePosted, p.Token, p.Nonce), []byte{1})
		if p.Message != "" {
			tx.Set(key(tableMessage, p.Gateway, p.Chat, p.Message), []byte(p.Nonce))
		}
		return setPlist(tx, key(tablePosting, p.Nonce), p.value())
	})
}

// Postings returns where the card of an approval was shown.
func (l *mainLedger) Postings(token string) ([]Posting, error) {
	var out []Posting
	prefix := key(tablePosted, token)
	err := scan(l.j, prefix, func(k, _ []byte) error {
		nonce := string(k[len(prefix) : len(k)-1])
		v, _, err := getPlist(l.j, key(tablePosting, nonce))
		out = append(out, postingFrom(v))
		return err
	})
	return out, err
}

// Pressed returns the posting that a button belongs to. Gateway, chat, message
// and nonce must all be those of one posting; where a gateway has no buttons,
// nonce is "" and the message alone tells. A card that was sent in the instant
// of a crash has no message on record yet: the first press of its nonce, in its
// chat, supplies it.
func (l *mainLedger) Pressed(ctx context.Context, gateway, chat, message, nonce string) (Posting, error) {
	raw, err := l.j.Get(key(tableMessage, gateway, chat, message))
	if err != nil {
		return Posting{}, err
	}
	if raw == nil && nonce != "" {
		return l.adopt(ctx, gateway, chat, message, nonce)
	}
	if raw == nil || message == "" || nonce != "" && nonce != string(raw) {
		return Posting{}, ErrUnknownCard
	}
	v, ok, err := getPlist(l.j, key(tablePosting, string(raw)))
	if err == nil && !ok {
		err = ErrUnknownCard
	}
	return postingFrom(v), err
}

// adopt supplies the message of a posting that has none on record.
func (l *mainLedger) adopt(ctx context.Context, gateway, chat, message, nonce string) (Posting, error) {
	v, ok, err := getPlist(l.j, key(tablePosting, nonce))
	if err != nil {
		return Posting{}, err
	}
	p := postingFrom(v)
	if !ok || message == "" || p.Gateway != gateway || p.Chat != chat || p.Message != "" && p.Message != message {
		return Posting{}, ErrUnknownCard
	}
	if p.Message == message { // it came on record since it was looked for
		return p, nil
	}
	p.Message = message
	return p, l.Post(ctx, p)
}
