package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/approval"
)

// Approvals is what people are asked, and how they answer.
type Approvals struct{ e *Engine }

// Approvals returns the engine's approvals.
func (e *Engine) Approvals() Approvals { return Approvals{e} }

// All returns every approval on record, oldest first.
func (a Approvals) All(ctx context.Context) ([]*approval.Approval, error) {
	return a.e.ledger.Approvals(ctx)
}

// Get returns one approval as it stands.
func (a Approvals) Get(ctx context.Context, token string) (*approval.Approval, error) {
	return a.e.ledger.Approval(ctx, token)
}

// Code returns the twelve digits that stand on every card for an approval,
// wherever it is shown. They are made with a key of this record from the token
// and the second digest: two people who read the same digits to each other look
// at the same bytes, and nobody else can make a card with these digits.
func (a Approvals) Code(card *approval.Approval) (string, error) {
	return a.e.ledger.Code(card)
}

// MayFill reports whether a person is one of those whom a slot waits for. Whether
// it still waits, and for whom else, is another question.
func (a Approvals) MayFill(who approval.Approver, s *approval.Slot) bool {
	return a.e.ledger.MayFill(who, s)
}

// Pair makes the operator's pairing secret, once, and returns it. The record
// keeps only its hash. A second call fails: the one who lost the secret replaces it
// with force, which is recorded.
func (a Approvals) Pair(ctx context.Context, force bool) (secret string, err error) {
	return a.e.ledger.Pair(ctx, force)
}

// Operator returns the approver that presents the pairing secret. Comparison
// takes constant time.
func (a Approvals) Operator(secret, via string) (approval.Approver, error) {
	return a.e.ledger.Operator(secret, via)
}

// Post records that a card is about to be shown, and again, with its Message,
// that it was. The nonce names the posting.
func (a Approvals) Post(ctx context.Context, p approval.Posting) error {
	return a.e.ledger.Post(ctx, p)
}

// Postings returns where the card of an approval was shown.
func (a Approvals) Postings(token string) ([]approval.Posting, error) {
	return a.e.ledger.Postings(token)
}

// Pressed returns the posting that a button belongs to. Gateway, chat, message
// and nonce must all be those of one posting; where a gateway has no buttons,
// nonce is "" and the message alone tells. A card that was sent in the instant
// of a crash has no message on record yet: the first press of its nonce, in its
// chat, supplies it.
func (a Approvals) Pressed(ctx context.Context, gateway, chat, message, nonce string) (approval.Posting, error) {
	return a.e.ledger.Pressed(ctx, gateway, chat, message, nonce)
}

// Successor adds to the error of an answer to a superseded approval which card
// takes its place and still waits; a person can answer that one. Other errors come
// back as they are.
func (a Approvals) Successor(ctx context.Context, err error) error {
	var over *approval.StateError
	if !errors.As(err, &over) || over.State != approval.Superseded {
		return err
	}
	old, lost := a.e.ledger.Approval(ctx, over.Token)
	if lost != nil {
		return err
	}
	for next, lost := range a.e.ledger.Pending(ctx) {
		if lost == nil && next.Decision > old.Decision && next.Session == old.Session && next.Requester == old.Requester &&
			next.Action.Digest() == old.Action.Digest() {
			return fmt.Errorf("%w; approval %s takes its place, and waits", err, next.Token)
		}
	}
	return err
}
