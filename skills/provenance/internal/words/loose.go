package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Loose cuts a text into every run of letters or digits, with what looks alike folded
// and numbers written in one way. Punctuation does not count.
func Loose(text string) []Word {
	out := make([]Word, 0, len(text)/6+1)
	for w, i, ok := NextLoose(text, 0); ok; w, i, ok = NextLoose(text, i) {
		out = append(out, w)
	}
	return out
}

// NextLoose returns the first word of [Loose] that begins at or after a byte, and the byte
// after it; false if there is none. No word stands across the byte.
func NextLoose(text string, i int) (w Word, next int, ok bool) {
	for i < len(text) {
		c := text[i]
		switch {
		case c >= '0' && c <= '9':
			w = number(text, i)
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(text[i:])
			if !inWord(r) {
				i += n
				continue
			}
			w = run(text, i)
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			w = run(text, i)
		default:
			i++
			continue
		}
		if w.Key != "" {
			return w, w.End, true
		}
		i = w.End
	}
	return Word{}, len(text), false
}

// LooseSum is [NextLoose] for those who need no more of a word than where it begins and the
// [Sum] of its key.
func LooseSum(text string, i int) (start, next int, sum uint64, ok bool) {
	for i < len(text) && lower[text[i]] == 0 && text[i] < utf8.RuneSelf {
		i++
	}
	start, sum = i, NoSum
	if i < len(text) && text[i] > '9' { // most words; a number has a spelling of its own
		for i < len(text) && lower[text[i]] != 0 {
			sum = AddTo(sum, lower[text[i]])
			i++
		}
		if i == len(text) || text[i] < utf8.RuneSelf {
			return start, i, sum, true
		}
	}
	w, next, ok := NextLoose(text, start)
	return w.Start, next, Sum(w.Key), ok
}

// lower maps the ASCII letters and digits to what they are in small letters, and all else to 0.
var lower = func() (to [256]byte) {
	for c := byte('a'); c <= 'z'; c++ {
		to[c], to[c-0x20] = c, c
	}
	for c := byte('0'); c <= '9'; c++ {
		to[c] = c
	}
	return to
}()

// inWord reports whether a character belongs to a run: a letter or digit, and what is
// folded away inside one.
func inWord(r rune) bool {
	to := alike(r)
	return to == -1 || unicode.IsLetter(to) || unicode.IsDigit(to) || unicode.IsMark(to)
}

// run takes one run of letters and digits; its key is empty if nothing of it is seen.
func run(text string, from int) Word {
	i, folds, wide := from, false, false
	for i < len(text) {
		c := text[i]
		if c < utf8.RuneSelf {
			if lower[c] == 0 {
				break
			}
			folds = folds || lower[c] != c
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if !inWord(r) {
			break
		}
		wide = true
		i += n
	}
	key := text[from:i]
	switch {
	case wide:
		key = strings.TrimFunc(Skeleton(key), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	case folds:
		key = strings.ToLower(key)
	}
	return Word{Start: from, End: i, Key: key}
}

// longest bounds the look-ahead for a number, so that 1.1.1.1... stays linear.
const longest = 32

// number takes a run that begins with a digit: one decimal number, or its groups of
// digits and letters.
func number(text string, from int) Word {
	i := from
	for i < len(text) && i-from < longest &&
		(text[i] >= '0' && text[i] <= '9' || (text[i] == '.' || text[i] == ',') && i+1 < len(text) &&
			text[i+1] >= '0' && text[i+1] <= '9') {
		i++
	}
	whole := i == len(text) || !letterAt(text, i)
	if whole && (from == 0 || text[from-1] != '.') {
		if n, ok := Number(text[from:i]); ok {
			return Word{Start: from, End: i, Key: n}
		}
	}
	end := from
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	if letterAt(text, end) {
		return run(text, from)
	}
	key := strings.TrimLeft(text[from:end], "0")
	if key == "" {
		key = "0"
	}
	return Word{Start: from, End: end, Key: key}
}
