package policy

import (
	"fmt"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Capabilities brings plans that models call as tools. Package capabilities has one.
type Capabilities interface {
	// Tools returns a tool for each capability that may be started. It is called before Policy.
	Tools() []act.Tool
	// Policy returns p with the gates that judge the starts of capabilities, and the text that names
	// them. If none may be started, that is p itself and "".
	Policy(p skills.Policy) (with skills.Policy, text string, err error)
	// Recorded returns the same policy from a recorded text. It starts nothing.
	Recorded(p skills.Policy, text string) (skills.Policy, error)
}

// undeclared returns an error if a rule file declares a capability's tool: what it does is its plan's
// to say.
func (k *Keeper) undeclared(book *rules.Rulebook) error {
	if k.Opt.Plans == nil {
		return nil
	}
	for _, t := range k.Opt.Plans.Tools() {
		if declared, ok := book.Tool(t.Schema.Name); ok && declared.Source.Pos().Line > 0 {
			return fmt.Errorf("%s: the tool %s is a capability, which no rule file declares", declared.Source.Pos(),
				t.Schema.Name)
		}
	}
	return nil
}
