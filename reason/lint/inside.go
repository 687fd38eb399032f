package lint

import (
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// within is an argument in which functions find what a condition is about: a URL with a
// host, a command line with a command, a path among the paths of an action. What it
// guesses is tried, so that it may be wrong.
func (m model) within(p *skills.Param) (sexpr.Value, bool) {
	name := "action.args." + p.Name
	switch p.Type.Kind {
	case skills.KindURL:
		host, ok := m.text("(host " + name + ")")
		if !ok {
			host, ok = m.element("(hosts action)")
		}
		return sexpr.Str("https://" + host + "/a"), ok
	case skills.KindHost:
		host, ok := m.element("(hosts action)")
		return sexpr.Str(host), ok
	case skills.KindPath:
		path, ok := m.element("(paths action)")
		return sexpr.Str(path), ok
	case skills.KindCommand:
		return m.line("(shell "+name+")", "(commands "+name+")")
	case skills.KindAny, skills.KindString, skills.KindBoolean, skills.KindInteger, skills.KindNumber, skills.KindEnum,
		skills.KindList, skills.KindObject, skills.KindSQL:
	}
	return sexpr.Value{}, false
}

// text is a text that a form may give.
func (m model) text(form string) (string, bool) {
	d := m.values[form]
	if d == nil {
		return "", false
	}
	v, ok := d.pick()
	return v.Text(), ok && v.Kind() == sexpr.String
}

// element is a text that may be among what a form gives.
func (m model) element(form string) (string, bool) {
	if e := m.lists[form]; e != nil && len(e.found) > 0 {
		return e.found[0].text("it")
	}
	return "", false
}

// line is a command line with the commands that lists of commands must hold.
func (m model) line(forms ...string) (sexpr.Value, bool) {
	var all []string
	for _, f := range forms {
		if e := m.lists[f]; e != nil {
			for _, c := range e.found {
				all = append(all, c.command())
			}
		}
	}
	return sexpr.Str(strings.Join(all, "; ")), len(all) > 0
}

// command is a command with the name, flags and operands that it must have.
func (m model) command() string {
	name, ok := m.text("it.name")
	if !ok {
		name = "git"
	}
	words := []string{name}
	for _, f := range m.facts {
		if items := f.form.Items(); len(items) == 3 && items[0].IsSym("flag?") && !f.not {
			if flag := items[2].Text(); len(flag) > 1 {
				words = append(words, "--"+flag)
			} else {
				words = append(words, "-"+flag)
			}
		}
	}
	if operand, ok := m.element("it.operands"); ok {
		words = append(words, operand)
	}
	return strings.Join(words, " ")
}
