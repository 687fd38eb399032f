package condition

import (
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/look"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

// recallCost is what looking the session's calls up costs, as with (calls tool).
const recallCost = 1000

// earlierCall is the name of the type that a call has in an order condition.
const earlierCall = "earlier call"

// order lowers some-call-since and no-call-since. From the latest call back, the first
// condition looks for a call; if there is one, the second is asked of the calls since.
func (l *lowerer) order(p sexpr.Pos, op string, args []sexpr.Value) term {
	if l.loops == maxNesting {
		return l.fail(p, "%s inside %d others, expected at most %d loops inside each other", op, maxNesting, maxNesting)
	}
	it := term{code: itCode(p), typ: facts.CallType(), pos: p, cost: 1, sure: true}
	it.typ.Name = earlierCall
	from, since := l.each(args[0], it), l.each(args[1], it)
	isFrom, isSince := l.truth(&from), l.truth(&since)
	out := term{pos: p, typ: boolean, sure: true, bad: from.bad || since.bad,
		cost: recallCost + look.MaxCalls*(max(1, from.cost)+max(1, since.cost))}
	l.priced(p, op, sexpr.Nil(), look.MaxCalls, max(1, from.cost)+max(1, since.cost), out.cost)
	if out.bad {
		out.code = constant(p, false)
		return out
	}
	how := map[string]string{"some-call-since": "any", "no-call-since": "none"}[op]
	calls, at := l.temp(), l.temp()
	found := loop(p, "findIndex", native(p, value.Front, varCode(p, calls), constant(p, value.Limit(look.MaxCalls))),
		isFrom)
	later := loop(p, how, native(p, value.Before, varCode(p, calls), varCode(p, at)), isSince)
	out.code = bind(p, calls, native(p, look.Latest, viewCode(p)), bind(p, at, found,
		both(p, "and", native(p, value.Reached, varCode(p, calls), varCode(p, at)), later)))
	return out
}
