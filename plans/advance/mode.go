package advance

import (
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/state"
)

// Mode is how far a run goes on its own; "" is guided.
type Mode string

// The modes, from the one that asks most to the one that asks least.
const (
	Guided     Mode = "guided"
	StopOnUser Mode = "full_auto_stop_on_user_deps"
	NeverStop  Mode = "full_auto_never_stop"
)

// Outcome is what a reason means.
type Outcome string

// The outcomes.
const (
	Block     Outcome = "block"     // the attempt is blocked; a retry ticket comes with it unless the reason is terminal
	RecordGap Outcome = "gap"       // a critical gap, and the run goes on
	LeaveOut  Outcome = "leave_out" // the step is left out with a critical gap; its card is withdrawn
	Fail      Outcome = "fail"      // a critical gap, and the run stops for good
)

// row is what a reason means: in the modes that block, and in the one that never stops, where a
// step that the engine or a person takes has an outcome of its own.
type row struct{ blocking, never, neverTool Outcome }

var byCategory = map[state.Category]row{
	state.UserOnly:          {Block, RecordGap, LeaveOut},
	state.ContractViolation: {Block, RecordGap, LeaveOut},
	state.CapabilityMissing: {Block, RecordGap, RecordGap},
	state.Unexpected:        {Fail, Fail, Fail},
}

// byCode are the codes that differ from their category. What is in doubt blocks until it is
// settled. Where a key is missing or of the wrong kind no mode can tell what is due, and a
// context over its budget cannot be kept.
var byCode = map[state.Code]row{
	state.InDoubt:        {Block, Block, Block},
	state.MissingContext: {Block, Block, Block},
	state.InvalidContext: {Block, Block, Block},
	state.ContextBudget:  {Block, Block, Block},
}

// Decide is what a reason means for a step that is done in that way. An unknown mode is guided,
// an unknown code fails.
func Decide(mode Mode, code state.Code, by plans.By) Outcome {
	r, ok := byCode[code]
	if !ok {
		r, ok = byCategory[code.Category()]
	}
	switch {
	case !ok || !code.Known():
		return Fail
	case mode != NeverStop:
		return r.blocking
	case by == plans.ByTool || by == plans.ByPerson:
		return r.neverTool
	}
	return r.never
}
