package form

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/slots"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Seen is what slots are filled from. Each is an object; nil is an empty one.
type Seen struct {
	Inputs sexpr.Value // {{app}}
	Work   sexpr.Value // {{work.previous}}
	Ctx    sexpr.Value // {{facts.ctx.app}}
}

// look finds what a slot takes. Null counts as unset.
func (s Seen) look(slot plans.Slot) (sexpr.Value, bool) {
	from, path := s.Inputs, slot.Name
	if key, ok := strings.CutPrefix(path, "work."); ok {
		from, path = s.Work, key
	} else if key, ok := strings.CutPrefix(path, "facts.ctx."); ok {
		from, path = s.Ctx, key
	}
	v := plans.Lookup(from, path)
	return v, !v.IsSym("null")
}

// Fill returns the action of a step. A slot that is a whole argument takes any value, and one in a
// longer text letters, digits, ., _ and -, never two dots in a row. In a command line a value stays
// one word, quoted, and does not begin with -. The error says which slots cannot be filled, and why;
// it quotes no value.
func (c *Capability) Fill(step *Step, seen Seen) (*skills.Action, error) {
	return fill("step "+step.Name, step.Tool, step.Args, seen)
}

// FillUndo returns the action that makes up for a step. It is an error if the step has none.
func (c *Capability) FillUndo(step *Step, seen Seen) (*skills.Action, error) {
	if step.Undo == nil {
		return nil, fmt.Errorf("nothing makes up for step %s: %s", step.Name, step.Why)
	}
	return fill("the undo of step "+step.Name, step.Undo.Tool, step.Undo.Args, seen)
}

func fill(what, tool string, args sexpr.Value, seen Seen) (*skills.Action, error) {
	filled, err := put(what, args, seen)
	if err != nil {
		return nil, err
	}
	return skills.NewAction(tool, filled, "")
}

func put(what string, v sexpr.Value, seen Seen) (sexpr.Value, error) {
	out, faults := slots.Put(v, seen.look)
	var all []error
	for _, f := range faults {
		switch {
		case f.Unset:
			all = append(all, fmt.Errorf("%s fills in {{%s}}, which is not set", what, f.Slot.Name))
		case f.Fix == "":
			all = append(all, fmt.Errorf("%s has a command that takes no values: %s", what, f.Text))
		default:
			all = append(all, fmt.Errorf("%s fills in {{%s}}, and its value %s, expected %s", what, f.Slot.Name, f.Text, f.Fix))
		}
	}
	return out, errors.Join(all...)
}

// Open reports whether a step cannot be filled in advance: a slot takes what an earlier step gives,
// or a person is asked, whose answer no yes to the plan can be.
func (c *Capability) Open(step *Step) bool {
	if step.Tool == skills.AskPersonTool {
		return true
	}
	return c.rests(step, step.Args, false)
}

// OpenUndo is [Capability.Open] for what makes up for a step, which may also take what the step itself gives.
func (c *Capability) OpenUndo(step *Step) bool {
	return step.Undo != nil && (step.Undo.Tool == skills.AskPersonTool || c.rests(step, step.Undo.Args, true))
}

// rests reports whether a slot takes what a step before gives, or the step itself if own is set.
func (c *Capability) rests(step *Step, args sexpr.Value, own bool) bool {
	given := map[string]bool{}
	for i := range c.Steps {
		last := c.Steps[i].Name == step.Name
		if last && !own {
			break
		}
		for _, out := range c.Steps[i].Out {
			given[out.Name] = true
		}
		if last {
			break
		}
	}
	return slices.ContainsFunc(slotsIn(args), func(s plans.Slot) bool {
		key, work := strings.CutPrefix(s.Name, "work.")
		first, _, _ := strings.Cut(key, ".")
		return work && given[first]
	})
}

// slotsIn are the slots of all texts in a value.
func slotsIn(v sexpr.Value) (all []plans.Slot) {
	if v.Kind() == sexpr.String {
		return plans.Slots(v.Text())
	}
	for _, item := range v.Items() {
		all = append(all, slotsIn(item)...)
	}
	return all
}

// ResultOf returns the outputs of a run that went well, an object, by :result. The error says what
// cannot be filled in, or is not of its type.
func (c *Capability) ResultOf(seen Seen) (sexpr.Value, error) {
	out := sexpr.EmptyObject()
	for _, r := range c.Result {
		v, err := put("the output "+r.Name, r.Value, seen)
		if err != nil {
			return sexpr.Nil(), err
		}
		out = out.With(r.Name, v)
	}
	shape := skills.Tool{Name: c.ID}
	for _, f := range c.Outputs {
		shape.Params = append(shape.Params, skills.Param{Name: f.Name, Type: f.Type})
		shape.Required = append(shape.Required, f.Name)
	}
	return shape.Check(out)
}

// onceDomain separates once-keys from every other hash.
const onceDomain = "cortex/once/1"

// OnceKey is the digest over the id and what :once names: texts, values of inputs and the principal,
// each for itself, so that ("a:b" "c") and ("a" "b:c") differ. An input that is not there counts as
// null. It reports false if the capability has no once-key, or the inputs have no canonical form.
func (c *Capability) OnceKey(inputs sexpr.Value, principal string) (sexpr.Digest, bool) {
	if c.Once == nil {
		return sexpr.Digest{}, false
	}
	parts := []sexpr.Value{sexpr.Str(c.ID)}
	for _, p := range c.Once.Key {
		switch p.Input {
		case "":
			parts = append(parts, sexpr.Str(p.Text))
		case Principal:
			parts = append(parts, sexpr.Str(principal))
		default:
			v, ok := inputs.Get(p.Input)
			if !ok {
				v = sexpr.Null()
			}
			parts = append(parts, v)
		}
	}
	text, err := sexpr.Canonical(sexpr.ListOf(parts...))
	if err != nil {
		return sexpr.Digest{}, false
	}
	return sexpr.DigestText(onceDomain, text), true
}
