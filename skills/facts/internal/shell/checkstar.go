package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// In zsh, "**/" stands for any folders, or for none. Where it stands for none, what
// follows is the beginning of the path: **//etc/passwd is /etc/passwd there, and so is
// **/$x/etc/passwd where x is empty.

// maybe stands in an outline for what may be empty, or may be a slash: an expansion,
// or a group in braces with such a part.
const maybe = '?'

// deep reports whether a word has ** which the shells read alike: with one slash
// behind it, and not put together from parts.
func (p *plain) deep(w *syntax.Word) bool {
	if !p.stars || !strings.Contains(p.src[w.Pos().Offset():w.End().Offset()], "*") {
		return true
	}
	full := outline(w)
	least := strings.ReplaceAll(full, string(maybe), "")
	switch {
	case strings.Contains(least, "***"), strings.Count(least, "**/") != strings.Count(full, "**/"): // *{,x}*/y
		return false
	case strings.HasPrefix(least, "**/"):
		return !strings.Contains(least, "//") && !strings.Contains(full, "/?") && !strings.Contains(full, "?/")
	}
	return true
}

// outline keeps of a word where it has a slash, an unquoted star, or what may be empty.
func outline(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			outlineLit(&b, part.Value)
		case *syntax.SglQuoted:
			outlineQuoted(&b, part.Value)
		case *syntax.DblQuoted:
			for _, in := range part.Parts {
				if l, ok := in.(*syntax.Lit); ok {
					outlineQuoted(&b, l.Value)
				} else {
					b.WriteByte(maybe)
				}
			}
		default:
			b.WriteByte(maybe)
		}
	}
	return b.String()
}

func outlineQuoted(b *strings.Builder, text string) {
	for i := range len(text) {
		if text[i] == '/' {
			b.WriteByte('/')
		} else {
			b.WriteByte('x')
		}
	}
}

func outlineLit(b *strings.Builder, s string) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '/', '*':
			b.WriteByte(s[i])
		case '\\':
			if i++; i < len(s) {
				outlineQuoted(b, s[i:i+1])
			}
		case '{':
			n, _ := braceLen(s[i:])
			if n == 0 || !strings.Contains(s[i:i+n], "/") &&
				!strings.Contains(strings.NewReplacer("{", ",", "}", ",").Replace(s[i:i+n]), ",,") {
				b.WriteByte('x')
				continue
			}
			b.WriteByte(maybe)
			i += n - 1
		default:
			b.WriteByte('x')
		}
	}
}
