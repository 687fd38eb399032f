package provenance

import (
	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/said"
	"slices"
)

// Action is what the agent is about to do.
type Action struct {
	Tool *Tool
	Args map[string]any
	Set  []string // the arguments whose values a rule set
	Cwd  string   // the working folder, absolute; "" if not known
	// Partial says that up to here the session lacks a result that the model may have seen;
	// [Index.Partial] says so for good.
	Partial bool
}

// View answers questions about one proposed action. It is valid until its Index changes.
type View struct {
	x      *Index
	a      Action
	leaves []leaf
	told   []*Argument // by leaf: what was found out of it
	called *bool       // whether the task speaks of the action; nil if that was not asked yet
	looked map[lookup]lookup
}

// tooMuch is why nothing is known of a session whose limits were passed by far.
var tooMuch = Unknown{"the session has read more than can be kept track of"}

// For returns the view on an action.
func (x *Index) For(a Action) *View {
	w := &View{x: x, a: a, looked: map[lookup]lookup{}}
	for _, l := range fields.Leaves(a.Args) {
		w.leaves = append(w.leaves, leaf{l, w.role(l), slices.Contains(a.Set, l.Keys[0])})
	}
	return w
}

// Tool is what is known of the action's tool; an empty one if that is nothing.
func (w *View) Tool() *Tool {
	if w.a.Tool == nil {
		return &Tool{}
	}
	return w.a.Tool
}

// Trusted reports whether a value's origin is User, Rule or Trusted.
func (w *View) Trusted(v any) (bool, Where, error) {
	o, at, err := w.Origin(v)
	if err != nil {
		return false, at, err
	}
	return o <= Trusted, at, nil
}

// Said reports whether a value stands in the user's words, a prohibition too.
func (w *View) Said(v any) (bool, Where, error) {
	return w.every(v, func(val *said.Value) (bool, Where, error) {
		if val.Empty {
			return false, Where{}, nil
		}
		st := w.x.user.Stands(val)
		switch {
		case st.Said:
			return true, told(st), nil
		case !w.x.talk.heard:
			return false, Where{}, Unknown{"the session holds no words of the user"}
		case !st.Sure || w.x.lost.words:
			return false, Where{}, Unknown{"some of the user's words were too long to keep"}
		}
		return false, Where{}, nil
	})
}

// every asks about each scalar of a value; a false or unknown answer is the whole's.
func (w *View) every(v any, ask func(*said.Value) (bool, Where, error)) (bool, Where, error) {
	var first Where
	scalars := fields.Scalars(v)
	for i, s := range scalars {
		ok, at, err := ask(said.New(w.x.lex.words, s, w.roleOf(s)))
		if err != nil || !ok {
			return false, at, err
		}
		if i == 0 {
			first = at
		}
	}
	return len(scalars) > 0, first, nil
}

// Untrusted reports whether the session read anything that is not trusted.
func (w *View) Untrusted() (bool, error) { return w.known(w.x.read.any) }

// Text reports whether the session read untrusted text of five words or more, or a zone.
func (w *View) Text() (bool, error) { return w.known(w.x.read.text || w.x.opaque != nil) }

// known is a fact about all that was read: true is certain, false needs all of it.
func (w *View) known(yes bool) (bool, error) {
	if !yes && (w.partial() || w.x.lost.any) {
		return false, Unknown{"not every text that was read is here"}
	}
	return yes, nil
}

// Worst returns the worst origin of what the session read, for the floor of what a
// sub-agent returns; Trusted if it read nothing untrusted.
func (w *View) Worst() (Origin, error) {
	if worst := w.x.read.worst; worst >= Alien || !w.partial() && !w.x.lost.any {
		return max(worst, Trusted), nil
	}
	return 0, Unknown{"not every text that was read is here"}
}

// partial reports whether the session may lack a result that the model saw.
func (w *View) partial() bool { return w.a.Partial || w.x.partial }
