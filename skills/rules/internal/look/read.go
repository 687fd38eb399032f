package look

import (
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

// Root is where a name of a condition begins.
type Root uint8

// The roots: the fixed names of [Members], now, and what is at hand.
const (
	Value Root = iota // a value at hand: it, or a name that let gave
	Action
	Tool
	Args
	Text
	Explanation
	Sensor
	Source
	SignalSession
	SignalText
	From
	Principal
	Roles
	UserText
	Calls
	Whole
	Ctx
	Env
	Work
	Step
	Policy
	Now
)

// View is what conditions of one rulebook see of a case, and the environment that
// their programs run in.
type View struct {
	Case *skills.Case
	// Tools are the names of the tools, ready to be compared: making a string into a
	// value costs an allocation.
	Tools map[string]any
}

// Path is a name of a condition, resolved: action.args.opts.depth.
type Path struct {
	Root Root
	Keys []string
	Name string // as written, for messages
}

// The three ways to look along a path. base is the *[View], or the value at hand, and r
// the *[Path]. Only Read minds what is missing.

// Read is what stands at the path; that nothing does is an error.
func Read(base, r any) any {
	at := r.(*Path)
	v, ok := at.find(base)
	if !ok {
		value.Fail("%s is not there", at.Name)
	}
	return v
}

// Has reports whether something stands at the path.
func Has(base, r any) bool {
	_, ok := r.(*Path).find(base)
	return ok
}

// Missing reports whether nothing, or null, stands at the path.
func Missing(base, r any) bool {
	v, ok := r.(*Path).find(base)
	return !ok || value.IsNull(v)
}

// find follows the path. Something on the way that has no members, or is not
// known, is an error even for has.
func (r *Path) find(base any) (any, bool) {
	v := base
	var ok bool
	if r.Root != Value {
		if v, ok = base.(*View).root(r.Root); !ok {
			return nil, false
		}
	}
	for _, k := range r.Keys {
		m, is := v.(map[string]any)
		if !is {
			value.Fail("%s: found %s where :%s is looked for", r.Name, value.KindOf(value.Seen(v)), k)
		}
		if v, ok = m[k]; !ok {
			return nil, false
		}
	}
	return value.Known(v), true
}

// root is the value of a root, and whether there is one. Facts that nobody gave
// are not there; an empty list of roles is.
func (w *View) root(r Root) (any, bool) {
	switch r {
	case Action, Tool, Args, Text, Explanation:
		return w.action(r)
	case Sensor, Source, SignalSession, SignalText, From:
		return w.signal(r)
	case Principal, Roles, UserText, Calls, Whole:
		return w.session(r)
	}
	f := w.facts()
	switch r {
	case Ctx:
		return w.board("rules/facts.ctx", f.Ctx)
	case Env:
		return w.board("rules/facts.env", f.Env)
	case Work:
		return w.board("rules/facts.work", f.Work)
	case Step:
		return w.board("rules/facts.step", f.Step.Value())
	case Policy:
		return w.board("rules/facts.policy", f.Policy)
	case Now:
		return f.Now, f.Now != 0
	}
	return nil, false
}

func (w *View) facts() *skills.Facts {
	if w.Case.Facts() == nil {
		return &skills.Facts{}
	}
	return w.Case.Facts()
}

func (w *View) action(r Root) (any, bool) {
	a := w.Case.Action()
	if a == nil {
		return nil, false
	}
	switch r {
	case Action:
		return a, true
	case Tool:
		if v, ok := w.Tools[a.Tool()]; ok {
			return v, true
		}
		return a.Tool(), true
	case Args:
		return a.Native(), true
	case Text:
		return w.memo("rules/action.text", func() any { return allText(a.Args()) }), true
	}
	return a.Explanation(), true
}

// signal reads a field of the signal. A signal may have no text; the rest is
// there or is not.
func (w *View) signal(r Root) (any, bool) {
	s := &w.facts().Signal
	var v string
	switch r {
	case Sensor:
		v = s.Sensor
	case Source:
		v = s.Source
	case SignalSession:
		v = s.Session
	case From:
		v = s.Principal
	case SignalText:
		return s.Text, s.Text != "" || s.Sensor != "" || s.Source != "" || s.Type != ""
	}
	return v, v != ""
}

// session reads who asks, or the conversation; only the latter changes, so only
// on that does the decision depend.
func (w *View) session(r Root) (any, bool) {
	s := &w.facts().Session
	switch r {
	case Principal:
		return s.Principal, s.Principal != ""
	case Roles:
		return w.memo("rules/session.roles", func() any { return strings2any(s.Roles) }), true
	}
	if w.Case.Facts() == nil {
		return nil, false
	}
	if r == Whole {
		return w.memo("rules/session.whole", func() any { return w.whole() }), true
	}
	if r == UserText {
		return w.memo("rules/session.user-text", func() any { return userText(w.turns()) }), true
	}
	return w.memo("rules/session.calls", func() any { return calls(w.turns()) }), true
}

func (w *View) whole() bool {
	whole, err := w.Case.Whole()
	if err != nil {
		value.Fail("what happened so far cannot be looked up: %w", err)
	}
	return whole
}

func (w *View) turns() []skills.Turn {
	turns, err := w.Case.Turns()
	if err != nil {
		value.Fail("what happened so far cannot be looked up: %w", err)
	}
	return turns
}

// board is one plist of the blackboard.
func (w *View) board(key string, v sexpr.Value) (any, bool) {
	if v.IsNil() {
		return nil, false
	}
	return w.memo(key, func() any { return skills.Native(v) }), true
}

// memo makes a value once for a case.
func (w *View) memo(key string, make func() any) any {
	if v := w.Case.Shared(key); v != nil {
		return v
	}
	v := make()
	w.Case.Share(key, v)
	return v
}
