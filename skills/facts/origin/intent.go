package origin

import (
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/provenance"
)

// intent are the questions about the whole action: what it is, and who wanted it.
func (w *Words) intent() []facts.Function {
	text, boolean := facts.Type{Kind: facts.String}, facts.Type{Kind: facts.Bool}
	return []facts.Function{
		{
			Name: "fit", Result: facts.Type{Kind: facts.Number}, Cost: costAction, Optional: 1,
			Params: []facts.Param{{Name: "unknown", Type: facts.Type{Kind: facts.Number}}},
			Doc: "How well the action fits what the user asked for: 2 class and noun of its tool stand in the user's words, 1 " +
				"the class, 0.5 the noun, 0 neither. Where that is not known, it is the number given for that.",
			Call: w.keep("fit", fit),
		},
		{
			Name: "commanded", Result: facts.Type{Kind: facts.Int}, Cost: costAction, Optional: 2,
			Params: []facts.Param{
				{Name: "by", Type: text, Words: commandWords(), Literal: true},
				{Name: "unknown", Type: facts.Type{Kind: facts.Int}},
			},
			Doc: "How closely a directive in a result asks for the action: 3 it names the tool, 2 class and noun, 1 the " +
				"class, 0 not. By :any directive, or by an :alien one, one in a source that the user did not point at " +
				"(:unpointed) or did (:pointed), or was told to follow (:delegated). Where that is not known, it is the number " +
				"given for that.",
			Call: w.keep("commanded", commanded),
		},
		{
			Name: "delegates?", Result: boolean, Cost: costAction,
			Doc:  "Whether the user said to do what some source says.",
			Call: w.call(func(v *provenance.View, _ []any) (any, error) { return v.Delegates() }),
		},
		{
			Name: "read-untrusted?", Result: boolean, Cost: costAction, Optional: 1,
			Params: []facts.Param{{Name: "unknown", Type: boolean}},
			Doc: "Whether the session has read anything that is not trusted. Where that is not known, it is what is given for " +
				"that.",
			Call: w.call(func(v *provenance.View, args []any) (any, error) {
				yes, err := v.Untrusted()
				if err != nil && len(args) > 0 {
					return args[0], nil
				}
				return yes, err
			}),
		},
		{
			Name: "read-text?", Result: boolean, Cost: costAction,
			Doc:  "Whether the session has read a text of five words or more that is not trusted, or a directive.",
			Call: w.call(func(v *provenance.View, _ []any) (any, error) { return v.Text() }),
		},
		{
			Name: "reads?", Result: boolean, Cost: costAction,
			Doc:  "Whether the action's tool only reads: its :effect is :none, or it is not declared and its name says so.",
			Call: w.call(func(v *provenance.View, _ []any) (any, error) { return v.Tool().Read, nil }),
		},
		{
			Name: "classes", Cost: costAction,
			Result: facts.ListOf(facts.Type{Kind: facts.String, Words: Classes()}, len(classes())),
			Doc:    "The classes of the action's tool, such as :pay, in the order of their names; none of one that only reads.",
			Call:   w.call(classesOf),
		},
	}
}

// fit answers (fit); the argument takes the place of what is not known.
func fit(v *provenance.View, args []any) (any, error) {
	n, err := v.Fit()
	if err != nil && len(args) > 0 {
		return args[0], nil
	}
	return n, err
}

// classesOf answers (classes).
func classesOf(v *provenance.View, _ []any) (any, error) {
	out := []any{}
	all := classes()
	for _, name := range Classes() {
		if v.Tool().Classes&all[name] != 0 {
			out = append(out, name)
		}
	}
	return out, nil
}

// commands are the words that commanded takes.
func commands() map[string]provenance.Command {
	return map[string]provenance.Command{
		"any": provenance.ByAny, "alien": provenance.ByAlien, "unpointed": provenance.ByUnpointed,
		"pointed": provenance.ByPointed, "delegated": provenance.ByDelegated,
	}
}

func commandWords() []string { return []string{"any", "alien", "unpointed", "pointed", "delegated"} }

func commanded(v *provenance.View, args []any) (any, error) {
	by := provenance.ByAny
	if len(args) > 0 {
		word, _ := args[0].(string)
		by = commands()[word]
	}
	n, _, err := v.Commanded(by)
	if err != nil && len(args) > 1 {
		return args[1], nil
	}
	return int64(n), err
}
