package skills

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// The kinds of question of ask_person.
const (
	Confirm  = "confirm"  // a yes, which is the approval itself
	Choice   = "choice"   // one of :choices
	Artifact = "artifact" // a document that is kept on record; the answer is its digest
	Words    = "answer"   // what the person writes
)

// answerArg is the argument that a person's answer becomes. Models are not told of it.
const answerArg = "answer"

// The limits of a question, in bytes and in choices, so that a card can show all of it.
const (
	maxQuestion = 1000
	maxChoices  = 12
	maxChoice   = 100
	maxAnswer   = 2000
)

// Question is an action of ask_person as people see it.
type Question struct {
	Kind     string
	Text     string
	Choices  []string // of a choice
	Answer   string   // what a person has answered, or what a proposal claims
	Answered bool     // there is an Answer
}

// QuestionOf reads the question of an action. Another tool's has none.
func QuestionOf(a *Action) (Question, bool) {
	if a == nil || a.Tool() != AskPersonTool {
		return Question{}, false
	}
	args := a.Args()
	q := Question{Kind: args.GetText("kind"), Text: args.GetText("question"), Answer: args.GetText(answerArg)}
	_, q.Answered = args.Get(answerArg)
	choices, _ := args.Get("choices")
	for _, c := range choices.Items() {
		q.Choices = append(q.Choices, c.Text())
	}
	return q, true
}

// Check says what is wrong with a question that has the form of its schema.
func (q Question) Check() error {
	switch {
	case strings.TrimSpace(q.Text) == "":
		return errors.New(":question is empty")
	case len(q.Text) > maxQuestion:
		return fmt.Errorf(":question is %d bytes long, expected at most %d", len(q.Text), maxQuestion)
	case q.Kind == Choice:
		return q.checkChoices()
	case len(q.Choices) > 0:
		return fmt.Errorf(":choices are for :kind choice, and this is a question of :kind %s", q.Kind)
	}
	return nil
}

func (q Question) checkChoices() error {
	if len(q.Choices) == 0 || len(q.Choices) > maxChoices {
		return fmt.Errorf(":choices has %d texts, expected 1 to %d", len(q.Choices), maxChoices)
	}
	for i, c := range q.Choices {
		if c == "" || c != strings.TrimSpace(c) || len(c) > maxChoice {
			return fmt.Errorf("choice %d is empty, begins or ends with white space, or is longer than %d bytes", i+1, maxChoice)
		}
		if slices.Contains(q.Choices[:i], c) {
			return fmt.Errorf("choice %d stands there twice", i+1)
		}
	}
	return nil
}

// Waits reports whether a yes is not enough: the question needs an answer, and has none.
func (q Question) Waits() bool { return q.Kind != Confirm && !q.Answered }

// Takes says why a text cannot be the answer; nil if it can.
func (q Question) Takes(text string) error {
	switch {
	case q.Kind == Confirm:
		return errors.New("this question takes a yes or a no, and no words: approve it or deny it")
	case q.Answered:
		return errors.New("it has an answer, which the card shows: approve that or deny it")
	case text == "":
		return errors.New("an answer has words")
	case len(text) > maxAnswer:
		return fmt.Errorf("the answer is %d bytes long, expected at most %d", len(text), maxAnswer)
	case q.Kind == Artifact:
		if _, err := sexpr.ParseDigest(text); err != nil {
			return errors.New("the answer is the digest of a document that is kept; cortex approvals answer --file keeps one, " +
				"and answers")
		}
	case q.Kind == Choice && !slices.Contains(q.Choices, text):
		return fmt.Errorf("%.100q is none of the choices: %s", text, quoted(q.Choices))
	}
	return nil
}

// With returns the action with a person's answer in it and nothing else changed.
func (q Question) With(a *Action, answer string) (*Action, error) {
	return NewAction(a.Tool(), a.Args().With(answerArg, sexpr.Str(answer)), a.Explanation())
}

// How says what a person who sees the question is to do. answer is how an answer is given
// there, such as "/answer TOKEN".
func (q Question) How(answer string) string {
	switch {
	case !q.Waits():
		return "approve or deny"
	case q.Kind == Choice:
		return answer + " and one of " + quoted(q.Choices)
	case q.Kind == Artifact:
		return "hand in a file with cortex approvals answer --file"
	}
	return answer + " and your words"
}

func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(out, ", ")
}

// Unanswered returns the arguments of a call of ask_person as its model proposed them:
// without the answer.
func Unanswered(args sexpr.Value) sexpr.Value {
	var kept []sexpr.Value
	for kv := args.Items(); len(kv) > 1; kv = kv[2:] {
		if kv[0].Text() != answerArg {
			kept = append(kept, kv[0], kv[1])
		}
	}
	return sexpr.ListOf(kept...)
}

// Offered returns the tool as a model is told of it: ask_person without the answer, which
// only a person gives.
func (t *Tool) Offered() *Tool {
	if !t.Builtin || t.Name != AskPersonTool {
		return t
	}
	out := *t
	out.Params = slices.DeleteFunc(slices.Clone(t.Params), func(p Param) bool { return p.Name == answerArg })
	return &out
}
