package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/history"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Approvals shows what the engine asks people, and takes care of cards and their postings.
type Approvals struct{ e *Engine }

// Approvals returns the engine's approvals.
func (e *Engine) Approvals() Approvals { return Approvals{e} }

// All returns every approval on record, oldest first.
func (a Approvals) All(ctx context.Context) ([]*approval.Approval, error) {
	return a.e.ledger.Select(ctx, a.e.j.View(), func(*approval.Approval) bool { return true })
}

// Get returns one approval in its present state. Like all that shows cards it has marks in
// place of secret arguments: see [skills.Action.Withheld].
func (a Approvals) Get(_ context.Context, token string) (*approval.Approval, error) {
	return approval.Load(a.e.j.View(), token)
}

// Wait returns an approval when it is no longer pending. When ctx ends first, the card
// stays open, and the error is the cause.
func (a Approvals) Wait(ctx context.Context, token string) (*approval.Approval, error) {
	records := a.e.follow(ctx) // from here on, so that no answer is missed
	now := func() (*approval.Approval, bool, error) {
		x, err := a.Get(ctx, token)
		return x, err != nil || x.State != approval.Pending, err
	}
	if x, over, err := now(); over {
		return x, err
	}
	for rec, err := range records {
		if err != nil {
			return nil, err
		}
		if rec.Kind != record.KindApproval {
			continue
		}
		if x, over, err := now(); over {
			return x, err
		}
	}
	return nil, context.Cause(ctx)
}

// Code returns the twelve digits that every card of an approval shows. The engine makes
// them from the token and the second digest, with a key of this record. Two people who
// read the same digits to each other look at the same bytes. Without the key, a card with
// these digits cannot be made.
func (a Approvals) Code(card *approval.Approval) (string, error) {
	return a.e.ledger.Code(card)
}

// MayFill reports whether a person may fill a slot. It does not say whether the slot is
// still open.
func (a Approvals) MayFill(who approval.Approver, s *approval.Slot) bool {
	return a.e.ledger.MayFill(who, s)
}

// Pair makes the operator's pairing secret and returns it. The record keeps only its hash.
// A second call fails, unless force is set: then the new secret replaces the old one. The
// engine records each new secret.
func (a Approvals) Pair(ctx context.Context, force bool) (secret string, err error) {
	return a.e.ledger.Pair(ctx, force)
}

// Operator returns the approver that presents the pairing secret. It compares in constant
// time.
func (a Approvals) Operator(secret, via string) (approval.Approver, error) {
	return a.e.ledger.Operator(secret, via)
}

// Post records that a card is about to be shown. Call it again with the posting's Message
// once the card was shown. The nonce identifies the posting.
func (a Approvals) Post(ctx context.Context, p approval.Posting) error {
	return a.e.ledger.Post(ctx, p)
}

// Postings returns where the card of an approval was shown.
func (a Approvals) Postings(token string) ([]approval.Posting, error) {
	return a.e.ledger.Postings(token)
}

// Pressed returns the posting that a button belongs to. Gateway, chat, message and nonce
// must all match one posting. A gateway without buttons passes "" as nonce; then the
// message alone identifies the posting. A card that was sent just before a crash has no
// message on record yet: the first press of its nonce, in its chat, supplies it.
func (a Approvals) Pressed(ctx context.Context, gateway, chat, message, nonce string) (approval.Posting, error) {
	return a.e.ledger.Pressed(ctx, gateway, chat, message, nonce)
}

// Successor adds to the error of an answer to a superseded approval which card has
// replaced it and still waits for an answer. It returns other errors unchanged.
func (a Approvals) Successor(ctx context.Context, err error) error {
	var over *approval.StateError
	if !errors.As(err, &over) || over.State != approval.Superseded {
		return err
	}
	old, lost := a.Get(ctx, over.Token)
	if lost != nil {
		return err
	}
	for next, lost := range a.e.ledger.Pending(ctx, a.e.j.View()) {
		if lost == nil && next.Decision > old.Decision && next.Session == old.Session && next.Requester == old.Requester &&
			next.Action.Digest() == old.Action.Digest() {
			return fmt.Errorf("%w; approval %s takes its place, and waits", err, next.Token)
		}
	}
	return err
}

// ApproveAndCover is [Engine.Approve], and covers more calls like the approved one: of the same
// tool, in the same session, by the same requester, with orders and values from the same
// sources. Rules read that as (covered?) where they would ask. It is no grant: each call has
// a decision and a permit of its own, and what rules deny stays denied. terms say for how many
// calls, 2 to 50 with the approved one among them, and for how long, at most 8 hours. Where an
// approval waits for several people, the last of them may cover.
func (a Approvals) ApproveAndCover(ctx context.Context, token string, who approval.Approver, terms CoverTerms) error {
	return a.e.sessions.Approve(ctx, token, who, &terms)
}

// Answer answers the question of a card of ask_person with a person's words, or with one of
// its choices. It puts the answer into the action and changes nothing else, has it judged
// again, and counts the person's yes, all in one write. Where others have to agree, they get
// a new card that shows the answer. A question that is to be confirmed is approved instead.
// The error is [approval.AnswerError] if the question takes no such answer; then nothing is
// recorded, a credential least of all, where the host has the function secrets.
func (a Approvals) Answer(ctx context.Context, token string, who approval.Approver, text string) (*Decision, error) {
	return a.e.sessions.Answer(ctx, token, who, text)
}

// Keep keeps a document of at most [logs.MaxBytes] on record, and returns its digest: what answers a
// question that asks for one. Only an operator may. A text in which the function secrets finds a
// credential is refused before anything is recorded.
func (a Approvals) Keep(ctx context.Context, who approval.Approver, media, data string) (sexpr.Digest, error) {
	if who.Name == "" || !a.e.ledger.Belongs(who, skills.DefaultClass) {
		return sexpr.Digest{}, fmt.Errorf("a document: %w: an operator hands it in", approval.ErrNotApprover)
	}
	if err := a.e.sessions.Policies.Credential(data); err != nil {
		return sexpr.Digest{}, fmt.Errorf("a document: %w", err)
	}
	return a.e.Hosts().Logs().Keep(ctx, media, data)
}

// Covers returns the covers of a session that still cover calls, oldest first.
func (a Approvals) Covers(_ context.Context, session string) ([]Cover, error) {
	return a.e.ledger.Covers(session)
}

// Uncover takes a cover of a session back. Only a person who could give one may do so: an
// operator. id is the record of the cover.
func (a Approvals) Uncover(ctx context.Context, session string, id uint64, who approval.Approver) error {
	if who.Name == "" || !a.e.ledger.Belongs(who, skills.DefaultClass) {
		return fmt.Errorf("cover %d: %w: a cover is taken back by an operator", id, approval.ErrNotApprover)
	}
	return ledger.Plain(a.e.ledger.Uncover(ctx, session, id, who))
}

// CoverTerms are how many calls a cover covers, and for how long.
type CoverTerms = ledger.CoverTerms

// Cover is a cover as it stands.
type Cover = history.Standing
