package facts

import (
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
)

// option takes a word that begins with a dash.
func (m *match) option(args []shell.Word) (used int, err error) {
	w := args[0].Text
	at := m.at()
	name, value, joined := strings.Cut(w, "=")
	o, listed := at.options[name]
	switch {
	case listed && (joined || m.form.whole || len(name) == 2 && len(w) == 2 || name[1] == '-'):
		return m.values(o, args, value, joined)
	case at.number && isDigits(w[1:]):
		return 1, nil
	case w[1] == '-' || m.form.whole:
		m.refuse()
		return 1, nil
	}
	return m.bundle(args)
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// bundle takes -abc: letters without values, and then one that may have a value.
func (m *match) bundle(args []shell.Word) (used int, err error) {
	w := args[0].Text
	for i := 1; i < len(w); {
		_, n := utf8.DecodeRuneInString(w[i:])
		o, listed := m.at().options["-"+w[i:i+n]]
		i += n
		switch {
		case !listed:
			m.refuse()
			return 1, nil
		case len(o.values) == 0:
		default:
			return m.values(o, args, w[i:], i < len(w))
		}
	}
	return 1, nil
}

// values takes what follows an option: joined to it, or in the next words.
func (m *match) values(o formOption, args []shell.Word, joinedText string, joined bool) (used int, err error) {
	kinds := o.values
	switch {
	case joined && (len(kinds) == 0 || strings.HasPrefix(joinedText, "=")):
		m.refuse()
		return 1, nil
	case joined:
		if err := m.piece(kinds[0], joinedText); err != nil {
			return 1, err
		}
		kinds = kinds[1:]
	case o.optional:
		return 1, nil
	}
	if len(args) < 1+len(kinds) {
		m.refuse()
		return len(args), nil
	}
	for i, k := range kinds {
		w := args[1+i]
		if w.Many || w.Pattern && !w.One {
			m.unsure("what stands behind the option " + args[0].Text)
			return len(args), nil
		}
		if m.some && !k.file {
			// A program that takes no options behind operands takes this for one.
			if err := m.value(kindFile, w); err != nil {
				return 1, err
			}
		}
		if err := m.value(k, w); err != nil {
			return 1, err
		}
	}
	return 1 + len(kinds), nil
}

// piece judges a value that is joined to its option.
func (m *match) piece(k *wordKind, text string) error {
	switch {
	case k == kindText || k == kindAny:
		return nil
	case k.sought != nil:
		k.sought(m, text)
		return nil
	case !k.file:
		m.text(k, text)
		return nil
	case strings.HasPrefix(text, "~"): // some programs read it as a home
		m.refuse()
		return nil
	}
	return m.file(k, Word{Text: text, dirs: m.cmd.Dirs,
		globs: glob.From(glob.Escape(text), strings.HasPrefix(text, "/"), m.cmd.Dirs)}, text)
}
