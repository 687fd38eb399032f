package fields

import (
	"strings"
	"unicode"

	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// The sizes of a cell: what a line of a list says of one thing.
const (
	maxBeside = 4 // words in a cell beside a value, such as "2 pieces" and "drawer 7"
	maxCell   = 6 // words in another cell of the line; what is longer is a sentence
)

// Cell reports whether a value stands in a text as a field of a record does: in a line of
// short parts, such as "U-330  chain, used  2 pieces  drawer 7", and in no sentence. Plain
// says of a word that sentences are made of it. It returns the line, too. What the line says
// behind the value is for others to judge.
func Cell(text string, from, to int, plain func(word string) bool) (line string, yes bool) {
	start := strings.LastIndexByte(text[:from], '\n') + 1
	end := len(text)
	if n := strings.IndexByte(text[to:], '\n'); n >= 0 {
		end = to + n
	}
	line = text[start:end]
	if speaks(text[start:from] + "0" + text[to:end]) {
		return line, false
	}
	before := parted(text[start:from])
	for _, c := range before[:len(before)-1] {
		if n, sentence := count(c, plain); sentence && n > 2 || n > maxCell {
			return line, false
		}
	}
	left, odd := count(before[len(before)-1], plain)
	right, more := count(parted(text[to:end])[0], plain)
	most := maxBeside
	if !strings.ContainsAny(line, "\t|:(=\"") && !strings.Contains(strings.TrimSpace(line), "  ") {
		if most = 1; len(before) > 1 {
			return line, false // it has the marks of sentences alone, in whatever language
		}
	}
	return line, !odd && !more && left+right <= most
}

// Sentence returns the words around a value, to the ends of the sentence or line that holds it.
func Sentence(text string, from, size int) string {
	to := min(from+size, len(text))
	start := max(strings.LastIndex(text[:from], ". "), strings.LastIndexByte(text[:from], '\n')) + 1
	end := len(text)
	for _, mark := range []string{". ", "\n"} {
		if n := strings.Index(text[to:end], mark); n >= 0 {
			end = to + n
		}
	}
	return text[start:end]
}

// parted cuts a line at what parts the fields of a record.
func parted(line string) []string {
	var out []string
	from := 0
	for i := 0; i < len(line); i++ {
		gap := strings.HasPrefix(line[i:], "  ")
		switch c := line[i]; {
		case gap || strings.IndexByte("\t|;()[]{}\"=", c) >= 0:
		case strings.IndexByte(",:.", c) >= 0 && (i+1 == len(line) || line[i+1] == ' '):
		case c == '-' && i > 0 && line[i-1] == ' ' && i+1 < len(line) && line[i+1] == ' ':
		default:
			continue
		}
		out = append(out, line[from:i])
		from = i + 1
	}
	return append(out, line[from:])
}

// speaks reports whether a line has more words in a row than a field has, in whatever language:
// commas and stops part clauses as well, so a row ends only where columns, keys and brackets do.
// Of a script without spaces two letters are a word.
func speaks(line string) bool {
	n, last := 0, ' '
	for i, r := range line {
		switch {
		case strings.ContainsRune("\t|()[]{}\"=", r), r == ' ' && (last == ' ' || last == ':'),
			strings.HasPrefix(line[i:], " - "):
			n = 0
		case unspaced(r):
			n++
		case unicode.IsLetter(r) && !unicode.IsLetter(last) && !strings.ContainsRune("'’-_.@/0123456789", last):
			n += 2
		}
		if n > 2*maxCell {
			return true
		}
		last = r
	}
	return false
}

// unspaced reports whether a letter is of a script that puts no spaces between words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
		unicode.Myanmar)
}

// count counts the words of a cell, and reports whether one of them is a sentence's.
func count(cell string, plain func(string) bool) (n int, sentence bool) {
	for _, w := range words.Loose(cell) {
		n++
		first, _ := firstRune(cell[w.Start:])
		sentence = sentence || plain(w.Key) && !unicode.IsDigit(first)
	}
	return n, sentence
}

func firstRune(s string) (rune, bool) {
	for _, r := range s {
		return r, true
	}
	return 0, false
}
