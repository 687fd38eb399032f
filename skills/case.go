package skills

import (
	"errors"
	"slices"
	"time"
)

// Case is what a gate looks at: one action, the facts around it, and a note of
// which versioned facts were read. What is judged cannot be changed through it. A
// Case belongs to one decision and is not safe for concurrent use.
type Case struct {
	action   *Action
	tool     *Tool
	facts    *Facts
	lookup   func(function, argument string) (string, error)
	deadline time.Time
	shared   map[string]any
	reads    []string
	answers  []Answer
	reading  Reading // of the session, by the reader named readBy
	readBy   string
	ruled    []string // the arguments that rules set
	supposed bool     // what lies outside the process is not asked about it
	trier    Trier
}

// NewCase returns the case of an action on a declared tool. The action is nil
// where none is proposed yet, and the tool where nobody declared it.
func NewCase(a *Action, tool *Tool, f *Facts) *Case { return &Case{action: a, tool: tool, facts: f} }

// WithLookup returns the case with a function to ask about what lies outside this
// process, such as where a symbolic link leads.
func (c *Case) WithLookup(ask func(function, argument string) (string, error)) *Case {
	n := *c
	n.lookup = ask
	return &n
}

// On returns the case with another action in place of its own. What was read stays
// with it; what gates shared about the old action does not.
func (c *Case) On(a *Action, tool *Tool) *Case {
	n := *c
	n.action, n.tool, n.shared = a, tool, nil
	return &n
}

// Action returns what is judged; nil where nothing is proposed yet.
func (c *Case) Action() *Action { return c.action }

// Tool returns the declared tool of the action, or nil.
func (c *Case) Tool() *Tool { return c.tool }

// Rewritten notes what a gate set in the action. A value that stands in a rule as it is
// was set by the rule; what a gate computed may come from anywhere.
func (c *Case) Rewritten(v Rewrite) {
	items := v.Set.Items()
	for i := 0; i+1 < len(items); i += 2 {
		name := items[i].Text()
		at := slices.Index(c.ruled, name)
		switch whole := v.Literal && !items[i+1].IsObject(); {
		case whole && at < 0:
			c.ruled = append(slices.Clip(c.ruled), name)
		case !whole && at >= 0:
			c.ruled = slices.Delete(slices.Clone(c.ruled), at, at+1)
		}
	}
}

// Ruled returns the arguments whose values rules set.
func (c *Case) Ruled() []string { return c.ruled }

// Facts returns what is known beside the action. They are shared: read them only.
func (c *Case) Facts() *Facts { return c.facts }

// Lookup returns the function that [Case.WithLookup] set; nil asks nobody.
func (c *Case) Lookup() func(function, argument string) (string, error) { return c.lookup }

// Deadline returns when gates in other processes must have answered. The first that
// asks sets it, for all of one decision.
func (c *Case) Deadline(first time.Time) time.Time {
	if c.deadline.IsZero() {
		c.deadline = first
	}
	return c.deadline
}

// Shared returns what gates of this process share under key, such as a parsed
// command line; nil if there is nothing.
func (c *Case) Shared(key string) any { return c.shared[key] }

// Share keeps a value for gates that judge the same action later.
func (c *Case) Share(key string, value any) {
	if c.shared == nil {
		c.shared = map[string]any{}
	}
	c.shared[key] = value
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
	switch {
	case !ok && c.supposed:
		return "", ErrSupposed
	case !ok:
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
	c.Read(SessionKey(c.facts.Session.ID))
	if c.facts.Recall == nil {
		return c.facts.Session.Turns, nil
	}
	return c.facts.Recall.Turns()
}

// Spends returns [Facts.Spends], and notes that the decision depends on what the
// principal spends. Anyone who looks at the session's also notes its [SessionKey].
func (c *Case) Spends() ([]Spend, error) {
	c.Read(PrincipalKey(c.facts.Session.Principal))
	if c.facts.Recall == nil {
		return c.facts.Spends, nil
	}
	return c.facts.Recall.Spends()
}

// Calls returns the calls of a tool as [CallsOf] lists them, and notes that the
// decision depends on the session.
func (c *Case) Calls(tool string, since int64, most int) ([]*Call, error) {
	c.Read(SessionKey(c.facts.Session.ID))
	if c.facts.Recall == nil {
		return CallsOf(c.facts.Session.Turns, tool, since, most), nil
	}
	return c.facts.Recall.Calls(tool, since, most)
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
	c.Read(PrincipalKey(c.facts.Session.Principal))
	if of.Session { // anyone who spends in it
		c.Read(SessionKey(c.facts.Session.ID))
	}
	if c.facts.Recall == nil {
		return of.Of(c.facts.Session, c.facts.Spends), nil
	}
	return c.facts.Recall.Spent(of)
}
