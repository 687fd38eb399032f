package facts

import (
	"errors"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
)

// callFits answers fits?. Where no form fits for sure, and one would if a word
// that is not known were right, that is unknown.
func callFits(c *skills.Case, args []any) (any, error) {
	rec, _ := args[0].(map[string]any)
	mine, ok := rec[ownKey].(own)
	cmd := mine.Command
	if !ok {
		return nil, errors.New("fits? takes a command, such as it in (some (shell cmd) ...)")
	}
	forms, ok := args[1].(*Forms)
	if !ok {
		lines, ok := texts(args[1])
		if !ok {
			return nil, errors.New("a form is a string")
		}
		var err error
		if forms, err = compileForms(lines); err != nil {
			return nil, err
		}
	}
	roots, err := rootsOf(c, args[2])
	if err != nil {
		return nil, err
	}
	var avoid, besides any
	if len(args) > 3 {
		avoid = args[3]
	}
	if len(args) > 4 {
		besides = args[4]
	}
	if !cmd.Name.Known || cmd.Name.Pattern {
		return Unknown{cmd.Name.Why}, nil
	}
	unknown := ""
	for _, f := range forms.byName[cmd.Name.Text] {
		m := match{c: c, cmd: cmd, form: f, roots: roots, avoid: avoid, besides: besides}
		switch err := m.run(); {
		case err != nil:
			return nil, err
		case m.fits():
			return true, nil
		case !m.no:
			unknown = m.unknown
		}
	}
	if unknown != "" {
		return Unknown{unknown}, nil
	}
	return false, nil
}

// match holds one command against one form.
type match struct {
	c       *skills.Case
	cmd     *shell.Command
	form    *form
	roots   []string // escaped
	avoid   any      // patterns that no FILE may match; nil is none
	besides any      // patterns that a FILE outside of the roots may match; nil is none

	step    int  // of the form that was reached
	operand int  // the place that is due
	some    bool // an operand has been taken
	behind  bool // -- has been seen
	no      bool // it does not fit, whatever is not known
	unknown string
}

func (m *match) fits() bool { return !m.no && m.unknown == "" }

func (m *match) refuse()           { m.no = true }
func (m *match) unsure(why string) { m.unknown = why }
func (m *match) at() *formStep     { return &m.form.steps[m.step] }
func (m *match) fixed() bool       { return m.step+1 < len(m.form.steps) }
func (m *match) places() []formOperand {
	if m.behind && m.form.behind != nil {
		return m.form.behind
	}
	return m.form.operands
}

// place is the operand that is due, nil if there is no room for one.
func (m *match) place() *formOperand {
	if all := m.places(); m.operand < len(all) {
		return &all[m.operand]
	}
	return nil
}

func (m *match) run() error {
	if err := m.starts(); err != nil || m.no {
		return err
	}
	for args := m.cmd.Args; len(args) > 0 && !m.no; {
		used, err := m.word(args)
		if err != nil {
			return err
		}
		args = args[used:]
	}
	if m.cmd.More != "" && !m.no {
		m.further()
	}
	if all := m.places(); m.fits() &&
		(m.fixed() || m.operand < len(all) && !all[m.operand].many && !all[m.operand].optional) {
		m.refuse() // words are missing
	}
	return nil
}

// further takes the words that xargs adds, which are unknown.
func (m *match) further() {
	switch p := m.place(); {
	case p == nil || m.fixed() || !p.many:
		m.refuse()
	case p.kind != kindAny:
		m.unsure(m.cmd.More)
	}
}

// word takes one word, with the values behind it if it is an option.
func (m *match) word(args []shell.Word) (used int, err error) {
	w := args[0]
	p := m.place()
	free := !m.fixed() && p != nil && p.kind == kindAny
	switch {
	case free:
		return 1, m.take(w)
	case !w.Known:
		if m.behind && !m.fixed() {
			return 1, m.take(w)
		}
		m.unsure(w.Why) // it may be an option, a subcommand or several words
		return len(args), nil
	case m.behind:
		return 1, m.operandWord(w)
	case w.Pattern:
		if w.Begins('-') && (p == nil || m.fixed() || !p.kind.glob || slices.ContainsFunc(w.Spellings(), spelledOption)) {
			m.refuse() // a file that it matches may be named as an option
			return 1, nil
		}
		return 1, m.operandWord(w)
	case m.fixed() && m.form.steps[m.step+1].is(w.Text):
		m.step++
		return 1, nil
	case w.Text == "--" && !m.form.whole:
		m.behind = true
		if m.form.behind != nil {
			if p != nil && !p.optional && !p.many {
				m.refuse()
			}
			m.operand = 0
		}
		return 1, nil
	case len(w.Text) > 1 && w.Text[0] == '-':
		return m.option(args)
	}
	return 1, m.operandWord(w)
}

// spelledOption reports whether a glob itself begins as an option does.
func spelledOption(glob string) bool { return strings.HasPrefix(glob, "-") }

// operandWord takes a subcommand while one is due, an operand otherwise.
func (m *match) operandWord(w shell.Word) error {
	if !m.fixed() {
		return m.take(w)
	}
	if m.no = w.Pattern || !m.form.steps[m.step+1].is(w.Text); !m.no {
		m.step++
	}
	return nil
}

// take puts a word in the place that is due.
func (m *match) take(w shell.Word) error {
	p := m.place()
	if p == nil {
		m.refuse()
		return nil
	}
	m.some = true
	if !p.many {
		m.operand++
		if w.Pattern && !w.One || w.Many { // one place, and maybe several words
			m.unsure("what " + w.Text + " matches")
		}
	}
	return m.value(p.kind, w)
}

// value judges a whole word by the kind that is due.
func (m *match) value(k *wordKind, w shell.Word) error {
	switch {
	case k == kindAny, k == kindText && !w.Many && (!w.Pattern || w.One):
		return nil
	case !w.Known:
		m.unsure(w.Why)
		return nil
	case k.file:
		return m.file(k, value(m.cmd, w), w.Text)
	case k.sought != nil:
		k.sought(m, w.Text)
		return nil
	case w.Pattern:
		m.unsure("what " + w.Text + " matches")
		return nil
	}
	m.text(k, w.Text)
	return nil
}

func (m *match) text(k *wordKind, text string) {
	m.no = m.no || k.is != nil && !k.is.MatchString(text) || k.not != nil && k.not.MatchString(text)
}
