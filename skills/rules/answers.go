package rules

import (
	"context"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// pluginAnswer is what an example says that a plugin answers, so that rule files can be
// tried beside plugins without any process.
type pluginAnswer struct {
	name     string
	priority int
	clause   string
	verdict  skills.Verdict
}

// Key names the gate as a plugin's is named.
func (a *pluginAnswer) Key() string { return a.name }

// Judge gives the answer, whatever the case.
func (a *pluginAnswer) Judge(context.Context, *skills.Case) (skills.Verdict, error) {
	return a.verdict, nil
}

// answers reads :plugins of an example.
func (d *definitions) answers(f *fields) (out []*pluginAnswer) {
	list, _ := f.get("plugins")
	for _, v := range list.Items() {
		g := d.sub(f, v, "plugin")
		a := &pluginAnswer{name: g.text("name"), clause: g.text("clause"),
			priority: int(g.number("priority", -1_000_000, 1_000_000, 0))}
		if a.clause == "" {
			a.clause = "main"
		}
		if a.name == "" {
			g.fault("name", "the name of a plugin")
		}
		why := skills.Reason{Key: a.name + "/" + a.clause, Text: "the example says so"}
		switch word, _ := g.get("answer"); {
		case word.IsKey("pass"):
			a.verdict = skills.Pass{}
		case word.IsKey("allow"):
			a.verdict = skills.Allow{Reason: why}
		case word.IsKey("reject"):
			a.verdict = skills.Deny{Reason: why}
		case word.IsKey("rewrite"):
			a.verdict = skills.Rewrite{Set: g.object("set"), Reason: why}
		case word.IsKey("ask"):
			slot := skills.Slot{Class: g.text("approvers"), Quorum: int(g.number("quorum", 1, 16, 1))}
			slot.Key = skills.AskKey(why.Key, slot, "example")
			a.verdict = skills.Ask{Reason: why, Slot: slot}
		default:
			g.fault("answer", ":pass, :allow, :rewrite, :ask or :reject")
		}
		out = append(out, a)
	}
	return out
}

// answered is a rulebook with plugins that answer as an example says.
type answered struct {
	*Rulebook
	plugins []*pluginAnswer
}

// Skills merges both kinds.
func (p answered) Skills(tool string) []*skills.Skill {
	all := slices.Clone(p.Rulebook.Skills(tool))
	for _, a := range p.plugins {
		all = append(all, &skills.Skill{Name: a.name, Priority: a.priority, Gates: []skills.Gate{a}})
	}
	skills.Sort(all)
	return all
}

// Len counts each plugin as one gate.
func (p answered) Len() int { return p.Rulebook.Len() + len(p.plugins) }

// Hash is of the rulebook and of what the plugins answer.
func (p answered) Hash() sexpr.Digest {
	text := p.Rulebook.Hash().String()
	for _, a := range p.plugins {
		text += fmt.Sprintf("\n%q %d %T %v", a.name, a.priority, a.verdict, a.verdict)
	}
	return sexpr.DigestText("cortex/example/1", text)
}

// beside is the policy that an example is judged by.
func (e *Example) beside(book *Rulebook) skills.Policy {
	if len(e.plugins) == 0 {
		return book
	}
	return answered{book, e.plugins}
}

// names reports whether a key is of a plugin of the example.
func (e *Example) names(key string) bool {
	return slices.ContainsFunc(e.plugins, func(a *pluginAnswer) bool { return a.name+"/"+a.clause == key })
}
