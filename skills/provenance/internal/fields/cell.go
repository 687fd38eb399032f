package fields

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// The sizes of a cell: what a line of a list says of one thing.
const (
	maxBeside = 2    // words in a cell beside a value, such as "2 pieces" and "drawer 7"
	maxCell   = 6    // words in another cell of the line; what is longer is a sentence
	maxLine   = 1000 // bytes; people read no longer row
)

// Cell reports whether a value stands in a text as a field of a record does: in a line of
// short parts, such as "U-330  chain, used  2 pieces  drawer 7", and in no sentence. Plain
// says of a word that sentences are made of it. It returns the line, too. A sentence of
// the language behind the value, in a cell of its own, is for others to judge.
func Cell(text string, from, to int, plain func(word string) bool) (line string, yes bool) {
	start := strings.LastIndexByte(text[:from], '\n') + 1
	end := len(text)
	if n := strings.IndexByte(text[to:], '\n'); n >= 0 {
		end = to + n
	}
	line = text[start:end]
	if len(line) > maxLine || speaks(text[start:from], text[to:end]) {
		return line, false
	}
	before := parted(text[start:from])
	for _, c := range before[:len(before)-1] {
		if n := count(c, plain); n.common > 0 && n.all > 2 || n.all > maxCell {
			return line, false
		}
	}
	left, right := count(before[len(before)-1], plain), count(parted(text[to:end])[0], plain)
	most := maxBeside
	if !strings.ContainsAny(line, "\t|:(=\"") && !strings.Contains(strings.TrimSpace(line), "  ") {
		if most = 1; len(before) > 1 {
			return line, false // it has the marks of sentences alone, in whatever language
		}
	}
	return line, left.common+right.common == 0 && left.all+right.all <= most
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
func parted(line string) []string { return cutAt(line, "\t|;()[]{}\"=", ",:.") }

// rows cuts a line at what no sentence has between its words.
func rows(line string) []string { return cutAt(line, "\t|()[]{}\"=", ":.") }

// cutAt cuts a line at two spaces, at a dash between spaces, at marks, and at others that a space
// follows.
func cutAt(line, marks, spaced string) []string {
	var out []string
	from := 0
	for i := 0; i < len(line); i++ {
		gap := strings.HasPrefix(line[i:], "  ")
		switch c := line[i]; {
		case gap || strings.IndexByte(marks, c) >= 0:
		case strings.IndexByte(spaced, c) >= 0 && (i+1 == len(line) || line[i+1] == ' '):
		case c == '-' && i > 0 && line[i-1] == ' ' && i+1 < len(line) && line[i+1] == ' ':
		default:
			continue
		}
		out = append(out, line[from:i])
		from = i + 1
	}
	return append(out, line[from:])
}

// speaks reports whether a line has more words in a row than fields have, without the value in it:
// in whatever language, it may be a sentence. Commas part clauses as well as fields, so a row ends
// only where columns, keys, brackets and stops do.
func speaks(before, after string) bool {
	left, right := rows(before), rows(after)
	left[len(left)-1] += " " + right[0]
	return slices.ContainsFunc(append(left, right[1:]...), func(row string) bool {
		return count(row, func(string) bool { return false }).spoken > maxCell
	})
}

// unspaced reports whether a letter is of a script that puts no spaces between words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
		unicode.Myanmar)
}

// counts are those of the words in a cell.
type counts struct {
	all    int
	spoken int // but for numbers, and for the further parts of names and addresses
	common int // that sentences are made of
}

// count counts words. Of a script without spaces two letters are one.
func count(cell string, plain func(string) bool) counts {
	var c counts
	for _, w := range words.Loose(cell) {
		letters, first := 0, ' '
		for i, r := range cell[w.Start:w.End] {
			if i == 0 {
				first = r
			}
			if unspaced(r) {
				letters++
			}
		}
		n := max(1, (letters+1)/2)
		c.all += n
		last, _ := utf8.DecodeLastRuneInString(cell[:w.Start])
		if unicode.IsDigit(first) {
			continue
		}
		if !strings.ContainsRune("'’-_.@/", last) {
			c.spoken += n
		}
		if plain(w.Key) {
			c.common++
		}
	}
	return c
}
