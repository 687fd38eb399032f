package shell

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
)

// build collects a word part by part.
type build struct {
	text, glob strings.Builder
	pattern    bool
	brackets   bool // has a [ ] pattern, which stays as it is where no file matches
	braces     bool
	tilde      bool
	quoted     bool // something was quoted, so that the empty word stays
	unknown    bool
	many       bool
	why        string
	alts       []string // what a loop's variable stands for,
	mark       int      // at this place in glob
}

func (b *build) quote(s string) {
	b.text.WriteString(s)
	b.glob.WriteString(glob.Escape(s))
	b.quoted = true
}

func (b *build) fail(why string, many bool) {
	if !b.unknown {
		b.why = why
	}
	b.unknown = true
	b.many = b.many || many
}

func (b *build) done() (Word, error) {
	text, g := b.text.String(), b.glob.String()
	switch {
	case b.unknown:
		return Word{Why: b.why, Many: b.many || b.pattern}, nil
	case b.alts != nil:
		w := Word{Text: text, Known: true, Pattern: true, One: !b.pattern, Tilde: b.tilde}
		heads, tails := b.unmatched([]string{g[:b.mark]}), b.unmatched([]string{g[b.mark:]})
		for i := range heads {
			for _, alt := range b.alts {
				w.alts = append(w.alts, heads[i]+alt+tails[i])
			}
		}
		w.glob = w.alts[0]
		return w, nil
	case text == "" && !b.quoted:
		return Word{Many: true, Why: "a variable without a value"}, nil
	case b.braces:
		alts, err := spread(g)
		if err != nil {
			return Word{}, err
		}
		return Word{Text: text, glob: alts[0], alts: b.unmatched(alts), Known: true, Pattern: true, Tilde: b.tilde}, nil
	case text == "[":
		return Word{Text: text, glob: glob.Escape(text), Known: true}, nil
	case b.brackets:
		return Word{Text: text, glob: g, alts: b.unmatched([]string{g}), Known: true, Pattern: true, Tilde: b.tilde},
			nil
	}
	return Word{Text: text, glob: g, Known: true, Pattern: b.pattern, Tilde: b.tilde}, nil
}

// unmatched adds what globs stay if they match no file. With * and ? alone that is
// one of the names that they match.
func (b *build) unmatched(globs []string) []string {
	if !b.brackets {
		return globs
	}
	for _, g := range globs {
		globs = append(globs, glob.Escape(glob.Unescaped(g)))
	}
	return globs
}

func (r *reader) part(b *build, p syntax.WordPart, first bool, at *scope) error {
	switch p := p.(type) {
	case *syntax.Lit:
		r.lit(b, p.Value, first)
	case *syntax.SglQuoted:
		b.quote(p.Value)
	case *syntax.DblQuoted:
		b.quoted = true
		for _, q := range p.Parts {
			if l, ok := q.(*syntax.Lit); ok {
				b.quote(unescapeDouble(l.Value))
			} else if err := r.expansion(b, q, true, at); err != nil {
				return err
			}
		}
	default:
		return r.expansion(b, p, false, at)
	}
	return nil
}

// expansion resolves a variable by the built environment, and reads the commands
// of a substitution, whose output is unknown.
func (r *reader) expansion(b *build, p syntax.WordPart, quoted bool, at *scope) error {
	switch p := p.(type) {
	case *syntax.CmdSubst:
		b.fail("the output of a substitution", !quoted)
		_, err := r.stmts(p.Stmts, *at)
		return err
	case *syntax.ParamExp:
		r.param(b, p.Param.Value, quoted, at)
	default:
		b.fail("an expansion", true)
	}
	return nil
}

func (r *reader) param(b *build, name string, quoted bool, at *scope) {
	val, ok := at.vars.value(name)
	if name == "PWD" && len(at.dirs) == 1 {
		val, ok = at.dirs[0], true
	}
	if i := slices.IndexFunc(at.loops, func(l loop) bool {
		return l.name == name
	}); i >= 0 && b.loop(at.loops[i], quoted) {
		return
	}
	if (name == "?" || name == "$") && b.alts == nil && !b.braces {
		b.alts, b.mark, b.quoted = []string{digits}, b.glob.Len(), true
		b.text.WriteString("$" + name)
		return
	}
	switch {
	case !ok || strings.ContainsRune(val, 0):
		b.fail("the value of $"+name, !quoted || name == "@")
	case quoted:
		b.quote(val)
	case strings.ContainsAny(val, " \t\n*?[\\{}~"):
		b.fail("the value of $"+name, true) // split into words, or matched against files
	default:
		b.text.WriteString(val)
		b.glob.WriteString(val)
	}
}

// loop adds the variable of a loop. Without quotes its value is split and matched
// against files, so that it stands for itself only if it is plain.
func (b *build) loop(l loop, quoted bool) bool {
	var alts []string
	for _, w := range l.items {
		if !quoted && (w.Pattern || strings.ContainsAny(w.Text, " \t\n*?[\\") || w.Text == "") {
			return false
		}
		alts = append(alts, w.Spellings()...)
	}
	if b.alts != nil || b.braces || len(alts) > maxWords {
		return false
	}
	b.alts, b.mark, b.quoted = alts, b.glob.Len(), true
	b.text.WriteString("$" + l.name)
	return true
}

// lit resolves unquoted text: escapes, patterns, braces and tildes.
func (r *reader) lit(b *build, s string, first bool) {
	if first && s[0] == '~' {
		if r.env.Home != "" {
			b.quote(r.env.Home)
			s = s[1:]
		} else {
			b.tilde = true
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			_, n := utf8.DecodeRuneInString(s[i+1:])
			b.quote(s[i+1 : i+1+n])
			i += n
		case '*', '?':
			b.pattern = true
			b.text.WriteByte(c)
			b.glob.WriteByte(c)
		case '[':
			n := max(bracketLen(s[i:]), 1)
			b.pattern, b.brackets = true, true
			b.text.WriteString(s[i : i+n])
			b.glob.WriteString(s[i : i+n])
			i += n - 1
		case '{':
			n, makes := braceLen(s[i:])
			b.text.WriteString(s[i : i+n])
			if b.braces = b.braces || makes; makes {
				b.glob.WriteString(s[i : i+n])
			} else {
				b.glob.WriteString(glob.Escape(s[i : i+n]))
			}
			i += n - 1
		case ']':
			b.text.WriteByte(c)
			b.glob.WriteString(`\]`)
		default:
			b.text.WriteByte(c)
			b.glob.WriteByte(c)
		}
	}
}

// unescapeDouble resolves what a backslash means in double quotes.
func unescapeDouble(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
