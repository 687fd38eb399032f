package provenance

import "github.com/opencortex-go/cortex/skills/provenance/internal/draft"

// Param is one parameter of a tool, as its schema has it.
type Param struct {
	Name, Doc string
	Type      string // of JSON schema: "string", "integer", "boolean"
}

// Draft returns the declaration that a tool's name, description and parameters suggest.
// Every part of it is a guess. An unknown verb is an effect.
func (l *Lexicon) Draft(name, doc string, params []Param) Tool {
	all := make([]draft.Param, len(params))
	for i, p := range params {
		all[i] = draft.Param(p)
	}
	d := draft.Of(l.words, name, doc, all)
	return Tool{Name: name, Read: d.Read, Classes: d.Classes, Verb: d.Verb, Nouns: d.Nouns, Roles: d.Roles}
}
