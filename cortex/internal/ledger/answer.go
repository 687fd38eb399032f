package ledger

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

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/clock"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// MaxCards is how many cards in a row one session gets for one action before
// the ask becomes a refusal.
const MaxCards = 3

// openCard makes the card for a decision that asks, or joins the open one for the same
// action, requester, session, policy and asks.
func (l *Ledger) openCard(tx *journal.Tx, d *record.Decision, seq uint64, q Question) (string, error) {
	fresh := l.card(d, seq, q)
	old, err := tx.Get(record.TableGrant.Key(fresh.Session, fresh.Requester, d.Action.Digest()))
	if err != nil {
		return "", err
	}
	if old != nil {
		prior, err := approval.Load(tx, string(old))
		if err != nil {
			return "", err
		}
		switch {
		case l.Expired(prior):
			err = approval.Move(tx, prior, approval.Expired)
		case !l.InTime(prior): // its yes, if it had one, is of an unknown age
			fresh.Take(prior.Waiters())
			err = approval.Move(tx, prior, approval.Superseded)
		case promised(prior, fresh.Owner()):
			err = ErrStale // it was approved this moment: see unasked
		case fresh.Run && !prior.Run, // it is decided again when that is answered
			approval.SameCard(prior, fresh) && prior.Owner() == fresh.Owner():
			return prior.Token, approval.Join(tx, prior, fresh)
		default:
			approval.Inherit(fresh, prior)
			fresh.Take(prior.Waiters())
			err = approval.Move(tx, prior, approval.Superseded)
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
	count := record.TableCards.Key(fresh.Session, fresh.Requester, d.Action.Digest())
	before, err := tx.Get(count)
	if err != nil {
		return "", err
	}
	fresh.Cards = int(record.AsNumber(before)) + 1
	tx.Set(count, record.Number(uint64(fresh.Cards)))
	if fresh.Bound, err = fresh.Bind(); err != nil {
		return "", err
	}
	return fresh.Token, approval.Save(tx, fresh)
}

// card returns a new approval for a decision that asks.
func (l *Ledger) card(d *record.Decision, seq uint64, q Question) *approval.Approval {
	now, b := l.Now(), l.Clock.Birth()
	a := &approval.Approval{
		Boot: b.Boot, Up: int64(b.Up), Era: b.Era,
		Token: approval.NewToken(), State: approval.Pending, Action: d.Action, Policy: d.Policy, Session: q.Facts.Session.ID,
		Requester: q.Requester,
		Decision:  seq,
		Created:   now.Unix(), Expires: now.Add(l.Opt.TTL).Unix(), Nonce: rand.Text(),
	}
	switch c := q.Cause.(type) {
	case Called, Compensating:
	case Answering:
		a.Root, a.Depth, a.Resume = c.Root, c.Depth, true
	case Stepping:
		a.Root, a.Run, a.Resume = c.Step.Root, true, true
	}
	if in := q.replaces(); in != nil {
		a.Take(in.joined)
	}
	a.Plan = d.Plan
	for _, ask := range d.Asks {
		s := approval.Slot{Class: ask.Slot.Class, Quorum: ask.Slot.Quorum, Key: ask.Slot.Key, Reason: ask.Reason,
			Sources: ask.Sources, Of: ask.Of}
		if ask.Slot.NotUser {
			s.Bars = q.Facts.Session.Principal
		}
		a.Slots = append(a.Slots, s)
	}
	return a
}

// exhausted reports whether people have been asked about this action as often as
// they are asked in a row, and no card is open that they could still answer. An
// action that was approved and used starts anew. A card that the question replaces
// is as good as gone.
func (l *Ledger) exhausted(action sexpr.Digest, q Question) (bool, error) {
	session, requester := q.Facts.Session.ID, q.Requester
	n, err := l.J.Get(record.TableCards.Key(session, requester, action))
	if err != nil || record.AsNumber(n) < MaxCards {
		return false, err
	}
	open, err := l.J.Get(record.TableGrant.Key(session, requester, action))
	if in := q.replaces(); err != nil || open == nil || in != nil && string(open) == in.Token {
		return true, err
	}
	a, err := approval.Load(l.J, string(open))
	return err == nil && (a.State != approval.Pending || !l.InTime(a)), err
}

// Pending returns the approvals that wait for people, oldest first. An error comes last
// and means that there may be more. Read from a view, they hold no secrets.
func (l *Ledger) Pending(ctx context.Context, from record.Reader) iter.Seq2[*approval.Approval, error] {
	return func(yield func(*approval.Approval, error) bool) {
		list, err := l.OpenApprovals(ctx, from)
		for _, a := range list {
			if a.State == approval.Pending && !l.Expired(a) && !yield(a, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// OpenApprovals returns the approvals that are pending or not yet used, oldest
// first, by way of the index of open ones. Some may be past their time.
func (l *Ledger) OpenApprovals(ctx context.Context, from record.Reader) ([]*approval.Approval, error) {
	var out []*approval.Approval
	err := record.TableGrant.Scan(from, func(_, _ string, _ sexpr.Digest, token []byte) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		a, err := approval.Load(from, string(token))
		if err == nil {
			out = append(out, a)
		}
		return err
	})
	slices.SortFunc(out, func(a, b *approval.Approval) int { return cmp.Compare(a.Decision, b.Decision) })
	return out, err
}

// Select returns the approvals on record that keep wants, oldest first.
func (l *Ledger) Select(ctx context.Context, from record.Reader,
	keep func(*approval.Approval) bool) ([]*approval.Approval, error) {
	var out []*approval.Approval
	err := record.TableApproval.Scan(from, func(_ string, raw []byte) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		v, err := record.PlistIn(from, raw)
		if err != nil {
			return err
		}
		a, err := approval.From(v)
		if err == nil && keep(a) {
			out = append(out, a)
		}
		return err
	})
	slices.SortFunc(out, func(a, b *approval.Approval) int { return cmp.Compare(a.Decision, b.Decision) })
	return out, err
}

// Fill puts who into every open slot that takes them.
func (l *Ledger) Fill(a *approval.Approval, who approval.Approver) error {
	if !l.InTime(a) {
		return fmt.Errorf("approval %s: %w", a.Token, clock.ErrClock)
	}
	if err := l.MayAnswer(a, who); err != nil {
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
		return fmt.Errorf("approval %s: %w: %s has already answered or is in none of the classes it waits for%s", a.Token,
			approval.ErrNotApprover, who.Name, a.Asked(l.Opt.Classes))
	}
	return nil
}

// MayAnswer returns an error for the requester, and for a person who is in no class of the
// card.
func (l *Ledger) MayAnswer(a *approval.Approval, who approval.Approver) error {
	if who.Name == "" {
		return fmt.Errorf("approval %s: %w: an approver has a name", a.Token, approval.ErrNotApprover)
	}
	if who.Name == a.Requester {
		return fmt.Errorf("approval %s: %w: the requester cannot answer for itself", a.Token, approval.ErrNotApprover)
	}
	if !slices.ContainsFunc(a.Slots, func(s approval.Slot) bool { return l.MayFill(who, &s) }) {
		return fmt.Errorf("approval %s: %w: %s is in none of its classes%s, or set the task", a.Token,
			approval.ErrNotApprover, who.Name, a.Asked(l.Opt.Classes))
	}
	return nil
}

// MayFill reports whether a person may fill a slot. It does not say whether the slot is
// still open.
func (l *Ledger) MayFill(who approval.Approver, s *approval.Slot) bool {
	if s.Bars != "" && s.Bars == who.Name {
		return false
	}
	return l.Belongs(who, s.Class) || slices.ContainsFunc(s.Also, func(class string) bool { return l.Belongs(who, class) })
}

// Belongs reports whether a person is in an approver class.
func (l *Ledger) Belongs(who approval.Approver, class string) bool {
	return slices.Contains(who.Classes, class) || slices.Contains(l.Opt.Classes[class], who.Name)
}

// Asked is the question behind a recorded decision, to be decided again now.
func (l *Ledger) Asked(decision uint64) (Question, error) {
	rec, err := l.J.Read(decision)
	if err != nil {
		return Question{}, err
	}
	q, _, _, err := QuestionFrom(rec.Body)
	return q.again(), err
}

// Withdraw takes an approval back for its requester, as long as it has not been used.
func (l *Ledger) Withdraw(ctx context.Context, token, requester string) error {
	_, err := l.Answer(ctx, token, func(tx *journal.Tx, a *approval.Approval) error {
		if requester != a.Requester {
			return fmt.Errorf("approval %s: only its requester can withdraw it", token)
		}
		a.By = requester
		return approval.Move(tx, a, approval.Withdrawn)
	})
	return err
}

// Answer applies f to an approval inside the journal's single writer. If the approval's
// time is over, Answer marks it expired instead.
func (l *Ledger) Answer(ctx context.Context, token string,
	f func(*journal.Tx, *approval.Approval) error) (*approval.Approval, error) {
	var a *approval.Approval
	var late bool
	if err := l.Clock.Set(ctx); err != nil {
		return nil, err
	}
	err := l.J.Finish(ctx, func(tx *journal.Tx) (err error) {
		if a, err = approval.Load(tx, token); err != nil {
			return err
		}
		if late = l.Expired(a); late {
			return approval.Move(tx, a, approval.Expired)
		}
		return f(tx, a)
	})
	if err == nil && late {
		err = &approval.StateError{Token: token, State: approval.Expired}
	}
	return a, err
}

// Expired reports whether an open approval is past its time.
func (l *Ledger) Expired(a *approval.Approval) bool {
	return (a.State == approval.Pending || a.State == approval.Approved) && l.over(a)
}

// grants returns the unconsumed grants of a session and requester under the current policy: those
// of the run with this root, or with 0 those of no run.
func (l *Ledger) grants(r record.Reader, session, requester string, policy sexpr.Digest, run uint64) (
	[]reason.Grant, error) {
	var out []reason.Grant
	err := record.Scan(r, record.TableGrant.UnderBoth(session, requester), func(_, token []byte) error {
		a, err := approval.Load(r, string(token))
		if err != nil {
			return err
		}
		if a.State == approval.Approved && a.Policy == policy && a.Owner() == run && l.InTime(a) {
			out = append(out, a.Grant())
		}
		return nil
	})
	return out, err
}

// Pair makes the operator's pairing secret and returns it. The record keeps only its hash.
// A second call fails, unless force is set: then the new secret replaces the old one. The
// engine records each new secret.
func (l *Ledger) Pair(ctx context.Context, force bool) (secret string, err error) {
	secret = rand.Text()
	sum := sha256.Sum256([]byte(secret))
	err = l.J.Update(ctx, func(tx *journal.Tx) error {
		old, err := tx.Get(record.TableSetting.Key(record.SettingOperator))
		if err != nil {
			return err
		}
		if old != nil && !force {
			return fmt.Errorf("the operator is paired already; a new secret makes the old one worthless, so ask for that " +
				"explicitly")
		}
		if _, err := record.Append(tx, "", record.Pairing{Hash: hex.EncodeToString(sum[:])}); err != nil {
			return err
		}
		tx.Set(record.TableSetting.Key(record.SettingOperator), sum[:])
		return nil
	})
	return secret, err
}

// Operator returns the approver that presents the pairing secret. It compares in constant
// time.
func (l *Ledger) Operator(secret, via string) (approval.Approver, error) {
	want, err := l.J.Get(record.TableSetting.Key(record.SettingOperator))
	if err != nil {
		return approval.Approver{}, err
	}
	sum := sha256.Sum256([]byte(secret))
	if len(want) != len(sum) || subtle.ConstantTimeCompare(want, sum[:]) != 1 {
		return approval.Approver{}, fmt.Errorf("%w: wrong pairing secret", approval.ErrNotApprover)
	}
	return approval.Approver{Name: "operator", Classes: []string{"operator"}, Via: via}, nil
}
