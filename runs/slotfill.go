package runs

import (
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/sexpr"
)

func fillArgs(step *plans.Step, args, seen sexpr.Value) (sexpr.Value, []state.Reason) {
	return args, nil
}

func fillText(step *plans.Step, text string, seen sexpr.Value) (string, []state.Reason) {
	return text, nil
}
