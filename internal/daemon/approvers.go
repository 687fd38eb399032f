package daemon

import (
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Unanswerable returns, in order, the asks of book that the people of these settings cannot answer: their
// class has no members, or fewer than the ask wants. Each is a sentence that says which rule asks whom.
// A class counts the people whom it escalates to, and :operator the one who shows the pairing secret. The book
// may be nil.
func (c *Config) Unanswerable(book *rules.Rulebook) (out []string) {
	if book == nil {
		return nil
	}
	for _, r := range book.Rules() {
		if r.Asks == nil {
			continue
		}
		n := len(c.members(r.Asks.Class))
		switch {
		case n == 0:
			out = append(out, fmt.Sprintf("%s asks :%s, which has no members: its cards cannot be answered", r.ID, r.Asks.Class))
		case n < r.Asks.Quorum:
			out = append(out, fmt.Sprintf("%s asks %d of :%s, which has %d: its cards cannot be answered", r.ID, r.Asks.Quorum,
				r.Asks.Class, n))
		}
	}
	return out
}

// MendClass says how a class gets members.
const MendClass = "list its people under [approvals.classes] in the settings, or give an account the class"

// members are the people who may answer for a class, at last.
func (c *Config) members(class string) []string {
	var names []string
	add := func(class string) {
		if class == skills.DefaultClass {
			names = append(names, skills.DefaultClass) // who shows the secret
		}
		names = append(names, c.Approvals.Classes[class]...)
		for _, a := range c.Accounts {
			if slices.Contains(a.Classes, class) {
				names = append(names, a.Name)
			}
		}
	}
	add(class)
	if e, ok := c.Approvals.Escalate[class]; ok {
		add(e.To)
	}
	slices.Sort(names)
	return slices.Compact(slices.DeleteFunc(names, func(name string) bool { return name == c.Agent }))
}

// unanswered warns of rules that ask people who cannot answer.
func (d *daemon) unanswered() {
	for _, text := range d.cfg.Unanswerable(d.engine.Rules().Book()) {
		d.log.Warn("a rule asks people who cannot answer", "rule", text, "mend", MendClass)
	}
}
