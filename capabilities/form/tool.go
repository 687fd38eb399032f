package form

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// planParam names the plan that a call means, by its hash.
const planParam = "plan"

// Tool is the capability as a model sees it. Starting changes nothing, the steps do: so the tool is
// allowed and has no effect of its own. An input with :from or a parser may be left out. The optional plan is a
// hash as [Capability.Hash] prints.
func (c *Capability) Tool() *skills.Tool {
	t := &skills.Tool{Name: c.ID, Doc: c.Doc, Tier: skills.TierAllow, Effect: skills.EffectNone,
		Source: sexpr.ListOf(sexpr.Sym(define), sexpr.Str(c.ID), sexpr.Key("version"), sexpr.Str(c.Version))}
	for _, in := range c.Inputs {
		t.Params = append(t.Params, skills.Param{Name: in.Name, Type: in.Type})
		if in.Required && !c.Filled(&in) {
			t.Required = append(t.Required, in.Name)
		}
		if in.Secret {
			t.Secret = append(t.Secret, in.Name)
		}
	}
	t.Params = append(t.Params, skills.Param{Name: planParam, Type: skills.Type{Kind: skills.KindString}})
	return t
}

// Filled reports whether something other than a call may supply an input: a fact, or a pinned parser.
func (c *Capability) Filled(in *Field) bool { return in.From != "" || c.Parser(in.Name) != nil }

// Parser returns the pinned parser of an input; nil if it has none.
func (c *Capability) Parser(input string) *Parser {
	i := slices.IndexFunc(c.Parsers, func(p Parser) bool { return p.Input == input })
	if i < 0 {
		return nil
	}
	return &c.Parsers[i]
}

// IsTool reports whether a tool is a capability: what [Capability.Tool] returned.
func IsTool(t *skills.Tool) bool {
	return t.Source.Len() > 0 && t.Source.Items()[0].IsSym(define)
}

// Check compares a capability with the tools that there are. The error joins an *[Error], without a
// place, for each step whose tool, or that of its undo, is not declared, is a capability, or does not
// take its arguments as far as they are known, or would show a secret input; for tools of :needs that
// are not declared; for an effect without a once-key; and if a declared tool has the capability's name.
func (c *Capability) Check(tools skills.ToolSet) error {
	f := &faults{file: c.ID}
	if t, ok := tools.Tool(c.ID); ok && !IsTool(t) {
		f.add(sexpr.Pos{}, "there is a tool %s already; give the capability another id", c.ID)
	}
	for _, name := range c.Needs.Tools {
		if _, ok := tools.Tool(name); !ok {
			f.add(sexpr.Pos{}, ":needs names the tool %s, which is not declared%s", clip(name), nearTool(name, tools))
		}
	}
	for i := range c.Steps {
		s := &c.Steps[i]
		t := c.tool(f, tools, "step "+s.Name, s.Tool, s.Args)
		if t != nil && t.Effect != skills.EffectNone && c.Once == nil {
			f.add(sexpr.Pos{}, "step %s calls %s, whose effect is %s, and the capability has no once-key; "+
				"write :once (:key (...))", s.Name, t.Name, t.Effect)
		}
		if s.Undo != nil {
			c.tool(f, tools, "the undo of step "+s.Name, s.Undo.Tool, s.Undo.Args)
		}
	}
	return f.err()
}

// tool checks a call; nil for an unknown tool.
func (c *Capability) tool(f *faults, tools skills.ToolSet, what, name string, args sexpr.Value) *skills.Tool {
	t, ok := tools.Tool(name)
	switch {
	case !ok:
		f.add(sexpr.Pos{}, "%s calls %s, which is not declared%s", what, clip(name), nearTool(name, tools))
		return nil
	case IsTool(t):
		f.add(sexpr.Pos{}, "%s calls the capability %s: capabilities do not call each other; write its steps here", what,
			name)
		return nil
	}
	for i := 0; i+1 < args.Len(); i += 2 {
		arg := args.Items()[i]
		for _, secret := range c.secretsIn(args.Items()[i+1]) {
			if !slices.Contains(t.Secret, arg.Text()) {
				f.add(sexpr.Pos{}, "%s shows the secret :%s: %s does not keep its argument %s secret; "+
					"declare it with :secret (%s)", what, secret, t.Name, arg, arg)
			}
		}
	}
	_, err := t.Check(args)
	var schema *skills.SchemaError
	if errors.As(err, &schema) {
		open := slotPaths("", args)
		schema.Faults = slices.DeleteFunc(schema.Faults, func(x skills.Fault) bool { return slices.Contains(open, x.Path) })
		if len(schema.Faults) > 0 {
			f.add(sexpr.Pos{}, "%s: %s", what, schema.Text())
		}
	}
	return t
}

// slotPaths are the places of values that are one slot each, as a [skills.Fault] names them: of what
// type they are is known when they are filled.
func slotPaths(path string, v sexpr.Value) (all []string) {
	switch {
	case v.IsPlist():
		for i := 0; i+1 < v.Len(); i += 2 {
			all = append(all, slotPaths(strings.TrimSpace(path+" "+v.Items()[i].String()), v.Items()[i+1])...)
		}
	case v.Kind() == sexpr.List:
		for i, item := range v.Items() {
			all = append(all, slotPaths(fmt.Sprintf("%s[%d]", path, i), item)...)
		}
	case v.Kind() == sexpr.String:
		if s := plans.Slots(v.Text()); len(s) == 1 && s[0].Start == 0 && s[0].End == len(v.Text()) {
			all = append(all, path)
		}
	}
	return all
}

func nearTool(name string, tools skills.ToolSet) string {
	var names []string
	for _, t := range tools.Tools() {
		names = append(names, t.Name)
	}
	return spell.DidYouMean(name, names)
}
