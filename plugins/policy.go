package plugins

import (
	"fmt"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// policy is a rulebook's policy with the gates of plugins between its own, by
// priority and then by name.
type policy struct {
	skills.Policy // of the rulebook
	hash          sexpr.Digest
	plugins       []*plug
	budget        time.Duration

	mu    sync.Mutex
	cache map[string][]*skills.Skill // by tool
}

// plug is one plugin and who asks it; nil asks the record.
type plug struct {
	entry *Entry
	ask   asker
	speak *supervisor
}

// maxCached bounds how many tools a policy remembers its skills for: the names of
// tools that nobody declared are a model's.
const maxCached = 256

// join puts plugins into a policy. Names must be unique over both.
func join(book skills.Policy, lock string, plugins []*plug, budget time.Duration) (skills.Policy, error) {
	if len(plugins) == 0 {
		return book, nil
	}
	taken := map[string]bool{}
	for _, s := range book.Skills("") {
		taken[s.Name] = true
	}
	for _, p := range plugins {
		if taken[p.entry.Name] {
			return nil, fmt.Errorf("there are two skills %q: names are unique over plugins and rule files", p.entry.Name)
		}
		taken[p.entry.Name] = true
	}
	return &policy{
		Policy: book, plugins: plugins, budget: budget, cache: map[string][]*skills.Skill{},
		hash: sexpr.DigestText("cortex/plugins/1", book.Hash().String()+"\n"+lock),
	}, nil
}

// Hash names the rulebook, the programs and everything that the lock grants.
func (p *policy) Hash() sexpr.Digest { return p.hash }

// Len counts each plugin as one gate.
func (p *policy) Len() int { return p.Policy.Len() + len(p.plugins) }

// Skills merges both kinds.
func (p *policy) Skills(tool string) []*skills.Skill {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.cache[tool]; ok {
		return known
	}
	merged := p.merge(tool)
	if len(p.cache) < maxCached {
		p.cache[tool] = merged
	}
	return merged
}

func (p *policy) merge(tool string) []*skills.Skill {
	all := append([]*skills.Skill(nil), p.Policy.Skills(tool)...)
	for _, x := range p.plugins {
		if x.entry.judges(tool) {
			all = append(all, p.skill(x))
		}
	}
	skills.Sort(all)
	neighbours(all)
	return all
}

// skill is a plugin as a policy knows it.
func (p *policy) skill(x *plug) *skills.Skill {
	e := x.entry
	s := &skills.Skill{
		Name: e.Name, Priority: e.Priority, Mandatory: e.Mandatory, Tools: e.Judges,
		Gates: []skills.Gate{&gate{entry: e, ask: x.ask, budget: p.budget}},
	}
	if x.speak != nil && (e.Prompts || e.Augments) {
		s.Speak = x.speak.say
	}
	return s
}

// neighbours tells each plugin's gate which gates may be asked together with it:
// those that follow it directly, up to and with the first that may rewrite. One
// that may rewrite itself is asked alone.
func neighbours(all []*skills.Skill) {
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
