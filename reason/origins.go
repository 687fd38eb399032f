package reason

import (
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/origin"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Origins says where each value in a decision's action came from, by the facts that the
// decision rested on. It returns nil if the rulebook does not ask about origin, or if the
// decision has no action.
func Origins(book *rules.Rulebook, d *Decision, f *skills.Facts) ([]origin.Argument, error) {
	if book == nil || !book.AsksOrigin() || d.Action == nil {
		return nil, nil
	}
	tool, _ := book.Tool(d.Action.Tool())
	c := skills.NewCase(d.Action, tool, f)
	for _, s := range d.Trace {
		if s.Outcome == Rewrote {
			book.Rewrote(c, s.Gate, s.Diff)
		}
	}
	return book.Origins(c)
}
