package cortex

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// maxCards is how many cards in a row one session gets for one action before
// the ask becomes a refusal.
const maxCards = 3

// openCard makes the card for a decision that asks, or finds the one that is
// open already for the same action, requester, session, policy and asks.
func (l *mainLedger) openCard(tx *journal.Tx, d *reason.Decision, seq uint64, q question) (string, error) {
	fresh := l.card(d, seq, q)
	old, err := tx.Get(key(tableGrant, fresh.Session, fresh.Requester, d.Action.Digest()))
	if err != nil {
		return "", err
	}
	if old != nil {
		prior, err := loadApproval(tx, string(old))
		if err != nil {
			return "", err
		}
		switch {
		case l.expired(prior):
			err = move(tx, prior, Expired)
		case !l.inTime(prior): // its yes, if it had one, is of an unknown age
			fresh.take(prior.waiters())
			err = move(tx, prior, Superseded)
		case sameCard(prior, fresh):
			return prior.Token, join(tx, prior, fresh)
		default:
			inherit(fresh, prior)
			fresh.take(prior.waiters())
			err = move(tx, prior, Superseded)
		}
		if err != nil {
			return "", err
		}
	}
	if old == nil {
		if err := l.roomForCard(tx, fresh.Session, fresh.Requester); err != nil {
			return "", err
		}
	}
	count := key(tableCards, fresh.Session, fresh.Requester, d.Action.Digest())
	before, err := tx.Get(count)
	if err != nil {
		return "", err
	}
	fresh.Cards = int(asNumber(before)) + 1
	tx.Set(count, number(uint64(fresh.Cards)))
	if fresh.Bound, err = fresh.bind(); err != nil {
		return "", err
	}
	return fresh.Token, saveApproval(tx, fresh)
}

// card is a new approval for a decision that asks.
func (l *mainLedger) card(d *reason.Decision, seq uint64, q question) *Approval {
	now, b := l.now(), l.clock.birth()
	a := &Approval{
		Boot: b.boot, Up: int64(b.up), Era: b.era,
		Token: newToken(), State: Pending, Action: d.Action, Policy: d.Policy, Session: q.facts.Session.ID,
		Requester: q.requester,
		// anyone who compensates asks again
		Decision: seq, Root: q.root, Depth: q.depth, Resume: q.resume && q.compensates == 0,
		Created: now.Unix(), Expires: now.Add(l.opt.TTL).Unix(), Nonce: rand.Text(),
	}
	a.take(q.joined)
	for _, ask := range d.Asks {
		s := ApprovalSlot{Class: ask.Slot.Class, Quorum: ask.Slot.Quorum, Key: ask.Slot.Key, Reason: ask.Reason}
		if ask.Slot.NotUser {
			s.Bars = q.facts.Session.Principal
		}
		a.Slots = append(a.Slots, s)
	}
	return a
}

// exhausted reports whether people have been asked about this action as often as
// they are asked in a row, and no card is open that they could still answer. An
// action that was approved and used starts anew. A card that the question replaces
// is as good as gone.
func (l *mainLedger) exhausted(action sexpr.Digest, q question) (bool, error) {
	session, requester := q.facts.Session.ID, q.requester
	n, err := l.j.Get(key(tableCards, session, requester, action))
	if err != nil || asNumber(n) < maxCards {
		return false, err
	}
	open, err := l.j.Get(key(tableGrant, session, requester, action))
	if err != nil || open == nil || q.instead != nil && string(open) == q.instead.token {
		return true, err
	}
	a, err := loadApproval(l.j, string(open))
	return err == nil && (a.State != Pending || !l.inTime(a)), err
}

// Pending returns the approvals that wait for people, oldest first. An error,
// which comes last, means that there may be more.
func (l *mainLedger) Pending(ctx context.Context) iter.Seq2[*Approval, error] {
	return func(yield func(*Approval, error) bool) {
		list, err := l.openApprovals(ctx)
		for _, a := range list {
			if a.State == Pending && !l.expired(a) && !yield(a, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// openApprovals returns the approvals that are pending or not yet used, oldest
// first, by way of the index of open ones. Some may be past their time.
func (l *mainLedger) openApprovals(ctx context.Context) ([]*Approval, error) {
	var out []*Approval
	err := scan(l.j, []byte{tableGrant}, func(_, token []byte) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		a, err := loadApproval(l.j, string(token))
		if err == nil {
			out = append(out, a)
		}
		return err
	})
	slices.SortFunc(out, func(a, b *Approval) int { return cmp.Compare(a.Decision, b.Decision) })
	return out, err
}

// Approvals returns every approval on record, oldest first.
func (l *mainLedger) Approvals(ctx context.Context) ([]*Approval, error) {
	return l.approvals(ctx, func(*Approval) bool { return true })
}

func (l *mainLedger) approvals(ctx context.Context, keep func(*Approval) bool) ([]*Approval, error) {
	var out []*Approval
	err := scan(l.j, []byte{tableApproval}, func(_, raw []byte) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		v, err := unlimited.Read("approval", string(raw))
		if err != nil {
			return err
		}
		a, err := approvalFrom(v)
		if err == nil && keep(a) {
			out = append(out, a)
		}
		return err
	})
	slices.SortFunc(out, func(a, b *Approval) int { return cmp.Compare(a.Decision, b.Decision) })
	return out, err
}

// Approval returns one approval as it stands.
func (l *mainLedger) Approval(_ context.Context, token string) (*Approval, error) {
	return loadApproval(l.j, token)
}

// fill puts who into every open slot that takes them.
func (l *mainLedger) fill(a *Approval, who Approver) error {
	if !l.inTime(a) {
		return fmt.Errorf("approval %s: %w", a.Token, ErrClock)
	}
	if err := l.mayAnswer(a, who); err != nil {
		return err
	}
	placed := false
	for i := range a.Slots {
		s := &a.Slots[i]
		if s.Filled() || slices.Contains(s.By, who.Name) || !l.MayFill(who, s) {
			continue
		}
		s.By = append(slices.Clone(s.By), who.Name)
		placed = true
	}
	if !placed {
		return fmt.Errorf("approval %s: %w: %s has already answered or is in none of the classes it waits for", a.Token,
			ErrNotApprover, who.Name)
	}
	return nil
}

// mayAnswer keeps the requester, and anyone who is in no class of the card, out.
func (l *mainLedger) mayAnswer(a *Approval, who Approver) error {
	if who.Name == "" {
		return fmt.Errorf("approval %s: %w: an approver has a name", a.Token, ErrNotApprover)
	}
	if who.Name == a.Requester {
		return fmt.Errorf("approval %s: %w: the requester cannot answer for itself", a.Token, ErrNotApprover)
	}
	if !slices.ContainsFunc(a.Slots, func(s ApprovalSlot) bool { return l.MayFill(who, &s) }) {
		return fmt.Errorf("approval %s: %w: %s is in none of its classes, or set the task", a.Token, ErrNotApprover, who.Name)
	}
	return nil
}

// MayFill reports whether a person is one of those whom a slot waits for. Whether
// it still waits, and for whom else, is another question.
func (l *mainLedger) MayFill(who Approver, s *ApprovalSlot) bool {
	if s.Bars != "" && s.Bars == who.Name {
		return false
	}
	return l.belongs(who, s.Class) || slices.ContainsFunc(s.Also, func(class string) bool { return l.belongs(who, class) })
}

func (l *mainLedger) belongs(who Approver, class string) bool {
	return slices.Contains(who.Classes, class) || slices.Contains(l.opt.Classes[class], who.Name)
}

// asked is the question behind a recorded decision, to be decided again now.
func (l *mainLedger) asked(decision uint64) (question, error) {
	rec, err := l.j.Read(decision)
	if err != nil {
		return question{}, err
	}
	q, _, _, err := questionFrom(rec.Body)
	return q.again(), err
}

// Withdraw takes an approval back, before it is used, on behalf of the
// requester.
func (l *mainLedger) Withdraw(ctx context.Context, token, requester string) error {
	_, err := l.answer(ctx, token, func(tx *journal.Tx, a *Approval) error {
		if requester != a.Requester {
			return fmt.Errorf("approval %s: only its requester can withdraw it", token)
		}
		a.By = requester
		return move(tx, a, Withdrawn)
	})
	return err
}

// answer applies f to an approval inside the single writer. One that is past
// its time is marked expired instead.
func (l *mainLedger) answer(ctx context.Context, token string, f func(*journal.Tx, *Approval) error) (*Approval, error) {
	var a *Approval
	var late bool
	if err := l.clock.set(ctx); err != nil {
		return nil, err
	}
	err := l.j.Finish(ctx, func(tx *journal.Tx) (err error) {
		if a, err = loadApproval(tx, token); err != nil {
			return err
		}
		if late = l.expired(a); late {
			return move(tx, a, Expired)
		}
		return f(tx, a)
	})
	if err == nil && late {
		err = &StateError{token, Expired}
	}
	return a, err
}

// expired reports whether an open approval is past its time.
func (l *mainLedger) expired(a *Approval) bool {
	return (a.State == Pending || a.State == Approved) && l.over(a)
}

// grants returns the unconsumed grants of a session and requester under the
// current policy.
func (l *mainLedger) grants(r reader, session, requester string, policy sexpr.Digest) ([]reason.Grant, error) {
	var out []reason.Grant
	err := scan(r, key(tableGrant, session, requester), func(_, token []byte) error {
		a, err := loadApproval(r, string(token))
		if err != nil {
			return err
		}
		if a.State == Approved && a.Policy == policy && l.inTime(a) {
			out = append(out, a.grant())
		}
		return nil
	})
	return out, err
}

// Pair makes the operator's pairing secret, once, and returns it. The record
// keeps only its hash. A second call fails: the one who lost the secret replaces it
// with force, which is recorded.
func (l *mainLedger) Pair(ctx context.Context, force bool) (secret string, err error) {
	secret = rand.Text()
	sum := sha256.Sum256([]byte(secret))
	err = l.j.Update(ctx, func(tx *journal.Tx) error {
		old, err := tx.Get(key(tableSetting, "operator"))
		if err != nil {
			return err
		}
		if old != nil && !force {
			return fmt.Errorf("the operator is paired already; a new secret makes the old one worthless, so ask for that " +
				"explicitly")
		}
		if _, err := tx.Append(kindPairing, "", sexpr.Plist("secret", sexpr.Str(hex.EncodeToString(sum[:])))); err != nil {
			return err
		}
		tx.Set(key(tableSetting, "operator"), sum[:])
		return nil
	})
	return secret, err
}

// Operator returns the approver that presents the pairing secret. Comparison
// takes constant time.
func (l *mainLedger) Operator(secret, via string) (Approver, error) {
	want, err := l.j.Get(key(tableSetting, "operator"))
	if err != nil {
		return Approver{}, err
	}
	sum := sha256.Sum256([]byte(secret))
	if len(want) != len(sum) || subtle.ConstantTimeCompare(want, sum[:]) != 1 {
		return Approver{}, fmt.Errorf("%w: wrong pairing secret", ErrNotApprover)
	}
	return Approver{Name: "operator", Classes: []string{"operator"}, Via: via}, nil
}
