package approval

import (
	"fmt"
	"slices"
	"strings"

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

// Asked says, in brackets, which classes a card still waits for, and of which of them no people are listed.
func (a *Approval) Asked(people map[string][]string) string {
	var classes []string
	for _, s := range a.Slots {
		for _, class := range append([]string{s.Class}, s.Also...) {
			text := ":" + class
			if class != skills.DefaultClass && len(people[class]) == 0 {
				text += ", of which the settings list no members under approvals.classes"
			}
			if !s.Filled() && !slices.Contains(classes, text) {
				classes = append(classes, text)
			}
		}
	}
	return " (" + strings.Join(classes, "; ") + ")"
}
