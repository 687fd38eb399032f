package form

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
)

// check looks at what no member alone shows: slots that lead nowhere or stand where no value may, and
// effects without a once-key.
func (c *Capability) check(f *faults) {
	given := map[string]string{} // keys of work, by the step that gives them
	for i := range c.Steps {
		s := &c.Steps[i]
		x := slotCheck{faults: f, c: c, what: "step " + s.Name, given: given, at: s.at}
		x.value("", s.Args)
		for _, out := range s.Out {
			given[out.Name] = s.Name
		}
		if s.Undo != nil {
			x.what = "the :undo of step " + s.Name
			x.value("", s.Undo.Args)
		}
	}
	for _, r := range c.Result {
		x := slotCheck{faults: f, c: c, what: ":result of " + r.Name, given: given, at: c.at}
		x.value("", r.Value)
		for _, name := range c.secretsIn(r.Value) {
			f.add(x.at, ":result shows the secret :%s as the output %s; leave it out", name, r.Name)
		}
	}
	says := func(s Step) bool { return s.External() && (s.Undo != nil || s.Why != "") }
	if i := slices.IndexFunc(c.Steps, says); i >= 0 && c.Once == nil {
		f.add(c.Steps[i].at, "step %s changes something, and %s has no once-key; "+
			"write :once (:key (...)), or :undo %q if the step changes nothing", c.Steps[i].Name, c.ID, OnlyReads)
	}
}

// secretsIn are the secret inputs that the slots of a value take.
func (c *Capability) secretsIn(v sexpr.Value) (names []string) {
	for _, s := range slotsIn(v) {
		if in, ok := c.input(s.Name); ok && in.Secret {
			names = append(names, in.Name)
		}
	}
	return names
}

// slotCheck looks at the slots of one step.
type slotCheck struct {
	*faults
	c     *Capability
	what  string
	given map[string]string
	at    sexpr.Pos
}

// value looks at an argument of that name, or what stands in one.
func (x slotCheck) value(name string, v sexpr.Value) {
	if v.Pos().Line > 0 {
		x.at = v.Pos()
	}
	switch {
	case v.IsPlist():
		for i := 0; i+1 < v.Len(); i += 2 {
			key := v.Items()[i].Text()
			if strings.Contains(key, "{{") {
				x.add(x.at, "%s: the name %q has a slot; only values have slots", x.what, clip(key))
			}
			x.value(key, v.Items()[i+1])
		}
	case v.Kind() == sexpr.List:
		for _, item := range v.Items() {
			x.value("", item)
		}
	case v.Kind() == sexpr.String:
		x.text(name, v.Text())
	}
}

// anySlot finds what looks like a slot, also where it is none.
var anySlot = regexp.MustCompile(`\{\{[^{}]*\}\}?`)

func (x slotCheck) text(name, text string) {
	all := plans.Slots(text)
	for _, m := range anySlot.FindAllStringIndex(text, -1) {
		if !slices.ContainsFunc(all, func(s plans.Slot) bool { return s.Start == m[0] && s.End == m[1] }) {
			x.add(x.at, "%s: nothing fills %q; a slot is {{input}}, {{work.key}} or {{facts.ctx.key}}", x.what,
				clip(text[m[0]:m[1]]))
		}
	}
	for _, s := range all {
		x.slot(s.Name)
	}
	if len(all) > 0 && plans.CommandArg(name) {
		x.command(text, all)
	}
}

// slot sees that a slot leads somewhere.
func (x slotCheck) slot(name string) {
	key, work := strings.CutPrefix(name, "work.")
	first, _, _ := strings.Cut(key, ".")
	switch _, input := x.c.input(name); {
	case input, strings.HasPrefix(name, "facts.ctx.") && factShape.MatchString(name):
	case work && x.given[first] != "":
	case work:
		x.add(x.at, "%s: no earlier step gives {{%s}}%s", x.what, name, x.giver(first))
	case strings.HasPrefix(name, "facts."):
		x.add(x.at, "%s: {{%s}} cannot be filled in; slots read facts.ctx alone, and an input can have :from %s", x.what,
			name, name)
	default:
		var known []string
		for key := range x.given {
			known = append(known, "work."+key)
		}
		slices.Sort(known)
		x.add(x.at, "%s: {{%s}} names no input, no key of work and no fact%s", x.what, name,
			spell.DidYouMean(name, append(x.c.inputNames(), known...)))
	}
}

// giver says how a key of work could come about.
func (x slotCheck) giver(key string) string {
	for i := range x.c.Steps {
		if slices.ContainsFunc(x.c.Steps[i].Out, func(o Out) bool { return o.Name == key }) {
			return "; step " + x.c.Steps[i].Name + " does, and must stand before"
		}
	}
	var known []string
	for name := range x.given {
		known = append(known, name)
	}
	slices.Sort(known)
	if near := spell.DidYouMean(key, known); near != "" {
		return near
	}
	return "; give it with :out (:" + key + " text), or take it as an input with :from facts.work." + key
}

// command sees that the slots of a command line stand where a value can be put.
func (x slotCheck) command(line string, all []plans.Slot) {
	_, err := plans.SlottedCommand(line, all)
	var misplaced *facts.SlotError
	switch {
	case errors.As(err, &misplaced):
		s := all[misplaced.Slot]
		x.add(x.at, "%s: in its command, byte %d, {{%s}} %s", x.what, s.Start+1, s.Name,
			strings.Replace(misplaced.Why, ": ", "; ", 1))
	case err != nil:
		x.add(x.at, "%s: its command cannot take values: %s", x.what, err)
	}
}
