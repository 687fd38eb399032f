package session

import (
	"context"
	"strings"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Answer puts a person's words into the question of a card, and nothing else: the action is
// judged again with them, and they count as the person's yes. Where others have to agree,
// their card shows the answer. The error is an [approval.AnswerError] if the question takes
// no such answer; then nothing is recorded.
func (s *Sessions) Answer(ctx context.Context, token string, who approval.Approver, text string) (*record.Decision,
	error) {
	if err := s.ledger.Usable(); err != nil {
		return nil, err
	}
	card, err := approval.Load(s.j, token)
	if err != nil {
		return nil, err
	}
	text = strings.TrimSpace(text)
	takes := func(a *approval.Approval) error {
		q, ok := a.Question()
		if !ok {
			return &approval.AnswerError{Token: a.Token, Why: "it asks no question: approve it or deny it"}
		}
		if err := q.Takes(text); err != nil {
			return &approval.AnswerError{Token: a.Token, Why: err.Error()}
		}
		return nil
	}
	if err := takes(card); err != nil {
		return nil, err
	}
	if q, _ := card.Question(); q.Kind == skills.Artifact {
		of, err := sexpr.ParseDigest(text)
		if err != nil {
			return nil, err
		}
		kept, err := s.j.Get(record.TableKept.Key(of))
		if err != nil {
			return nil, err
		}
		if kept == nil {
			return nil, &approval.AnswerError{Token: token, Why: "no document with this digest is kept"}
		}
	}
	if err := s.Policies.Credential(text); err != nil {
		return nil, &approval.AnswerError{Token: token, Why: err.Error()}
	}
	q, _ := card.Question()
	answered, err := q.With(card.Action, text)
	if err != nil {
		return nil, &approval.AnswerError{Token: token, Why: err.Error()}
	}
	return s.instead(ctx, card, who, answered, revision{why: "answered", because: "the answer is refused: ",
		answered: true, fits: takes})
}

// unspoken is a signal without the words of an answer in which there is a credential: they
// must not be recorded. The answer is then refused, because it has no words.
func (s *Sessions) unspoken(sig perceive.Signal) perceive.Signal {
	a, ok := perceive.ParseAnswer(sig.Text)
	if ok && a.Answers && s.Policies.Credential(a.Reason) != nil {
		sig.Text, sig.Payload = a.Command(), sexpr.Value{}
	}
	return sig
}
