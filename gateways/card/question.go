package card

import (
	"fmt"

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
	if r.opt.Mask != nil {
		s = r.opt.Mask(s)
	}
	return Visible(s)
}

// How says in a line how a chat answers the card with words; "" where a yes or a no does.
func (c Card) How() string {
	if !c.Answers {
		return ""
	}
	return "To answer, write /answer " + c.Token + " and your words, or one of the choices."
}
