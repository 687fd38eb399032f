package condition

import (
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

// root is where a name of a condition begins.
type root uint8

const (
	rootValue root = iota // a value at hand: it, or a name that let gave
	rootAction
	rootTool
	rootArgs
	rootText
	rootExplanation
	rootSensor
	rootSource
	rootSignalSession
	rootSignalText
	rootFrom
	rootPrincipal
	rootRoles
	rootUserText
	rootCalls
	rootCtx
	rootEnv
	rootWork
	rootPolicy
	rootNow
)

// names is what machines of one rulebook share: tool names ready to be compared,
// because making a string into a value costs an allocation.
type names struct{ tools map[string]any }

// ref is a path of a condition, resolved: action.args.opts.depth.
type ref struct {
	root root
	keys []string
	name string // as written, for messages
}

// The three ways to look along a path. base is the machine, or the value at
// hand. Only read minds what is missing.

func read(base, r any) any {
	at := r.(*ref)
	v, ok := at.find(base)
	if !ok {
		value.Fail("%s is not there", at.name)
	}
	return v
}

func has(base, r any) bool {
	_, ok := r.(*ref).find(base)
	return ok
}

// missing is also true of null.
func missing(base, r any) bool {
	v, ok := r.(*ref).find(base)
	return !ok || value.IsNull(v)
}

// find follows the path. Something on the way that has no members, or is not
// known, is an error even for has.
func (r *ref) find(base any) (any, bool) {
	v := base
	var ok bool
	if r.root != rootValue {
		if v, ok = base.(*machine).root(r.root); !ok {
			return nil, false
		}
	}
	for _, k := range r.keys {
		m, is := v.(map[string]any)
		if !is {
			value.Fail("%s: found %s where :%s is looked for", r.name, value.KindOf(value.Seen(v)), k)
		}
		if v, ok = m[k]; !ok {
			return nil, false
		}
	}
	return value.Known(v), true
}

// root is the value of a root, and whether there is one. Facts that nobody gave
// are not there; an empty list of roles is.
func (m *machine) root(r root) (any, bool) {
	switch r {
	case rootAction, rootTool, rootArgs, rootText, rootExplanation:
		return m.action(r)
	case rootSensor, rootSource, rootSignalSession, rootSignalText, rootFrom:
		return m.signal(r)
	case rootPrincipal, rootRoles, rootUserText, rootCalls:
		return m.session(r)
	}
	f := m.facts()
	switch r {
	case rootCtx:
		return m.board("rules/facts.ctx", f.Ctx)
	case rootEnv:
		return m.board("rules/facts.env", f.Env)
	case rootWork:
		return m.board("rules/facts.work", f.Work)
	case rootPolicy:
		return m.board("rules/facts.policy", f.Policy)
	case rootNow:
		return f.Now, f.Now != 0
	}
	return nil, false
}

func (m *machine) facts() *skills.Facts {
	if m.c.Facts == nil {
		return &skills.Facts{}
	}
	return m.c.Facts
}

func (m *machine) action(r root) (any, bool) {
	a := m.c.Action
	if a == nil {
		return nil, false
	}
	switch r {
	case rootAction:
		return a, true
	case rootTool:
		if v, ok := m.book.tools[a.Tool()]; ok {
			return v, true
		}
		return a.Tool(), true
	case rootArgs:
		return a.Native(), true
	case rootText:
		return m.memo("rules/action.text", func() any { return allText(a.Args()) }), true
	}
	return a.Explanation(), true
}

// signal reads a field of the signal. A signal may have no text; the rest is
// there or is not.
func (m *machine) signal(r root) (any, bool) {
	s := &m.facts().Signal
	var v string
	switch r {
	case rootSensor:
		v = s.Sensor
	case rootSource:
		v = s.Source
	case rootSignalSession:
		v = s.Session
	case rootFrom:
		v = s.Principal
	case rootSignalText:
		return s.Text, s.Text != "" || s.Sensor != "" || s.Source != "" || s.Type != ""
	}
	return v, v != ""
}

// session reads who asks, or the conversation; only the latter changes, so only
// on that does the decision depend.
func (m *machine) session(r root) (any, bool) {
	s := &m.facts().Session
	switch r {
	case rootPrincipal:
		return s.Principal, s.Principal != ""
	case rootRoles:
		return m.memo("rules/session.roles", func() any { return strings2any(s.Roles) }), true
	}
	if m.c.Facts == nil {
		return nil, false
	}
	if r == rootUserText {
		return m.memo("rules/session.user-text", func() any { return userText(m.turns()) }), true
	}
	return m.memo("rules/session.calls", func() any { return calls(m.turns()) }), true
}

func (m *machine) turns() []skills.Turn {
	turns, err := m.c.Turns()
	if err != nil {
		value.Fail("what happened so far cannot be looked up: %w", err)
	}
	return turns
}

// board is one plist of the blackboard.
func (m *machine) board(key string, v sexpr.Value) (any, bool) {
	if v.IsNil() {
		return nil, false
	}
	return m.memo(key, func() any { return skills.Native(v) }), true
}

// memo makes a value once for a case.
func (m *machine) memo(key string, make func() any) any {
	if v, ok := m.c.Memo[key]; ok {
		return v
	}
	v := make()
	if m.c.Memo == nil {
		m.c.Memo = map[string]any{}
	}
	m.c.Memo[key] = v
	return v
}
