package plugins

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/plugins/internal/wire"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
)

// wishes are what a description asks for, as words of a lock, sorted.
func wishes(d *skillpb.Description) []string {
	var out []string
	for word, r := range wire.Rights {
		if slices.Contains(d.GetRights(), r) {
			out = append(out, word)
		}
	}
	for word, s := range wire.Sights {
		if slices.Contains(d.GetSees(), s) {
			out = append(out, word)
		}
	}
	slices.Sort(out)
	return out
}

// admit holds what a started skill says of itself against its entry: it is the
// skill that the entry names, and all that it asks for has been decided.
func (e *Entry) admit(d *skillpb.Description) error {
	if err := wire.CheckDescription(d); err != nil {
		return err
	}
	if d.GetName() != e.Name {
		return fmt.Errorf("it calls itself %q, and stands in the lock as %q", d.GetName(), e.Name)
	}
	var more []string
	for _, w := range wishes(d) {
		if !e.grants(w) && !slices.Contains(e.Refuses, w) {
			more = append(more, w)
		}
	}
	if len(more) > 0 {
		return fmt.Errorf("it asks for %s, and no person has agreed to that; see `cortex plugins agree %s`",
			strings.Join(more, ", "), e.Name)
	}
	for _, c := range d.GetClauses() {
		if !wire.HasClause(e.Clauses, c) {
			return fmt.Errorf("it has a clause %q that is not in the lock; see `cortex plugins lock`", c)
		}
	}
	if !slices.Equal(d.GetTools(), e.Tools) && e.grants("tools") {
		return errors.New("it brings other tools than stand in the lock; see `cortex plugins lock`")
	}
	return nil
}

// Add makes or renews the entry of a skill from its own description. What a
// person decided before stands; what is asked for and was not decided is pending.
// A person's settings (priority, deadline, ...) stay.
func (l *Lock) Add(program Entry, d *skillpb.Description) error {
	if err := wire.CheckDescription(d); err != nil {
		return err
	}
	e, known := l.Entry(d.GetName())
	if !known {
		l.Skills = append(l.Skills, Entry{Name: d.GetName(), Priority: int(d.GetPriority())})
		e = &l.Skills[len(l.Skills)-1]
	}
	e.Path, e.Args, e.SHA256 = program.Path, program.Args, program.SHA256
	e.Files, e.Transport = program.Files, program.Transport
	if program.Env != nil {
		e.Env = program.Env
	}
	e.Protocol, e.Release = d.GetProtocol(), d.GetRelease()
	e.Judges, e.Clauses, e.Prompts, e.Augments = d.GetJudges(), d.GetClauses(), d.GetPrompts(), d.GetAugments()
	if !slices.Equal(e.Tools, d.GetTools()) { // other tools are another right
		e.Grants = slices.DeleteFunc(e.Grants, func(w string) bool { return w == "tools" })
	}
	e.Tools, e.Pending = d.GetTools(), nil
	for _, w := range wishes(d) {
		if !e.grants(w) && !slices.Contains(e.Refuses, w) {
			e.Pending = append(e.Pending, w)
		}
	}
	return l.check()
}

// Agree grants what a skill asks for and is undecided, but for what is
// refused: those words are decided, too, and the skill runs without.
func (l *Lock) Agree(name string, refuse ...string) error {
	e, ok := l.Entry(name)
	if !ok {
		return fmt.Errorf("no skill %q in the lock", name)
	}
	for _, w := range refuse {
		if !slices.Contains(e.Pending, w) && !e.grants(w) {
			return fmt.Errorf("%s does not ask for %q", name, w)
		}
	}
	for _, w := range slices.Concat(e.Grants, e.Pending) {
		if slices.Contains(refuse, w) {
			e.Refuses = append(e.Refuses, w)
		}
	}
	granted := slices.DeleteFunc(slices.Concat(e.Grants, e.Pending),
		func(w string) bool { return slices.Contains(refuse, w) })
	slices.Sort(granted)
	slices.Sort(e.Refuses)
	e.Grants, e.Refuses, e.Pending = slices.Compact(granted), slices.Compact(e.Refuses), nil
	return l.check()
}
