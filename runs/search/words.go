package search

import (
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/opencortex-go/cortex/plans/canon"
)

// Words returns the words of a text, in order: NFKC, in lower case whatever the locale, and of that
// each longest piece of letters, digits, '_' and '-'. Of a script without spaces between words each
// letter is one. The mark of a cut text is none.
//
// The seed knows the letters a to z alone. Then a query in another script has no words, which
// matches nothing, and people who write their notes in it find none of them.
func Words(text string) iter.Seq[string] {
	text = strings.ReplaceAll(text, cutMark, " ")
	text = strings.ToLower(norm.NFKC.String(text))
	return func(yield func(string) bool) {
		for text != "" {
			word, rest := cutWord(text)
			if text = rest; word != "" && !yield(word) {
				return
			}
		}
	}
}

var cutMark = strings.TrimSpace(canon.Marker)

// cutWord returns the first word of a text, "" if the text begins with none, and what is behind it.
func cutWord(text string) (word, rest string) {
	for i, c := range text {
		n := i + len(string(c))
		switch {
		case alone(c) && i == 0:
			return text[:n], text[n:]
		case alone(c):
			return text[:i], text[i:]
		case !inWord(c) && i == 0:
			return "", text[n:]
		case !inWord(c):
			return text[:i], text[i:]
		}
	}
	return text, ""
}

func inWord(c rune) bool {
	return c == '_' || c == '-' || unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c)
}

// alone says that a letter is a word: its script has no spaces between words.
func alone(c rune) bool {
	return c >= 0x0E00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// Set is a set of words: the first 8 bytes of the SHA-256 of each, in order, each once. Two words
// that share them count as one, which chance brings about once in 10^19 pairs.
type Set []uint64

// MaxWords is how many words a [Set] has at most.
const MaxWords = 4096

// SetOf returns the words of texts, the first [MaxWords] of them. Words behind those are not found.
func SetOf(texts ...string) Set {
	seen := map[uint64]struct{}{}
	for i := 0; i < len(texts) && len(seen) < MaxWords; i++ {
		for w := range Words(texts[i]) {
			if seen[sum(w)] = struct{}{}; len(seen) == MaxWords {
				break
			}
		}
	}
	out := make(Set, 0, len(seen))
	for w := range seen {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

func sum(word string) uint64 {
	s := sha256.Sum256([]byte(word))
	return binary.BigEndian.Uint64(s[:8])
}

// With returns s with the words of more. ok is false if that are more than [MaxWords].
func (s Set) With(more Set) (out Set, ok bool) {
	out = make(Set, 0, len(s)+len(more))
	for len(s) > 0 && len(more) > 0 {
		least := min(s[0], more[0])
		out = append(out, least)
		if s[0] == least {
			s = s[1:]
		}
		if more[0] == least {
			more = more[1:]
		}
	}
	out = append(append(out, s...), more...)
	return slices.Clip(out), len(out) <= MaxWords
}

// Has reports whether all words of q are in s. No words are in no set.
func (s Set) Has(q Set) bool {
	for _, w := range q {
		if _, ok := slices.BinarySearch(s, w); !ok {
			return false
		}
	}
	return len(q) > 0
}
