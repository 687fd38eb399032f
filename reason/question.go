package reason

import (
	"errors"

	"github.com/opencortex-go/cortex/skills"
)

// KeyQuestion is the key of the ask of every question for a person, and of the denials of
// questions that cannot be put.
const KeyQuestion = "question"

// asks reports whether the action is a question for a person.
func (r *run) asks() bool {
	return r.tool != nil && r.tool.Builtin && r.tool.Name == skills.AskPersonTool
}

// question holds a question for a person against its form: only a person answers it. It
// reports whether gates are to be asked. rewritten says that a gate has changed it.
func (r *run) question(rewritten bool) bool {
	if !r.asks() {
		return true
	}
	q, _ := skills.QuestionOf(r.d.Action)
	err := q.Check()
	switch {
	case err != nil:
	case q.Answered && !r.req.Answered:
		err = errors.New("only a person answers: leave :answer out")
	case r.req.Answered && rewritten:
		err = errors.New("a person has answered it as it stood, so it cannot be changed any more")
	case r.req.Answered:
		asked := q
		asked.Answered = false
		err = asked.Takes(q.Answer)
	}
	if err == nil {
		return true
	}
	r.deny(skills.Reason{Key: KeyQuestion, Text: err.Error(), Retryable: !rewritten && !r.req.Answered})
	r.trace(Step{Round: r.d.Rounds, Gate: KeyQuestion, Outcome: Denied, Note: err.Error()})
	return false
}

// person is the ask of a question. No allow clause removes it.
func person() skills.Ask {
	return filled(skills.Ask{Reason: skills.Reason{Key: KeyQuestion, Text: "a person has to answer this question"}}, "")
}
