package rules

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/origin"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
)

// intent reads what a deftool declares about origin and intent: what kind of effect the
// tool has, what its calls are about, and what its arguments steer.
func (k kinds) intent(t *skills.Tool) {
	k.classes(t)
	if v, ok := k.f.get("nouns"); ok {
		k.nouns(v, t)
	}
	if v, ok := k.f.get("roles"); ok {
		k.roles(v, t)
	}
}

// classes reads :class :pay, or (:create :comm).
func (k kinds) classes(t *skills.Tool) {
	v, ok := k.f.get("class")
	if !ok {
		return
	}
	words := v.Items()
	if v.Kind() == sexpr.Keyword {
		words = []sexpr.Value{v}
	}
	if len(words) == 0 {
		k.fail(v.Pos(), "found %s, expected one or more of %s", clipped(v), condition.Listed(":", origin.Classes()))
	}
	for _, w := range words {
		if w.Kind() != sexpr.Keyword || !contains(origin.Classes(), w.Text()) {
			k.fail(w.Pos(), "found %s as a class, expected %s%s", clipped(w), condition.Listed(":", origin.Classes()),
				spell.DidYouMean(w.Text(), origin.Classes()))
		} else if !contains(t.Classes, w.Text()) {
			t.Classes = append(t.Classes, w.Text())
		}
	}
	switch {
	case t.Effect == skills.EffectNone:
		k.fail(v.Pos(), "a tool whose :effect is :none only reads, and has no :class")
	case t.Trusted && contains(t.Classes, "run"):
		k.f.fail("output", "what a program prints is never trusted whole, expected :untrusted, or fields of the output")
	}
}

// nouns reads ("mail" "message").
func (k kinds) nouns(v sexpr.Value, t *skills.Tool) {
	t.Nouns = []string{}
	bad := func(n sexpr.Value) bool { return n.Kind() != sexpr.String || strings.TrimSpace(n.Text()) == "" }
	if v.Kind() != sexpr.List || slices.ContainsFunc(v.Items(), bad) {
		k.fail(v.Pos(), "found %s, expected what the tool's calls are about, as strings: (\"mail\" \"message\")", clipped(v))
		return
	}
	for _, n := range v.Items() {
		t.Nouns = append(t.Nouns, n.Text())
	}
}

// roles reads (:recipient :principal :amount :amount): each argument, then its role.
func (k kinds) roles(v sexpr.Value, t *skills.Tool) {
	items := v.Items()
	if !v.IsPlist() || len(items)%2 != 0 {
		k.fail(v.Pos(), "found %s, expected arguments, each with its role: (:to :principal :text :content)", clipped(v))
		return
	}
	t.Roles = map[string]string{}
	for i := 0; i < len(items); i += 2 {
		arg, role := items[i], items[i+1]
		switch {
		case !k.declared(arg, t.Params):
		case role.Kind() != sexpr.Keyword || !contains(origin.Roles(), role.Text()):
			k.fail(role.Pos(), "found %s as a role, expected %s%s", clipped(role), condition.Listed(":", origin.Roles()),
				spell.DidYouMean(role.Text(), origin.Roles()))
		case t.Roles[arg.Text()] != "":
			k.fail(arg.Pos(), ":%s has two roles", condition.PrintKey(arg.Text()))
		default:
			k.role(arg, role, t)
		}
	}
}

// role takes down the role of an argument, if values of its kind can have that.
func (k kinds) role(arg, role sexpr.Value, t *skills.Tool) {
	i := slices.IndexFunc(t.Params, func(p skills.Param) bool { return p.Name == arg.Text() })
	if p := t.Params[i]; p.Type.Kind == skills.KindBoolean && role.Text() != "flag" && role.Text() != "permission" {
		k.fail(role.Pos(), ":%s is a boolean, which is a :flag or a :permission and no :%s", condition.PrintKey(arg.Text()),
			role.Text())
		return
	}
	t.Roles[arg.Text()] = role.Text()
}
