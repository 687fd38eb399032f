package capabilities

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// fact finds the value of a path such as "facts.ctx.app". It is false if nothing stands there.
func fact(path string, f *skills.Facts) (sexpr.Value, bool) {
	board, key, _ := strings.Cut(strings.TrimPrefix(path, "facts."), ".")
	from := map[string]sexpr.Value{"ctx": f.Ctx, "env": f.Env, "work": f.Work, "policy": f.Policy}[board]
	v := plans.Lookup(from, key)
	return v, !v.IsSym("null")
}

// outputs are what a step gives to work.
func outputs(step *form.Step, r act.Receipt) (sexpr.Value, error) {
	out := sexpr.EmptyObject()
	for _, o := range step.Out {
		path, inResult := strings.CutPrefix(o.Part, "result")
		v := sexpr.Str(strings.TrimSpace(r.Text))
		if inResult {
			v = r.Result
			if key := strings.TrimPrefix(path, "."); key != "" {
				v = plans.Lookup(r.Result, key)
			}
			if v.IsSym("null") || v.IsNil() {
				return out, fmt.Errorf("it returned no %s", o.Part)
			}
		}
		out = out.With(o.Name, v)
	}
	return out, kept(out)
}

// maxKept bounds what a step gives to work, and what a run returns, in bytes of JSON.
const maxKept = 64 << 10

// kept says why the log of a run cannot keep values, which would then be read no more; nil if it can.
func kept(v sexpr.Value) error {
	text, err := canon.Of(v)
	if err == nil && len(text) > maxKept {
		return fmt.Errorf("it returned %d bytes, and a run keeps at most %d", len(text), maxKept)
	}
	if err == nil {
		var back sexpr.Value
		err = json.Unmarshal(text, &back)
	}
	return err
}

// stepOf finds a step by its name; nil if there is none.
func stepOf(v *form.Capability, name string) *form.Step {
	for i := range v.Steps {
		if v.Steps[i].Name == name {
			return &v.Steps[i]
		}
	}
	return nil
}

// clausesOf compiles the clauses of a capability's own.
func clausesOf(v *form.Capability) ([]skills.Gate, error) {
	clauses := v.Clauses()
	if clauses.IsNil() {
		return nil, nil
	}
	skill, err := rules.Loader{Tools: []*skills.Tool{v.Tool()}}.Skill(v.ID, clauses.String(),
		sexpr.ListOf(sexpr.Sym("defskill"), sexpr.Str(v.ID), sexpr.Key("trigger"),
			sexpr.ListOf(sexpr.Sym("="), sexpr.Sym("action.tool"), sexpr.Str(v.ID)), sexpr.Key("gate"), clauses))
	if err != nil {
		return nil, fmt.Errorf("the clauses of %s: %w", v.ID, err)
	}
	return skill.Gates, nil
}
