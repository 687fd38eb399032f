package skills

import (
	"errors"
	"slices"
	"time"

	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// Facts is the data that gates may look up besides the action. The caller of a
// decision fills it in, and the recorded decision keeps it. Treat it as immutable.
type Facts struct {
	Now     int64 // Unix seconds, recorded; gates have no other clock
	Signal  perceive.Signal
	Session Session
	// The blackboard: plists that rules read as facts.ctx, facts.env, ...
	Ctx, Env, Work, Policy sexpr.Value
	// Spends is what the principal has spent in all sessions, and what others
	// have spent in this one, oldest first.
	Spends []Spend
	// Versions are the versions of the keys "session/<id>" and
	// "principal/<name>", as they were when the facts were gathered.
	Versions map[string]uint64
	// Recall, if set, replaces Session.Turns and Spends. It is called only when a
	// rule reads history, and answers as of the instant of Versions.
	Recall History
}

// History looks up the calls of a session and the spending of a principal.
type History interface {
	Turns() ([]Turn, error)
	Spends() ([]Spend, error)
	// Calls returns the same as [CallsOf] for Turns, and Spent the same as [Sum.Of]
	// for Spends, to the last bit, without reading all of them.
	Calls(tool string, since int64, most int) ([]*Call, error)
	Spent(of Sum) (float64, error)
}

// Session is the conversation an action belongs to.
type Session struct {
	ID        string
	Principal string // the requester
	Roles     []string
	System    string // the system prompt of the model's host, if known
	Turns     []Turn // oldest first
}

// Turn is one step of a session: a message of the user, or a call.
type Turn struct {
	User string // the user's text; "" if Call is set
	Call *Call
}

// Call is an earlier action of the session.
type Call struct {
	Tool     string
	Args     sexpr.Value
	Decision string      // "allow", "ask" or "deny"
	Result   sexpr.Value // the tool's result; nil if there is none yet
	Error    string      // why it failed, or ""
	Happened bool        // whether it may have changed the world
	At       int64       // Unix seconds
}

// Spend is an amount taken from a budget by one intent.
type Spend struct {
	Budget  string  // "money"
	Amount  float64 // finite and not negative
	Session string
	// Principal is the spender; "" means the principal of the enclosing facts.
	Principal string
	Tool      string
	At        int64 // Unix seconds
}

// SessionKey and PrincipalKey name the versioned facts that a decision read, so
// that the engine notices changes before the effect.
func SessionKey(id string) string { return "session/" + id }

// PrincipalKey is documented with [SessionKey].
func PrincipalKey(name string) string { return "principal/" + name }

// Case is a gate's input: one action, the facts around it, and a list of the
// versioned facts that were read. A Case belongs to one decision and is not safe for
// concurrent use.
type Case struct {
	Action *Action
	Facts  *Facts
	Tool   *Tool // the declared tool, or nil
	// Memo lets in-process gates share work on one action, such as a parsed
	// command line. Decide clears it when the action is rewritten.
	Memo map[string]any
	// Lookup answers questions about the host, such as the target of a symbolic
	// link; nil means that there are no look-ups. See facts.Lookup.
	Lookup func(function, argument string) (string, error)
	// Deadline bounds the total time of gates in other processes for one decision.
	// The first of them sets it; a decision without such gates has none.
	Deadline time.Time

	reads   []string
	answers []Answer
}

// Answer is an answer from outside the process that a gate got while judging.
type Answer struct {
	Function, Argument, Result string
	Error                      string // why there was no result
}

// Witness returns the answer of function to argument, and makes it part of the
// decision, so that a replay gets it again. It asks once: the same question in the
// same decision gets the same answer.
func (c *Case) Witness(function, argument string, ask func() (string, error)) (string, error) {
	a, ok := c.answered(function, argument)
	if !ok {
		a = Answer{Function: function, Argument: argument}
		var err error
		if a.Result, err = ask(); err != nil {
			a.Result, a.Error = "", err.Error()
		}
		c.answers = append(c.answers, a)
	}
	if a.Error != "" {
		return "", errors.New(a.Error)
	}
	return a.Result, nil
}

// Witnessed reports whether the decision holds an answer to the question.
func (c *Case) Witnessed(function, argument string) bool {
	_, ok := c.answered(function, argument)
	return ok
}

// Answers returns the witnessed answers, in order.
func (c *Case) Answers() []Answer { return c.answers }

func (c *Case) answered(function, argument string) (Answer, bool) {
	for i := range c.answers {
		if c.answers[i].Function == function && c.answers[i].Argument == argument {
			return c.answers[i], true
		}
	}
	return Answer{}, false
}

// Read notes that the decision depends on a versioned key.
func (c *Case) Read(key string) {
	if !slices.Contains(c.reads, key) {
		c.reads = append(c.reads, key)
	}
}

// Reads returns the keys that were read, sorted.
func (c *Case) Reads() []string {
	out := slices.Clone(c.reads)
	slices.Sort(out)
	return out
}

// Turns returns the session so far, and notes that the decision depends on it.
func (c *Case) Turns() ([]Turn, error) {
	c.Read(SessionKey(c.Facts.Session.ID))
	if c.Facts.Recall == nil {
		return c.Facts.Session.Turns, nil
	}
	return c.Facts.Recall.Turns()
}

// Spends returns [Facts.Spends], and notes that the decision depends on the
// principal's spending. Callers that read the session's spending must also note its
// [SessionKey].
func (c *Case) Spends() ([]Spend, error) {
	c.Read(PrincipalKey(c.Facts.Session.Principal))
	if c.Facts.Recall == nil {
		return c.Facts.Spends, nil
	}
	return c.Facts.Recall.Spends()
}

// Calls returns the calls of a tool as [CallsOf] lists them, and notes that the
// decision depends on the session.
func (c *Case) Calls(tool string, since int64, most int) ([]*Call, error) {
	c.Read(SessionKey(c.Facts.Session.ID))
	if c.Facts.Recall == nil {
		return CallsOf(c.Facts.Session.Turns, tool, since, most), nil
	}
	return c.Facts.Recall.Calls(tool, since, most)
}

// CallsOf lists the calls of a tool since a time in Unix seconds, oldest first and
// at most most of them. A call without a time always counts.
func CallsOf(turns []Turn, tool string, since int64, most int) []*Call {
	var out []*Call
	for _, t := range turns {
		if k := t.Call; k != nil && k.Tool == tool && (k.At == 0 || k.At >= since) && len(out) < most {
			out = append(out, k)
		}
	}
	return out
}

// Spent adds up a budget as [Sum.Of] does, and notes that the decision depends on
// the principal's spending, and on the session if of asks about it.
func (c *Case) Spent(of Sum) (float64, error) {
	c.Read(PrincipalKey(c.Facts.Session.Principal))
	if of.Session { // any principal may spend in it
		c.Read(SessionKey(c.Facts.Session.ID))
	}
	if c.Facts.Recall == nil {
		return of.Of(c.Facts.Session, c.Facts.Spends), nil
	}
	return c.Facts.Recall.Spent(of)
}
