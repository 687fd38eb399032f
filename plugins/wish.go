package plugins

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	skillpb "github.com/opencortex-go/cortex/plugins/proto"
)

// rights and sights are the words of a lock, and what they are on the wire.
var (
	rights = map[string]skillpb.Right{
		"allow": skillpb.Right_RIGHT_ALLOW, "rewrite": skillpb.Right_RIGHT_REWRITE,
		"tools": skillpb.Right_RIGHT_TOOLS, "network": skillpb.Right_RIGHT_NETWORK,
	}
	sights = map[string]skillpb.Sight{
		"now": skillpb.Sight_SIGHT_NOW, "signal": skillpb.Sight_SIGHT_SIGNAL, "session": skillpb.Sight_SIGHT_SESSION,
		"turns": skillpb.Sight_SIGHT_TURNS, "spends": skillpb.Sight_SIGHT_SPENDS, "ctx": skillpb.Sight_SIGHT_CTX,
		"env": skillpb.Sight_SIGHT_ENV, "work": skillpb.Sight_SIGHT_WORK, "policy": skillpb.Sight_SIGHT_POLICY,
		"explanation": skillpb.Sight_SIGHT_EXPLANATION,
	}
)

// wishes are what a description asks for, as words of a lock, sorted.
func wishes(d *skillpb.Description) []string {
	var out []string
	for word, r := range rights {
		if slices.Contains(d.GetRights(), r) {
			out = append(out, word)
		}
	}
	for word, s := range sights {
		if slices.Contains(d.GetSees(), s) {
			out = append(out, word)
		}
	}
	slices.Sort(out)
	return out
}

// checkDescription refuses a description that no entry could be made of.
func checkDescription(d *skillpb.Description) error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if d.GetProtocol() != Protocol {
		bad("it speaks protocol %d of %s, and this host speaks %d", d.GetProtocol(), Service, Protocol)
	}
	if !nameForm.MatchString(d.GetName()) {
		bad("it calls itself %q, and names are like shell-guard", clip(d.GetName(), 80))
	}
	for _, c := range d.GetClauses() {
		if !nameForm.MatchString(c) {
			bad("clause %q: names are like no-root", clip(c, 80))
		}
	}
	for what, n := range map[string]int{
		"judges": len(d.GetJudges()), "sees": len(d.GetSees()), "rights": len(d.GetRights()),
		"clauses": len(d.GetClauses()), "examples": len(d.GetExamples()), "tools": len(d.GetTools()),
	} {
		if n > maxEntries {
			bad("%d entries in %s, at most %d", n, what, maxEntries)
		}
	}
	if slices.Contains(d.GetSees(), 0) || slices.Contains(d.GetRights(), 0) {
		bad("a sight or right without a name")
	}
	return errors.Join(errs...)
}

// admit holds what a started skill says of itself against its entry: it is the
// skill that the entry names, and it asks for nothing that nobody has decided.
func (e *Entry) admit(d *skillpb.Description) error {
	if err := checkDescription(d); err != nil {
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
		return fmt.Errorf("it asks for %s, and nobody has agreed to that; see `cortex plugins agree %s`",
			strings.Join(more, ", "), e.Name)
	}
	for _, c := range d.GetClauses() {
		if !e.clause(c) {
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
	if err := checkDescription(d); err != nil {
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

// Agree grants what a skill asks for and nobody has decided, but for what is
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

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}
