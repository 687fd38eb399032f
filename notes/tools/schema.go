package tools

import (
	"github.com/opencortex-go/cortex/notes"
	"github.com/opencortex-go/cortex/skills"
)

// The names of the tools.
const (
	Focus    = "note_focus"
	Add      = "note_add"
	Edit     = "note_edit"
	Move     = "note_move"
	Remove   = "note_remove"
	Rollback = "note_rollback"
)

// schemas declare the tools: what they take, and what rules about origins and intent go by. To look at a
// note changes nothing but what the session sees.
func schemas() []*skills.Tool {
	text := skills.Type{Kind: skills.KindString}
	note, below := skills.Param{Name: "note", Type: text}, skills.Param{Name: "parent", Type: text}
	at := skills.Param{Name: "version", Type: skills.Type{Kind: skills.KindInteger}}
	says := []skills.Param{{Name: "title", Type: text}, {Name: "body", Type: text},
		{Name: "tags", Type: skills.Type{Kind: skills.KindList, Elem: &text}}, {Name: "status", Type: text}}
	scope := skills.Param{Name: "scope", Type: skills.Type{Kind: skills.KindEnum,
		Enum: []string{string(notes.Memex), string(notes.Project), string(notes.Session)}}}
	look := schema(Focus, "", "Look at a note: from now on you see it whole, and those around it by title, as far as "+
		":scope says.", []string{"note"}, note, scope)
	look.Tier, look.Effect = skills.TierAllow, skills.EffectNone
	return []*skills.Tool{
		look,
		schema(Add, "create", "Write a new note, below :parent or at the top.", []string{"title"}, append(says, below)...),
		schema(Edit, "update", "Change what a note says; what is not given stays. With :version it is done only if that is "+
			"the note's version still.", []string{"note"}, append([]skills.Param{note, at}, says...)...),
		schema(Move, "update", "Hang a note, with those below it, below :parent, or at the top without one.",
			[]string{"note"}, note, below),
		schema(Remove, "delete", "Remove a note, and those below it. A person can bring them back.", []string{"note"}, note),
		schema(Rollback, "update", "Have a note say again what it said in an earlier :version.", []string{"note", "version"},
			note, at),
	}
}

// schema declares a tool that asks. class is what kind of effect it has; "" for none.
func schema(name, class, doc string, required []string, params ...skills.Param) *skills.Tool {
	s := &skills.Tool{Name: name, Doc: doc, Params: params, Required: required, Tier: skills.TierAsk,
		Effect: skills.EffectLocal, Idempotent: true, Nouns: []string{"note"}, Roles: map[string]string{}}
	if class != "" {
		s.Classes = []string{class}
	}
	for _, p := range params {
		switch p.Name {
		case "note", "parent":
			s.Roles[p.Name] = "id"
		case "title", "body", "tags":
			s.Roles[p.Name] = "content"
		}
	}
	return s
}
