package skills

import (
	"errors"

	"github.com/opencortex-go/cortex/sexpr"
)

// Mend is what a rule that asks for a hint brings to it: the arguments that the rule
// reads, and its own words about each. An edit that mends the denial is made of these
// and of the tool's schema, and of nothing else.
type Mend struct{ Parts []Part }

// Part is one argument that a rule reads, and what the rule compares it with.
type Part struct {
	At     string        // from :args on: "amount", "opts.depth"; "" is every argument
	Values []sexpr.Value // numbers and strings that may stand there whole
	Words  []string      // parts of a text: a flag, a folder
}

// Supposed returns a case for an action that was never proposed, with the answers from
// outside the process that c holds and no others: a gate that needs another one is told
// that there is none ([ErrSupposed]).
func (c *Case) Supposed() *Case {
	n := NewCase(nil, nil, c.facts)
	n.answers, n.supposed = c.answers[:len(c.answers):len(c.answers)], true
	return n
}

// ErrSupposed says that a gate cannot be asked about an action that is only supposed.
var ErrSupposed = errors.New("the action is only supposed, and other processes are not asked about it")
