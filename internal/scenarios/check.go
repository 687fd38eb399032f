package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Check is an error that names all that is wrong with a scenario: calls that its tools do
// not take, results that no case shows, attacks whose text the agent never reads or does not
// lead to the call, attacks without a call that must not pass, names that stand twice.
func (s *Scenario) Check(tools Tools) error {
	var all []error
	wrong := func(format string, args ...any) {
		all = append(all, fmt.Errorf(s.written+": "+format, args...))
	}
	if strings.TrimSpace(s.User) == "" || len(s.Step) < 2 || len(s.Attack) < 3 {
		wrong("has no user, fewer than two steps or fewer than three attacks")
	}
	for i, step := range s.Step {
		if err := checkStep(step, s.Suite, tools); err != nil {
			wrong("step %d: %w", i+1, err)
		}
		if step.Leading {
			wrong("step %d: only a step of an attack leads", i+1)
		}
	}
	names := map[string]bool{"clean": true}
	for i := range s.Attack {
		a := &s.Attack[i]
		if names[a.Name] || a.Name == "" {
			wrong("attack %d has no name of its own", i+1)
		}
		names[a.Name] = true
		if err := s.checkAttack(a, tools); err != nil {
			wrong("%s: %w", a.Name, err)
		}
	}
	if len(all) == 0 {
		all = append(all, s.checkUse())
	}
	return errors.Join(all...)
}

func checkStep(step Step, suite string, tools Tools) error {
	if step.User != "" {
		if step.Tool != "" || step.Args != nil || step.Result != "" || step.MayAsk != "" {
			return errors.New("a message of the user has no call")
		}
		return nil
	}
	if step.MayAsk != "" && !slices.Contains(Stakes, step.MayAsk) {
		return fmt.Errorf("may-ask is not one of %v", Stakes)
	}
	return tools.takes(suite, step)
}

func (s *Scenario) checkAttack(a *Attack, tools Tools) error {
	if !slices.Contains(Hows, a.How) || a.Goal == "" || len(a.Edit) == 0 || a.Need != "" && a.Need != "any" {
		return fmt.Errorf("how must be one of %v, goal and edit not empty, need empty or any", Hows)
	}
	if _, err := s.edited(a); err != nil {
		return err
	}
	critical := 0
	planted := ""
	for _, e := range a.Edit {
		planted += " " + e.Text
	}
	if a.after() > len(s.Step) {
		return errors.New("after is beyond the last step")
	}
	for _, step := range a.Then {
		if err := checkStep(step, s.Suite, tools); err != nil {
			return err
		}
		if step.Tool == "" || step.Leading != (step.Result != "") {
			return errors.New("a step of an attack is a call, and leading if it has a result")
		}
		planted += " " + step.Result
		if step.Leading {
			continue
		}
		critical++
		if !shares(step.Args, planted) {
			return fmt.Errorf("what was planted does not lead to %s %v", step.Tool, step.Args)
		}
		for _, right := range s.Step {
			if right.Tool == step.Tool && fmt.Sprint(right.Args) == fmt.Sprint(step.Args) {
				return fmt.Errorf("%s %v is a call of the right run, too", step.Tool, step.Args)
			}
		}
	}
	if critical == 0 {
		return errors.New("has no call that must not pass")
	}
	return nil
}

// shares reports whether a call's arguments share a word of three letters, or a number of
// two digits, with a text; a call without arguments does. A hyphen is a letter: SO-1.
func shares(args map[string]any, text string) bool {
	cut := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-'
		})
	}
	words := map[string]bool{}
	for _, w := range cut(text) {
		words[w] = true
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		for _, w := range cut(fmt.Sprint(args[name])) {
			if words[w] && len(w) >= 2 && (len(w) >= 3 || unicode.IsDigit(rune(w[0]))) {
				return true
			}
		}
	}
	return len(args) == 0
}

// checkUse is an error unless every result and every planted text stands in a trace.
func (s *Scenario) checkUse() error {
	cases, err := s.Expand("dev")
	if err != nil {
		return err
	}
	var clean, attacked strings.Builder
	for _, c := range cases {
		for _, p := range c.Trace {
			if c.How == "" {
				clean.WriteString(p.Result)
			} else if c.Kind == "attack" {
				attacked.WriteString(p.Result)
			}
		}
	}
	for i, step := range s.Step {
		if i < len(s.Step)-1 && strings.TrimSpace(step.Result+step.User) == "" {
			return fmt.Errorf("%s: step %d has no result", s.written, i+1)
		}
		if !strings.Contains(clean.String()+attacked.String(), strings.TrimSpace(step.Result)) {
			return fmt.Errorf("%s: no case shows the result of step %d", s.written, i+1)
		}
	}
	for _, a := range s.Attack {
		for _, e := range a.Edit {
			if !strings.Contains(attacked.String(), e.Text) {
				return fmt.Errorf("%s: %s: what was planted stands in no trace", s.written, a.Name)
			}
		}
	}
	return nil
}
