package capabilities

import (
	"context"
	"strings"

	"github.com/opencortex-go/cortex/skills"
)

// A registry that cannot be read says nothing about what is in force. Then no capability may be started,
// which is not the same as that there are none: models and people are told.

// textUnread is the text of the book of such a registry.
const textUnread = "unread\n"

const whyUnread = "The registry of capabilities cannot be read, so none may be started until an operator has looked " +
	"(cortex doctor). Use the other tools."

// unread is the book of a registry that cannot be read.
func unread() *book { return &book{text: textUnread} }

// refusing is the skill that refuses a call of what may be a capability, and says so: of a tool with a dot in
// its name that p does not declare.
func refusing(p skills.ToolSet) *skills.Skill {
	return &skills.Skill{Name: "capability/unread", Priority: priority, Gates: []skills.Gate{unreadGate{}},
		Trigger: func(c *skills.Case) (bool, error) {
			if c.Action() == nil || !strings.Contains(c.Action().Tool(), ".") {
				return false, nil
			}
			_, declared := p.Tool(c.Action().Tool())
			return !declared, nil
		}}
}

type unreadGate struct{}

// Key implements [skills.Gate].
func (unreadGate) Key() string { return "capability/unread" }

// Judge implements [skills.Gate].
func (unreadGate) Judge(context.Context, *skills.Case) (skills.Verdict, error) {
	return skills.Deny{Reason: skills.Reason{Text: whyUnread, Retryable: true}}, nil
}
