package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// ErrUnknownCard says that no posting matches the button.
var ErrUnknownCard = errors.New("unknown or outdated card")

// Post records that a card is about to be shown. Call it again with the posting's Message
// once the card was shown. The nonce identifies the posting.
func (l *Ledger) Post(ctx context.Context, p approval.Posting) error {
	if err := record.Named("token, gateway, chat, message or nonce", p.Token, p.Gateway, p.Chat, p.Message,
		p.Nonce); err != nil {
		return err
	}
	if p.Token == "" || p.Gateway == "" || len(p.Nonce) < 16 {
		return fmt.Errorf("posting of %q: it has a gateway, a token and a nonce of at least 16 characters", p.Token)
	}
	return l.J.Update(ctx, func(tx *journal.Tx) error {
		if _, err := approval.Load(tx, p.Token); err != nil {
			return err
		}
		old, ok, err := record.GetPlist(tx, record.TablePosting.Key(p.Nonce))
		if err != nil {
			return err
		}
		if was := approval.PostingFrom(old); ok && (was.Token != p.Token || was.Gateway != p.Gateway || was.Chat != p.Chat ||
			was.Message != "" && was.Message != p.Message) {
			return fmt.Errorf("posting of %q: the nonce belongs to another one", p.Token)
		}
		if _, err := record.Append(tx, "", p); err != nil {
			return err
		}
		tx.Set(record.TablePosted.Key(p.Token, p.Nonce), []byte{1})
		if p.Message != "" {
			tx.Set(record.TableMessage.Key(p.Gateway, p.Chat, p.Message), []byte(p.Nonce))
		}
		return record.SetPlist(tx, record.TablePosting.Key(p.Nonce), p.Value())
	})
}

// Postings returns where the card of an approval was shown.
func (l *Ledger) Postings(token string) ([]approval.Posting, error) {
	var out []approval.Posting
	err := record.TablePosted.Scan(l.J, token, func(nonce string, _ []byte) error {
		v, _, err := record.GetPlist(l.J, record.TablePosting.Key(nonce))
		out = append(out, approval.PostingFrom(v))
		return err
	})
	return out, err
}

// Pressed returns the posting that a button belongs to. Gateway, chat, message and nonce
// must all match one posting. A gateway without buttons passes "" as nonce; then the
// message alone identifies the posting. A card that was sent just before a crash has no
// message on record yet: the first press of its nonce, in its chat, supplies it.
func (l *Ledger) Pressed(ctx context.Context, gateway, chat, message, nonce string) (approval.Posting, error) {
	raw, err := l.J.Get(record.TableMessage.Key(gateway, chat, message))
	if err != nil {
		return approval.Posting{}, err
	}
	if raw == nil && nonce != "" {
		return l.Adopt(ctx, gateway, chat, message, nonce)
	}
	if raw == nil || message == "" || nonce != "" && nonce != string(raw) {
		return approval.Posting{}, ErrUnknownCard
	}
	v, ok, err := record.GetPlist(l.J, record.TablePosting.Key(string(raw)))
	if err == nil && !ok {
		err = ErrUnknownCard
	}
	return approval.PostingFrom(v), err
}

// Adopt supplies the message of a posting that has none on record.
func (l *Ledger) Adopt(ctx context.Context, gateway, chat, message, nonce string) (approval.Posting, error) {
	v, ok, err := record.GetPlist(l.J, record.TablePosting.Key(nonce))
	if err != nil {
		return approval.Posting{}, err
	}
	p := approval.PostingFrom(v)
	if !ok || message == "" || p.Gateway != gateway || p.Chat != chat || p.Message != "" && p.Message != message {
		return approval.Posting{}, ErrUnknownCard
	}
	if p.Message == message { // it came on record since it was looked for
		return p, nil
	}
	p.Message = message
	return p, l.Post(ctx, p)
}
