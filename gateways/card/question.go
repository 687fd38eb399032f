package card

import (
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/skills"
)

// question has the fields of a question for a person. It is shown in full, since a person
// answers what it says; its length is bounded where it is judged.
func (r renderer) question(q skills.Question) []Field {
	out := []Field{{Name: ":kind", Value: r.word(q.Kind)}, {Name: ":question", Value: r.full(q.Text)}}
	for i, c := range q.Choices {
		out = append(out, Field{Name: fmt.Sprintf(":choices[%d]", i), Value: r.full(c)})
	}
	if q.Answered {
		out = append(out, Field{Name: ":answer", Value: r.full(q.Answer)})
	}
	return out
}

// full renders an untrusted string with all that it says.
func (r renderer) full(s string) string {
	if r.Mask != nil {
		s = r.Mask(s)
	}
	return Visible(s)
}

// Answering is the card with a line that says how it is answered with words where it is shown:
// with command, such as "/answer TOKEN". Other cards are as they were.
func (c Card) Answering(command string) Card {
	if !c.Answers {
		return c
	}
	what := "your words"
	if slices.ContainsFunc(c.Fields, func(f Field) bool { return f.Name == firstChoice }) {
		what = "one of the choices"
	}
	c.Fields = append(slices.Clip(c.Fields), Field{Name: "to answer", Value: command + " and " + what})
	return c
}

// firstChoice names the field of the first choice.
const firstChoice = ":choices[0]"
