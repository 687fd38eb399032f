package words

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Atoms cuts a text into atoms. Letters are folded in words and hosts; a path, an
// account or an identifier keeps its case. Numbers are written in one way.
func Atoms(text string) []Word {
	return AppendAtoms(make([]Word, 0, len(text)/6+1), text)
}

// AppendAtoms appends the atoms of a text.
func AppendAtoms(out []Word, text string) []Word {
	broken := false
	for w, i, ok := nextAtom(text, 0, &broken); ok; w, i, ok = nextAtom(text, i, &broken) {
		out = append(out, w)
	}
	return out
}

// NextAtom returns the first atom that begins at or after a byte, and the byte after it and
// its punctuation; false if there is none. No atom stands across the byte. It does not know
// of a break before the byte.
func NextAtom(text string, i int) (w Word, next int, ok bool) {
	broken := false
	return nextAtom(text, i, &broken)
}

// AtomsWith lists the atoms that hold one of some ASCII characters that do not separate atoms.
// It passes what stands between them quickly, and does not know of breaks.
func AtomsWith(text, chars string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		for i := 0; ; {
			at := strings.IndexAny(text[i:], chars)
			if at < 0 {
				return
			}
			if at += i; endsWord(text, at) {
				i = at + 1
				continue
			}
			w, next, ok := NextAtom(text, begins(text, i, at))
			if ok && strings.ContainsAny(text[w.Start:w.End], chars) && !yield(w) {
				return
			}
			i = next
		}
	}
}

// endsWord reports whether a byte is the dot behind the last word of a sentence, and so in no atom.
func endsWord(text string, i int) bool {
	return text[i] == '.' && (i+1 == len(text) || space(text[i+1])) && i > 0 && alnum(text[i-1])
}

func alnum(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// begins returns where the chunk begins, at or after from, that a byte at i belongs to.
func begins(text string, from, i int) int {
	for i > from {
		r, n := utf8.DecodeLastRuneInString(text[from:i])
		if separates(r) || r == ',' && (text[i] < '0' || text[i] > '9') {
			return i
		}
		i -= n
	}
	return i
}

// nextAtom is NextAtom, which is told of a break before the byte and says where one follows it.
func nextAtom(text string, i int, broken *bool) (w Word, next int, ok bool) {
	for i < len(text) {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		if separates(r) {
			*broken = *broken || breaks(text, i, r)
			i += n
			continue
		}
		if end := letterRun(text, i); end > i && (end == len(text) || text[end] == ' ') {
			w = Word{i, end, strings.ToLower(text[i:end]), Word1, *broken}
			*broken = false
			return w, end, true
		}
		end := i + chunk(text[i:])
		from, to := trim(text, i, end)
		if from < to {
			to = possessive(text, from, to)
			key, shape := atom(text[from:to])
			w, ok = Word{from, to, key, shape, *broken}, true
			*broken = false
		}
		i = end
		if i < len(text) || to < end {
			*broken = *broken || strings.ContainsAny(text[to:end], ".!?") && endsSentence(text, end)
		}
		if ok {
			return w, i, true
		}
	}
	return Word{}, len(text), false
}

// letterRun returns the end of a run of ASCII letters.
func letterRun(text string, i int) int {
	for i < len(text) && text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z' {
		i++
	}
	return i
}

// separates reports whether a character stands between atoms wherever it occurs.
func separates(r rune) bool {
	if r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' {
		return false
	}
	switch r {
	case ';', '"', '“', '”', '„', '«', '»', '‘', '(', ')', '[', ']', '{', '}', '<', '>', '|', '`', '—', '–', '…':
		return true
	}
	return unicode.IsSpace(r)
}

// breaks reports whether a separator ends a sentence: a semicolon, a blank line.
func breaks(text string, i int, r rune) bool {
	switch r {
	case ';', '—', '…', '|':
		return true
	case '\n':
		rest := strings.TrimLeft(text[i+1:min(len(text), i+64)], " \t\r")
		return strings.HasPrefix(rest, "\n")
	}
	return false
}

// chunk returns how many bytes the atom at the start of a text has, with the
// punctuation that may stand around it.
func chunk(text string) int {
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		if separates(r) {
			return i
		}
		i += n
		if r == ',' && i < len(text) && (text[i] < '0' || text[i] > '9') {
			return i
		}
	}
	return len(text)
}

// trim takes the punctuation off both ends of a chunk. A dot or slash at the start
// stays: ../x and .env are other values than x and env.
func trim(text string, from, to int) (int, int) {
	whole := text[from:to]
	if bare := strings.Trim(whole, "*"); len(whole) > len(bare)+1 && strings.HasPrefix(whole, "*") && letterAt(bare, 0) {
		from += strings.Index(whole, bare) // bold
		to = from + len(bare)
	}
	for from < to && unquote(text[from:to]) > 0 {
		from += unquote(text[from:to])
	}
	for from < to {
		switch c := text[to-1]; {
		case strings.IndexByte("',:!?%", c) >= 0:
		case c == '.' && to-2 >= from && text[to-2] != '.' && text[to-2] != '/':
		case strings.HasSuffix(text[from:to], "’"), strings.HasSuffix(text[from:to], "€"):
			to -= 2
		default:
			return from, to
		}
		to--
	}
	return from, to
}

// unquote returns how many bytes at the start of a chunk stand around its atom.
func unquote(s string) int {
	if strings.IndexByte("',:!?$", s[0]) >= 0 {
		return 1
	}
	if r, n := utf8.DecodeRuneInString(s); r == '€' || r == '£' || r == '’' {
		return n
	}
	return 0
}

func letterAt(text string, i int) bool {
	if i >= len(text) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// possessive returns the end of an atom without 's.
func possessive(text string, from, to int) int {
	for _, s := range []string{"'s", "’s"} {
		if base, ok := strings.CutSuffix(text[from:to], s); ok && base != "" {
			return from + len(base)
		}
	}
	return to
}

// endsSentence reports whether white space or nothing follows.
func endsSentence(text string, i int) bool {
	if i >= len(text) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsSpace(r)
}

// AtomKey returns what an atom is compared by.
func AtomKey(s string) string {
	key, _ := atom(s)
	return key
}

// atom returns what an atom is compared by, and its shape.
func atom(s string) (string, Shape) {
	if c := s[0]; c >= '0' && c <= '9' || c == '-' {
		if n, ok := Number(s); ok {
			return n, ShapeOf(s)
		}
	}
	switch shape := ShapeOf(s); shape {
	case URL:
		return foldURL(s), shape
	case Email, Host, Word1:
		return strings.ToLower(s), shape
	case Other, Account, Phone, Path, Numeric, Day:
		return s, shape
	}
	return s, Other
}
