package approval

import (
	"fmt"

	"github.com/opencortex-go/cortex/skills"
)

// AnswerError says why a question takes no such answer, and what would be right. The card
// is as it was.
type AnswerError struct {
	Token string
	Why   string
}

func (e *AnswerError) Error() string { return fmt.Sprintf("approval %s: %s", e.Token, e.Why) }

// Question returns the question that a card puts, if it is one of ask_person.
func (a *Approval) Question() (skills.Question, bool) { return skills.QuestionOf(a.Action) }

// Agreeable returns an [AnswerError] if a yes alone does not answer the card, or a cover is
// asked of a question.
func (a *Approval) Agreeable(covers bool) error {
	q, ok := a.Question()
	switch {
	case ok && q.Waits():
		return &AnswerError{a.Token, "a yes does not answer this question; " + q.How("write /answer "+a.Token)}
	case ok && covers:
		return &AnswerError{a.Token, "a question is asked each time, so no more of them can be covered"}
	}
	return nil
}

// Editable returns an [AnswerError] for a question: a person answers it as it stands.
func (a *Approval) Editable() error {
	q, ok := a.Question()
	if !ok {
		return nil
	}
	return &AnswerError{
		a.Token,
		"a question is not edited; " + q.How("write /answer "+a.Token) + ", or deny it and say why",
	}
}
