package ledger

import (
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// Cause says what an action is for, and so who carries it out and who hears of it. A
// retry, or a card that takes the place of another, has the cause of what came before it:
// see [Attempt].
//
//sumtype:decl
type Cause interface{ recorded() causeFields }

// Called says that an embedder has called Engine.Decide. It carries out what is allowed,
// and asks again once a card is answered.
type Called struct{}

// Answering says that the engine answers a signal. It carries out what is allowed, and
// goes on by itself once a card is answered.
type Answering struct {
	Root  uint64 // the signal from outside
	Depth int    // how many signals lie between
}

// Compensating says that the action compensates the effect of an intent. The caller asks
// again once a card is answered.
type Compensating struct {
	Intent uint64 // is compensated
	Ours   bool   // the engine carries out what is allowed
}

// Stepping says that the action is a step of a run, which the engine drives. It carries out
// what is allowed, and wakes the run once a card is answered.
type Stepping struct {
	Step   record.Step
	Undoes uint64 // the intent that the step makes up for; 0 for none
}

// causeFields is a cause as it stands on record.
type causeFields struct {
	compensates, root uint64
	depth             int
	resume            bool        // the engine itself carries out what is allowed
	step              record.Step // of a run; zero for none
}

func (Called) recorded() causeFields { return causeFields{} }
func (c Answering) recorded() causeFields {
	return causeFields{root: c.Root, depth: c.Depth, resume: true}
}
func (c Compensating) recorded() causeFields {
	return causeFields{compensates: c.Intent, resume: c.Ours}
}

func (c Stepping) recorded() causeFields {
	return causeFields{root: c.Step.Root, resume: true, step: c.Step, compensates: c.Undoes}
}

// causeFrom reads a cause in the body of a decision.
func causeFrom(body sexpr.Value) Cause {
	intent, ours := uint64(body.GetInt("compensates")), body.GetTrue("resume")
	step, steps := record.StepFrom(body)
	switch {
	case steps:
		return Stepping{step, intent}
	case intent != 0:
		return Compensating{intent, ours}
	case ours:
		return Answering{uint64(body.GetInt("root")), int(body.GetInt("depth"))}
	}
	return Called{}
}

// Attempt says how a question stands to what was decided before.
//
//sumtype:decl
type Attempt interface{ attempt() }

// First is the attempt of most questions: the action has no intent yet, and no
// card that is to end.
type First struct {
	isNew bool // the work has just begun: it may be refused for lack of memory
}

// Retry is one more try of an intent in doubt, which does not count as history.
type Retry struct {
	Intent   uint64         // is tried again
	Decision uint64         // that it rests on
	grants   []reason.Grant // used for the intent, and holding for it still
}

func (First) attempt()        {}
func (Retry) attempt()        {}
func (*Replacement) attempt() {}
