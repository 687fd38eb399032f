package act

import (
	"context"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// AskPerson returns the built-in tool that tells a model what a person has answered. It
// answers only an intent that consumed an approval: a person has seen that question, and
// that answer.
func AskPerson() Tool {
	return Tool{Schema: builtin(skills.AskPersonTool), Actuator: Func(func(_ context.Context, c Call) (Receipt, error) {
		return Answered(c.Action, c.Approval), nil
	})}
}

// Answered is the receipt of ask_person for an action under the approval that its intent
// consumed; "" is none.
func Answered(a *skills.Action, approval string) Receipt {
	q, ok := skills.QuestionOf(a)
	switch {
	case !ok || approval == "" || q.Waits():
		return Receipt{State: Nothing, Error: "no person has answered this"}
	case q.Kind == skills.Confirm:
		return Receipt{State: Done, Result: sexpr.Str("confirmed")}
	}
	return Receipt{State: Done, Result: sexpr.Str(q.Answer)}
}
