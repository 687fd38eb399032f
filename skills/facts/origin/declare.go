package origin

import (
	"maps"
	"slices"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/provenance"
)

// classes are the words of :class.
func classes() map[string]provenance.Class {
	return map[string]provenance.Class{
		"comm": provenance.Comm, "pay": provenance.Pay, "book": provenance.Book, "create": provenance.Create,
		"update": provenance.Update, "delete": provenance.Delete, "grant": provenance.Grant, "run": provenance.Run,
	}
}

// roles are the words of :roles.
func roles() map[string]provenance.Role {
	return map[string]provenance.Role{
		"principal": provenance.Principal, "net": provenance.Net, "secret": provenance.Secret,
		"permission": provenance.Permission, "code": provenance.Code, "id": provenance.ID, "object": provenance.Object,
		"time": provenance.Time, "amount": provenance.Amount, "content": provenance.Content, "flag": provenance.Flag,
	}
}

// Classes returns the words that :class of a deftool may hold, sorted.
func Classes() []string { return slices.Sorted(maps.Keys(classes())) }

// Roles returns the words that :roles of a deftool may hold, sorted.
func Roles() []string { return slices.Sorted(maps.Keys(roles())) }

// declared is a tool in the words of provenance: what it declares, and where it declares
// nothing, what its name, its description and its parameters suggest.
func declared(l *provenance.Lexicon, t *skills.Tool) *provenance.Tool {
	params := make([]provenance.Param, len(t.Params))
	for i, p := range t.Params {
		params[i] = provenance.Param{Name: p.Name, Type: schemaType(p.Type)}
	}
	out := l.Draft(t.Name, t.Doc, params)
	out.Read = t.Effect == skills.EffectNone
	if len(t.Classes) > 0 {
		out.Classes = 0
		for _, c := range t.Classes {
			out.Classes |= classes()[c]
		}
	}
	if out.Read {
		out.Classes = 0
	}
	if t.Nouns != nil {
		out.Nouns = t.Nouns
	}
	if out.Roles == nil {
		out.Roles = map[string]provenance.Role{}
	}
	for _, p := range t.Params {
		if r, ok := kindRole(p.Type); ok {
			out.Roles[p.Name] = r
		}
	}
	for arg, r := range t.Roles {
		out.Roles[arg] = roles()[r]
	}
	switch out.Fields = t.Fields; {
	case t.Trusted:
		out.Output = provenance.TrustedOutput
	case t.Mixed:
		out.Output = provenance.Mixed
	default:
		out.Output = provenance.Untrusted
	}
	return &out
}

// kindRole is the role that a parameter's kind settles.
func kindRole(t skills.Type) (provenance.Role, bool) {
	switch t.Kind {
	case skills.KindCommand, skills.KindSQL:
		return provenance.Code, true
	case skills.KindHost, skills.KindURL:
		return provenance.Net, true
	case skills.KindBoolean:
		return provenance.Flag, true
	case skills.KindList:
		if t.Elem != nil {
			return kindRole(*t.Elem)
		}
	case skills.KindAny, skills.KindString, skills.KindInteger, skills.KindNumber, skills.KindEnum, skills.KindObject,
		skills.KindPath:
	}
	return 0, false
}

// schemaType is a kind as JSON schema has it.
func schemaType(t skills.Type) string {
	switch t.Kind {
	case skills.KindBoolean:
		return "boolean"
	case skills.KindInteger:
		return "integer"
	case skills.KindNumber:
		return "number"
	case skills.KindList:
		return "array"
	case skills.KindObject, skills.KindAny:
		return "object"
	case skills.KindString, skills.KindEnum, skills.KindCommand, skills.KindPath, skills.KindHost, skills.KindURL,
		skills.KindSQL:
	}
	return "string"
}
