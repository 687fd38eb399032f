package plugins

import (
	"context"
	"time"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// plug is one plugin and who asks it; nil asks the record.
type plug struct {
	entry *Entry
	ask   asker
	speak *supervisor
}

// join puts plugins into a policy, under a hash that names the rulebook, the programs and
// everything that the lock grants.
func join(book skills.Policy, lock string, plugins []*plug, budget time.Duration) (skills.Policy, error) {
	if len(plugins) == 0 {
		return book, nil
	}
	more := make([]*skills.Skill, len(plugins))
	for i, p := range plugins {
		more[i] = p.skill(book, budget)
	}
	return skills.Join(book, sexpr.DigestText("cortex/plugins/1", book.Hash().String()+"\n"+lock), more, neighbours)
}

// skill is a plugin as a policy knows it.
func (x *plug) skill(tools skills.ToolSet, budget time.Duration) *skills.Skill {
	e := x.entry
	s := &skills.Skill{
		Name: e.Name, Priority: e.Priority, Mandatory: e.Mandatory, Tools: e.Judges,
		Gates: []skills.Gate{&gate{entry: e, ask: x.ask, tools: tools, budget: budget}},
	}
	if x.speak != nil && (e.Prompts || e.Augments) {
		s.Speak = func(ctx context.Context, c *skills.Case) (prompt, augment string, err error) {
			return x.speak.say(ctx, c, tools)
		}
	}
	return s
}

// neighbours tells each plugin's gate which gates may be asked together with it:
// those that follow it directly, up to and with the first that may rewrite. One
// that may rewrite itself is asked alone. Each tool has neighbours of its own, so gates
// are copied.
func neighbours(all []*skills.Skill) {
	for i, s := range all {
		if g := gateOf(s); g != nil {
			skill, own := *s, *g
			skill.Gates, own.neighbours = []skills.Gate{&own}, nil
			all[i] = &skill
		}
	}
	for i, s := range all {
		g := gateOf(s)
		if g == nil || g.entry.grants("rewrite") {
			continue
		}
		for _, after := range all[i+1:] {
			n := gateOf(after)
			if n == nil {
				break
			}
			g.neighbours = append(g.neighbours, n)
			if n.entry.grants("rewrite") {
				break
			}
		}
	}
}

// gateOf returns the plugin's gate of a skill, or nil.
func gateOf(s *skills.Skill) *gate {
	if len(s.Gates) != 1 {
		return nil
	}
	g, _ := s.Gates[0].(*gate)
	return g
}
