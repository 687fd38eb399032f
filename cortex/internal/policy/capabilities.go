package policy

import (
	"fmt"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Capabilities brings plans that models call as tools. Package capabilities has one.
type Capabilities interface {
	// Tools returns a tool for each capability that may be started. It is called before Policy. An error
	// says why it is not known which may: then there are none, and Policy tells models so.
	Tools() ([]act.Tool, error)
	// Policy returns p with the gates that judge the starts of capabilities, and the text that names
	// them. If none may be started, that is p itself and "".
	Policy(p skills.Policy) (with skills.Policy, text string, err error)
	// Recorded returns the same policy from a recorded text. It starts nothing.
	Recorded(p skills.Policy, text string) (skills.Policy, error)
}

// planned returns the tools of capabilities. An engine whose capabilities cannot be read goes on without
// them, and says so aloud.
func (k *Keeper) planned() (tools []act.Tool, unread bool) {
	if k.Opt.Plans == nil {
		return nil, false
	}
	tools, err := k.Opt.Plans.Tools()
	if err != nil {
		k.Opt.Logger.Error("capabilities cannot be read: none is offered, and each start is refused", "error", err)
	}
	return tools, err != nil
}

// Missing returns why a tool cannot be run, for the model that named it; nil if it can be.
func (p *Policy) Missing(tool string) error {
	_, err := p.Tools.Find(tool)
	if err != nil && p.unread {
		return fmt.Errorf("%w; capabilities cannot be read, and none may be started until an operator has looked", err)
	}
	return err
}

// KeyUnknown is the key of the reason where a tool cannot be run.
const KeyUnknown = "tool/unknown"

// Unrunnable returns why an action that the engine is to carry out cannot be: nothing here can run its tool (row 73),
// so no person is asked about it. It returns nil if it can be. Without an action the proposal is read.
func (p *Policy) Unrunnable(a *skills.Action, proposal sexpr.Value) *skills.Reason {
	if a == nil {
		var err error
		if a, _, err = skills.Propose(proposal, p.Gates); err != nil {
			return nil // which is refused
		}
	}
	if err := p.Missing(a.Tool()); err != nil {
		return &skills.Reason{Key: KeyUnknown, Text: err.Error(), Retryable: true}
	}
	return nil
}

// undeclared returns an error if a rule file declares a capability's tool: what it does is its plan's
// to say.
func undeclared(book *rules.Rulebook, plans []act.Tool) error {
	for _, t := range plans {
		if declared, ok := book.Tool(t.Schema.Name); ok && declared.Source.Pos().Line > 0 {
			return fmt.Errorf("%s: the tool %s is a capability, which no rule file declares", declared.Source.Pos(),
				t.Schema.Name)
		}
	}
	return nil
}
