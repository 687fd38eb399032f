package skills

import (
	"errors"
	"slices"
	"time"

	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// Facts is what gates may look up besides the action. Anyone who asks for a
// decision fills it, and a recorded decision keeps it. Treat it as immutable.
type Facts struct {
	Now     int64 // Unix seconds, recorded; nothing else tells the time
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
	// Recall, if set, is asked for history in place of Session.Turns and Spends,
	// and only when a rule looks at it. It answers as of the instant that
	// Versions belong to.
	Recall History
}

// History looks up what a session and a principal did.
type History interface {
	Turns() ([]Turn, error)
	Spends() ([]Spend, error)
	// Calls answers as [CallsOf] does of Turns, and Spent as [Sum.Of] of Spends, to
	// the last bit; neither has to go through all of them.
	Calls(tool string, since int64, most int) ([]*Call, error)
	Spent(of Sum) (float64, error)
}

// Session is the conversation an action belongs to.
type Session struct {
	ID        string
	Principal string // the requester
	Roles     []string
	System    string // the system prompt of anyone who runs the model, if known
	Turns     []Turn // oldest first
}

// Turn is one step of a session: a message of the user, or a call.
type Turn struct {
	User string // what the user wrote; "" if Call is set
	Call *Call
}

// Call is an earlier action of the session.
type Call struct {
	Tool     string
	Args     sexpr.Value
	Decision string      // "allow", "ask" or "deny"
	Result   sexpr.Value // what the tool returned; nil if nothing yet
	Error    string      // why it failed, or ""
	Happened bool        // whether it may have changed the world
	At       int64       // Unix seconds
}

// Spend is an amount taken from a budget by one intent.
type Spend struct {
	Budget  string  // "money"
	Amount  float64 // finite and not negative
	Session string
	// Principal is who spent it; "" is the principal of the facts it stands in.
	Principal string
	Tool      string
	At        int64 // Unix seconds
}

// SessionKey and PrincipalKey name what a decision read, so that an effect can
// be refused when it changed in between.
func SessionKey(id string) string { return "session/" + id }

// PrincipalKey is documented with [SessionKey].
func PrincipalKey(name string) string { return "principal/" + name }

// Case is what a gate looks at: one action, the facts around it, and a note of
// which versioned facts were read. A Case belongs to one decision and is not
// safe for concurrent use.
type Case struct {
	Action *Action
	Facts  *Facts
	Tool   *Tool // the declared tool, or nil
	// Memo lets in-process gates share work on one action, such as a parsed
	// command line. Decide clears it when the action is rewritten.
	Memo map[string]any
	// Lookup asks about what lies outside this process, such as where a symbolic
	// link leads; nil asks nobody. See facts.Lookup.
	Lookup func(function, argument string) (string, error)
	// Deadline bounds what gates in other processes may cost one decision. The
	// first of them sets it; a decision without any has none.
	Deadline time.Time

	reads   []string
	answers []Answer
}

// Answer is what a gate was told from outside the process, while it judged.
type Answer struct {
	Function, Argument, Result string
	Error                      string // why there was no result
}

// Witness returns what function answers to argument, and makes the answer part of
// the decision, so that a replay gets it again. It asks once: anyone who has the same
// question in the same decision gets the same answer.
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

// Answers returns what was witnessed, in order.
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

// Spends returns [Facts.Spends], and notes that the decision depends on what the
// principal spends. Anyone who looks at the session's also notes its [SessionKey].
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

// CallsOf lists the calls of a tool that are not older than since, in Unix seconds:
// the oldest first, and no more than most of them. A call without a time may have
// been at any.
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
// what the principal spends, and on the session if that is what is asked about.
func (c *Case) Spent(of Sum) (float64, error) {
	c.Read(PrincipalKey(c.Facts.Session.Principal))
	if of.Session { // anyone who spends in it
		c.Read(SessionKey(c.Facts.Session.ID))
	}
	if c.Facts.Recall == nil {
		return of.Of(c.Facts.Session, c.Facts.Spends), nil
	}
	return c.Facts.Recall.Spent(of)
}
