package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// decideInstead puts the question in the place of a card, and continues with the result.
func (s *Sessions) decideInstead(ctx context.Context, q ledger.Question, in *ledger.Replacement) (*record.Decision,
	error) {
	q.Attempt = in
	d, err := s.ledger.DecideOn(ctx, q)
	if err != nil {
		return nil, err
	}
	if in.Then != nil {
		s.resumeLater(in.Then)
	}
	return d, in.Refuse
}

// Edit lets a person who may answer a card replace the model's arguments. In one write the
// engine supersedes the card, judges the edited action again and, if that asks again,
// counts the editor's yes on the new card. If the yes does not count there, Edit returns
// the decision and an error that says why.
func (s *Sessions) Edit(ctx context.Context, token string, who approval.Approver, args sexpr.Value) (*record.Decision,
	error) {
	if err := s.ledger.Usable(); err != nil {
		return nil, err
	}
	card, err := approval.Load(s.j, token)
	if err != nil {
		return nil, err
	}
	if err := card.Editable(); err != nil {
		return nil, err
	}
	if args, err = s.unmarked(token, card, args); err != nil {
		return nil, err
	}
	edited, err := skills.NewAction(card.Action.Tool(), args, card.Action.Explanation())
	if err != nil {
		return nil, fmt.Errorf("approval %s: edited arguments: %w", token, err)
	}
	return s.instead(ctx, card, who, edited, revision{why: "edited",
		because: "a person has put other arguments in its place: ", fits: (*approval.Approval).Editable})
}

// revision says how a person's arguments come to stand in the place of a card's.
type revision struct {
	why      string // for the record
	because  string // for the model, where the action is refused now
	answered bool   // they are the answer to a question
	fits     func(*approval.Approval) error
}

// instead puts a person's action in the place of a card, in one write, and counts their yes
// on the card that asks about it.
func (s *Sessions) instead(ctx context.Context, card *approval.Approval, who approval.Approver, a *skills.Action,
	r revision) (*record.Decision, error) {
	q, err := s.ledger.Asked(card.Decision)
	if err != nil {
		return nil, err
	}
	may := func(_ *journal.Tx, a *approval.Approval) error {
		if a.State != approval.Pending {
			return &approval.StateError{Token: a.Token, State: a.State}
		}
		return errors.Join(s.ledger.MayAnswer(a, who), r.fits(a))
	}
	if _, err := s.ledger.Answer(ctx, card.Token, may); err != nil { // before any gate is asked
		return nil, err
	}
	q.Proposal, q.Action, q.Answered = sexpr.Value{}, a, r.answered
	in := &ledger.Replacement{Token: card.Token, By: &who, Because: r.because,
		End: func(tx *journal.Tx, a *approval.Approval) error {
			if err := may(tx, a); err != nil {
				return err
			}
			a.By, a.Why = who.Name, r.why
			if r.answered { // a person has seen to it: how often it was asked starts anew
				tx.Delete(record.TableCards.Key(a.Session, a.Requester, a.Action.Digest()))
			}
			return approval.Move(tx, a, approval.Superseded)
		}}
	d, err := s.decideInstead(ctx, q, in)
	var over *approval.StateError
	if d == nil && errors.As(err, &over) && over.State == approval.Expired { // meanwhile; this puts it on record
		_, late := s.ledger.Answer(ctx, card.Token, may)
		err = cmp.Or(late, err)
	}
	return d, err
}

// unmarked returns edited arguments with what the card has under each mark that a person left
// as the card showed it.
func (s *Sessions) unmarked(token string, card *approval.Approval, args sexpr.Value) (sexpr.Value, error) {
	shown, err := approval.Load(s.j.View(), token)
	if err != nil || !shown.Action.Withheld() || !args.IsPlist() {
		return args, err
	}
	for kv := args.Items(); len(kv) > 1; kv = kv[2:] {
		mark, _ := shown.Action.Args().Get(kv[0].Text())
		if real, _ := card.Action.Args().Get(kv[0].Text()); sexpr.Equal(kv[1], mark) {
			args = args.With(kv[0].Text(), real)
		}
	}
	return args, nil
}

// Supersede ends every open approval of another policy and decides its action
// again; what still asks gets a new card.
func (s *Sessions) Supersede(ctx context.Context) error {
	open, err := s.ledger.OpenApprovals(ctx, s.j)
	if err != nil {
		return err
	}
	current := s.Policies.Current().Gates.Hash()
	for _, a := range open {
		if a.Policy == current || s.ledger.Expired(a) {
			continue
		}
		q, err := s.ledger.Asked(a.Decision)
		if err != nil {
			return err
		}
		in := &ledger.Replacement{Token: a.Token, Because: "the rules have changed: ",
			End: func(tx *journal.Tx, a *approval.Approval) error { return approval.Move(tx, a, approval.Superseded) }}
		var over *approval.StateError
		if _, err := s.decideInstead(ctx, q, in); err != nil && !errors.As(err, &over) { // somebody has answered meanwhile
			return err
		}
	}
	return nil
}

// postpone keeps an answered approval that the engine could not act on for lack of space.
func (s *Sessions) postpone(a *approval.Approval) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.postponed = append(s.postponed, a)
}

// TakeUpPostponed continues with the answered approvals for which there is space now.
func (s *Sessions) TakeUpPostponed() {
	if s.j.Room() != nil {
		return
	}
	s.Mu.Lock()
	list := s.postponed
	s.postponed = nil
	s.Mu.Unlock()
	for _, a := range list {
		s.resumeLater(a)
	}
}

// Approve records that a person said yes. The yes fills one place in every open slot whose
// class the person belongs to. When all slots are filled, the approval is a grant, and the
// engine resumes in the background what it runs itself. The requester cannot approve its
// own action. With terms, the yes that fills the last slot also covers more calls.
func (s *Sessions) Approve(ctx context.Context, token string, who approval.Approver, terms *ledger.CoverTerms) error {
	a, err := s.ledger.Answer(ctx, token, func(tx *journal.Tx, a *approval.Approval) error {
		if a.State != approval.Pending {
			return &approval.StateError{Token: a.Token, State: a.State}
		}
		if err := errors.Join(s.ledger.Fill(a, who), a.Agreeable(terms != nil)); err != nil {
			return err
		}
		if err := approval.SaveYes(tx, a); err != nil || terms == nil {
			return err
		}
		return s.ledger.Cover(tx, a, who, *terms)
	})
	if err != nil || a.State != approval.Approved {
		return err
	}
	s.resumeLater(a)
	return nil
}

// Deny records that a person said no. One no ends the approval. The model and the user get
// the reason.
func (s *Sessions) Deny(ctx context.Context, token string, who approval.Approver, why string) error {
	a, err := s.ledger.Answer(ctx, token, func(tx *journal.Tx, a *approval.Approval) error {
		if a.State != approval.Pending {
			return &approval.StateError{Token: a.Token, State: a.State}
		}
		if err := s.ledger.MayAnswer(a, who); err != nil {
			return err
		}
		a.By, a.Why = who.Name, why
		return approval.Move(tx, a, approval.Denied)
	})
	if err == nil {
		s.resumeLater(a)
	}
	return err
}
