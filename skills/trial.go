package skills

import (
	"context"
	"errors"
)

// Trial is what the policy says of an action that a plan would take later.
type Trial struct {
	Action  *Action  // after all rewrites
	Allowed bool     // without an approval
	Asks    []Ask    // what people would be asked, if the action is not denied
	Reasons []Reason // why it is denied; nil if it is not
	Failed  bool     // it is denied because something could not be judged
}

// Trier judges other actions by the policy that a case is judged by.
type Trier interface {
	Try(ctx context.Context, a *Action, f *Facts) (Trial, error)
}

// Trying returns the case with what judges other actions: see [Case.Try].
func (c *Case) Trying(t Trier) *Case {
	n := *c
	n.trier = t
	return &n
}

// Try judges an action that is not the case's own: by the same policy, under the same
// protection, without approvals, on the facts f. What the answer rests on, the decision rests
// on. Gates of other processes are asked. The error says that this case cannot try anything:
// an action that is itself tried, or one that only makes a hint, tries no others.
func (c *Case) Try(ctx context.Context, a *Action, f *Facts) (Trial, error) {
	if c.trier == nil {
		return Trial{}, errNoTrial
	}
	return c.trier.Try(ctx, a, f)
}

var errNoTrial = errors.New("no other action can be judged here")

// Within returns a case for an action that is judged as a part of c's decision: it has the answers
// from outside that c holds, and the deadline of c. [Case.Back] gives c what the new case read.
func (c *Case) Within(f *Facts) *Case {
	n := NewCase(nil, nil, f)
	n.answers, n.deadline = c.answers, c.deadline
	return n
}

// Back notes in c what a case from [Case.Within] read and was told.
func (c *Case) Back(n *Case) {
	c.answers, c.deadline = n.answers, n.deadline
	for _, k := range n.reads {
		c.Read(k)
	}
}
