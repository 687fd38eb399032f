package ledger

import (
	"errors"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Question is what a decision is asked about, before history is looked up.
type Question struct {
	Cause     Cause
	Attempt   Attempt
	Proposal  sexpr.Value    // as the model put it, or ...
	Action    *skills.Action // ... ready made
	Facts     skills.Facts   // without turns and spends where the record supplies them
	Requester string         // the agent's principal
	Halt      *skills.Reason // refuses before any gate is asked
	Answered  bool           // a person has put the answer into the action, a question
	Before    []record.Entry // what goes on record in front of the decision, in the same write
	ours      bool           // the engine carries out what is allowed, whatever the cause
	own       bool           // the caller supplied the turns: leave them alone
	board     *board         // where facts came from that the caller did not bring; nil for none
	took      parts          // that came from there
}

// questionOf is an embedder's question.
func questionOf(action *skills.Action, facts *skills.Facts) (Question, error) {
	if action == nil {
		return Question{}, errors.New("cortex: there is nothing to decide on without an action")
	}
	q := Question{Cause: Called{}, Attempt: First{}, Action: action}
	if facts != nil {
		q.Facts = *facts
		q.Facts.Work, q.Facts.Step = sexpr.Value{}, skills.Step{} // the engine's own to say: see Stepping
		q.own, q.Requester = facts.Session.Turns != nil, facts.Session.Principal
	}
	return q, record.Named("session or principal", q.Facts.Session.ID, q.Facts.Session.Principal)
}

// again is the question of a recorded decision as it is put anew: what the engine
// itself supplies is what it has now.
func (q Question) again() Question {
	q.Facts.Now = 0
	q.untake()
	return q
}

// Compensates returns the intent that the action compensates; 0 for none.
func (q Question) Compensates() uint64 { return q.Cause.recorded().compensates }

// Step returns the step of a run that the action is, or the zero Step.
func (q Question) Step() record.Step { return q.Cause.recorded().step }

// retry returns the retry that q is, if it is one.
func (q Question) retry() (Retry, bool) {
	r, ok := q.Attempt.(Retry)
	return r, ok
}

// replaces returns the card that q replaces, or nil.
func (q Question) replaces() *Replacement {
	r, _ := q.Attempt.(*Replacement)
	return r
}

// asker is who the question is from.
func (q Question) asker() act.Asker {
	s := q.Facts.Session
	return act.Asker{Principal: s.Principal, Roles: s.Roles, Requester: q.Requester}
}
