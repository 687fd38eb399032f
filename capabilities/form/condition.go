package form

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Condition is a condition of a plan: a form of the rule language. It reads the call of the
// capability as every rule reads an action, so an input is action.args.app. It also reads facts, and
// facts.work holds what earlier steps gave. Its JSON is the text of the form.
type Condition struct {
	form     sexpr.Value
	compiled *rules.Condition
}

// Form is what the condition asks, as rules would write it.
func (c *Condition) Form() sexpr.Value { return c.form }

// Holds answers whether the condition holds for a case, whose action is the call of the capability.
// The error is a *[rules.Unjudged] where something that it reads is missing or of the wrong kind.
// The nil Condition holds.
func (c *Condition) Holds(on *skills.Case) (bool, error) {
	if c == nil {
		return true, nil
	}
	if c.compiled == nil {
		return false, errors.New("the condition was not compiled")
	}
	holds, err := c.compiled.Holds(on)
	if err != nil {
		return false, fmt.Errorf("the condition %v cannot be judged: %w", c.form, err)
	}
	return holds, nil
}

// MarshalJSON writes the text of the form.
func (c *Condition) MarshalJSON() ([]byte, error) { return marshalForm(c.form) }

// UnmarshalJSON reads what MarshalJSON wrote. [Load] compiles it.
func (c *Condition) UnmarshalJSON(text []byte) (err error) {
	c.form, err = unmarshalForm(text)
	return err
}

func marshalForm(v sexpr.Value) ([]byte, error) {
	text, err := sexpr.Print(v)
	if err != nil {
		return nil, fmt.Errorf("a form: %w", err)
	}
	return json.Marshal(text)
}

func unmarshalForm(text []byte) (sexpr.Value, error) {
	var form string
	if err := json.Unmarshal(text, &form); err != nil {
		return sexpr.Value{}, fmt.Errorf("a form: %w", err)
	}
	return sexpr.Reader{Code: true}.Read("", form)
}

// conditions are all that the capability holds.
func (c *Capability) conditions() []*Condition {
	all := append([]*Condition(nil), c.Needs.When...)
	for i := range c.Steps {
		for _, x := range []*Condition{c.Steps[i].When, c.Steps[i].Guard} {
			if x != nil {
				all = append(all, x)
			}
		}
	}
	return all
}

// compile compiles the conditions, and checks the clauses. text is the file that they stand in.
func (c *Capability) compile(f *faults, text string) {
	all := c.conditions()
	forms := make([]sexpr.Value, len(all))
	for i, x := range all {
		forms[i] = x.form
	}
	loader := rules.Loader{Tools: []*skills.Tool{c.Tool()}}
	compiled, err := loader.Conditions(f.file, text, forms...)
	f.rules(err)
	for i := range compiled {
		all[i].compiled, all[i].form = &compiled[i], compiled[i].Form()
	}
	if clauses := c.Clauses(); !clauses.IsNil() {
		_, err := loader.Skill(f.file, text, sexpr.ListOf(sexpr.Sym("defskill"), sexpr.Str(c.ID),
			sexpr.Key("trigger"), c.trigger(), sexpr.Key("gate"), clauses).At(c.at))
		f.rules(err)
	}
}

// trigger is the condition of a skill that is about the capability's calls.
func (c *Capability) trigger() sexpr.Value {
	return sexpr.ListOf(sexpr.Sym("="), sexpr.Sym("action.tool"), sexpr.Str(c.ID))
}

// Clauses are the clauses of a defskill that guards the capability's calls: one that keeps out who
// has none of the roles, and those of Gate.
func (c *Capability) Clauses() sexpr.Value {
	if len(c.Roles) == 0 {
		return c.Gate
	}
	has := []sexpr.Value{sexpr.Sym("or")}
	for _, role := range c.Roles {
		has = append(has, sexpr.ListOf(sexpr.Sym("="), sexpr.Sym("it"), sexpr.Str(role)))
	}
	clause := sexpr.ListOf(sexpr.Sym("deny"), sexpr.Sym("roles"),
		sexpr.Key("when"), sexpr.ListOf(sexpr.Sym("none"), sexpr.Sym("session.roles"), sexpr.ListOf(has...)),
		sexpr.Key("reason"), sexpr.Str(c.ID+" is for others: it asks for the role "+list(c.Roles, "or")))
	return sexpr.ListOf(append([]sexpr.Value{clause}, c.Gate.Items()...)...).At(c.Gate.Pos())
}
