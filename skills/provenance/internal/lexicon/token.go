package lexicon

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// Token is a word or one punctuation mark of a text.
type Token struct {
	*Lexeme
	Start, End int
	Word       bool
	Spaced     bool // white space stands before it
	Line       bool // a line break stands before it
}

// Tokens cuts a text into words and marks. A word may hold _ and an apostrophe.
func (l *Lexicon) Tokens(text string) []Token {
	r := l.Reader()
	defer r.Close()
	return slices.Clone(r.Tokens(text))
}

// Tokens cuts a text into words and marks. A word may hold _ and an apostrophe.
func (r *Reader) Tokens(text string) []Token {
	out := slices.Grow(r.toks[:0], len(text)/5+1)
	spaced, line := true, true
	for i := 0; i < len(text); {
		if text[i] == ' ' {
			spaced = true
			i++
			continue
		}
		end, sum := i, words.NoSum
		for end < len(text) && inner[text[end]] {
			sum = words.AddTo(sum, text[end])
			end++
		}
		word := end > i
		if !word || end < len(text) && (text[end] >= utf8.RuneSelf || text[end] == '\'') { // few words and all marks
			c, n := utf8.DecodeRuneInString(text[i:])
			if unicode.IsSpace(c) {
				spaced, line = true, line || c == '\n'
				i += n
				continue
			}
			end = wordEnd(text, i)
			if word = end > i; !word {
				end += n
			}
			sum = words.Sum(text[i:end])
		}
		t := Token{Lexeme: r.know(text[i:end], sum), Start: i, End: end, Spaced: spaced, Line: line, Word: word}
		spaced, line, i = false, false, end
		if t.Key != "" {
			out = append(out, t)
		}
	}
	r.toks = out
	return out
}

// inner are the ASCII characters that a word has wherever they stand in it.
var inner = func() (in [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") {
		in[c] = true
	}
	return in
}()

func wordEnd(text string, i int) int {
	start := i
	for i < len(text) {
		if c := text[i]; c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' {
			i++
			continue
		}
		if c := text[i]; c < utf8.RuneSelf && c != '\'' {
			break
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		inner := r == '\'' || r == '’'
		if inner {
			next, _ := utf8.DecodeRuneInString(text[i+n:])
			if i == start || !unicode.IsLetter(next) {
				break
			}
		} else if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Cf, r) &&
			!unicode.IsMark(r) {
			break
		}
		i += n
	}
	return i
}

// IsWord reports whether a text begins with a letter, a digit or _.
func IsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}
