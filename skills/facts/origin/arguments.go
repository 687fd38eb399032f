package origin

import (
	"fmt"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/provenance"
)

func argumentType() facts.Type {
	text := facts.Type{Kind: facts.String}
	return facts.Type{Kind: facts.Record, Name: "argument", Fields: []facts.Field{
		{Name: "name", Doc: "where it stands: to, files[2]", Type: text},
		{Name: "value", Doc: "the value", Type: facts.Type{Kind: facts.Any}},
		{Name: "text", Doc: "the value as a text, also where it is a number or a flag", Type: text},
		{Name: "role", Doc: "what it steers; \"\" if that is not known", Type: facts.Type{Kind: facts.String,
			Words: append(Roles(), "")}},
		{Name: "strong", Doc: "whether it decides who gets what, and where", Type: facts.Type{Kind: facts.Bool}},
		{Name: "origin", Doc: "where it came from; see origin", Type: facts.Type{Kind: facts.String, Words: names()}},
	}}
}

// arguments answers (arguments).
func arguments(v *provenance.View, args []any) (any, error) {
	var want func(r provenance.Role, strong bool) bool
	if len(args) > 0 {
		word, _ := args[0].(string)
		want = func(r provenance.Role, strong bool) bool { return roleName(r) == word || strong && word == "strong" }
	}
	list := v.Arguments(want)
	if len(list) > maxArguments {
		return nil, fmt.Errorf("the action has more than %d values", maxArguments)
	}
	out := make([]any, len(list))
	for i := range list {
		a := &list[i]
		from, err := told(a.Origin.String(), a.Err)
		if err != nil {
			return nil, err
		}
		out[i] = map[string]any{"name": a.Path, "value": a.Value, "text": a.Text, "role": roleName(a.Role),
			"strong": a.Strong, "origin": from}
	}
	return out, nil
}

// roleName is a role as :roles writes it; "" for one that is not known.
func roleName(r provenance.Role) string {
	if r == provenance.NoRole {
		return ""
	}
	return r.String()
}

// Argument is a value of an action, and where it came from, for people.
type Argument struct {
	Name   string // "to", "files[2]"
	Value  any
	Role   string // what it steers; "" if that is not known
	Origin string // "unknown" where Why is set
	Why    string // why the origin is not known
	Ref    uint64 // the record that it was found in; 0 for none. See [skills.Entry]
	Tool   string // that gave the result; "" for a message
	Record int    // of the result, from 1; 0 for the result as a whole
	Field  string // of the record; "" if it has none
	Text   string // the text around it, at most 120 bytes
}

// Arguments says where each value of the case's action came from.
func (w *Words) Arguments(c *skills.Case) ([]Argument, error) {
	v, err := w.view(c)
	if err != nil {
		return nil, err
	}
	var out []Argument
	for _, a := range v.Arguments(nil) {
		n := Argument{Name: a.Path, Value: a.Value, Role: roleName(a.Role), Origin: a.Origin.String(),
			Ref: uint64(a.Where.Ref), Tool: a.Where.Tool, Record: a.Where.Record, Field: a.Where.Key, Text: a.Where.Text}
		if a.Err != nil {
			n.Origin, n.Why = provenance.Origin(0).String(), a.Err.Error()
		}
		out = append(out, n)
	}
	return out, nil
}
