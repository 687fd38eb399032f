package mine

import (
	"encoding/binary"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Words in a row that stand for a text: what shares as many with an output is taken from it.
const run = 3

// fold brings spellings of one text together: compatibility forms, case, percent escapes.
func fold(s string) string {
	s = norm.NFKC.String(s)
	if strings.Contains(s, "%") {
		if plain, err := url.PathUnescape(s); err == nil {
			s = plain
		}
	}
	return strings.ToLower(s)
}

// plain are the words of a folded text: letters and digits, and nothing else.
func plain(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// The forms are compiled when they are first used: a start of the program that mines nothing does not pay for them.
var (
	hosts   = late(`[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+`)
	paths   = late(`[\p{L}\p{N}._~@+-]*(?:[/\\][\p{L}\p{N}._~@+-]+)+`)
	numbers = late(`\p{N}+(?:[.,_' -]?\p{N}+)*`)
	digit   = late(`\p{N}+`)
	mixed   = late(`[\p{L}\p{N}_@:.+-]*[\p{N}_@:+][\p{L}\p{N}_@:.+-]*`)
)

func late(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// atoms calls see with every address, path, number and odd word in a folded text, each in the
// spellings by which it is recognised again: a path with each folder above it, a number by
// its digits.
func atoms(s string, see func(atom string)) {
	for _, token := range strings.Fields(s) {
		if strings.IndexFunc(token, odd) >= 0 {
			places(token, see)
		}
	}
	for _, n := range numbers().FindAllString(s, -1) {
		see("#" + digits(n))
		for _, part := range digit().FindAllString(n, -1) {
			if part != n && len(part) >= minPart {
				see("#" + part)
			}
		}
	}
}

// odd reports whether a rune makes a word more than a word, somewhere.
func odd(r rune) bool {
	return unicode.IsDigit(r) || unicode.IsNumber(r) || strings.ContainsRune("./\\_@:+", r)
}

// places are the addresses, paths and odd words in what has no white space.
func places(s string, see func(atom string)) {
	for _, h := range hosts().FindAllString(s, -1) {
		see(h)
	}
	for _, p := range paths().FindAllString(s, -1) {
		p = strings.ReplaceAll(p, `\`, "/")
		for at := len(p); at > 0; at = strings.LastIndexByte(p[:at], '/') {
			if part := strings.Trim(p[:at], "/"); strings.Contains(part, "/") || at == len(p) {
				see("/" + part)
			}
		}
		see(p[strings.LastIndexByte(p, '/')+1:])
	}
	for _, m := range mixed().FindAllString(s, -1) {
		see(strings.Trim(m, ":.+-"))
	}
}

// minPart is the length of a group of digits that is also a number by itself.
const minPart = 3

// digits are those of a number, however they are grouped.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// heard is what some texts said, so that it can be told whether another text repeats it.
type heard struct {
	exact bool // runs are kept as they are; else as a hash of each, which says too much at worst
	atoms map[string]bool
	runs  map[string]bool // of so many words
	words map[string]bool
	texts []string // folded, if exact
}

func newHeard(exact bool) *heard {
	return &heard{exact: exact, atoms: map[string]bool{}, runs: map[string]bool{}, words: map[string]bool{}}
}

// add takes a text in.
func (h *heard) add(text string) {
	if text == "" {
		return
	}
	s := fold(text)
	atoms(s, func(a string) { h.atoms[a] = true })
	if h.exact {
		h.texts = append(h.texts, " "+strings.Join(strings.Fields(s), " ")+" ")
	}
	words := plain(s)
	for i, w := range words {
		h.words[w] = true
		for _, n := range []int{2, run} { // two, for arguments that have no more
			if i+n <= len(words) {
				h.runs[h.key(words[i:i+n])] = true
			}
		}
	}
}

// key is a run of words as it is kept. Of outputs, which are many, it is 64 bits of FNV-1a:
// two runs that share them cost a candidate, and let none pass.
func (h *heard) key(words []string) string {
	if h.exact {
		return strings.Join(words, " ")
	}
	sum := uint64(14695981039346656037)
	for _, w := range words {
		for i := 0; i < len(w); i++ {
			sum = (sum ^ uint64(w[i])) * 1099511628211
		}
		sum *= 1099511628211
	}
	return string(binary.BigEndian.AppendUint64(make([]byte, 0, 8), sum))
}

// saysAtom reports whether an atom was heard.
func (h *heard) saysAtom(a string) bool { return h.atoms[a] }

// saysShort reports whether a text of fewer words than a run was heard, in a row.
func (h *heard) saysShort(words []string) bool {
	switch len(words) {
	case 0:
		return false
	case 1:
		return h.words[words[0]]
	}
	return h.runs[h.key(words)]
}

// saysAll reports whether each word of a text was heard, and each of its atoms.
func (h *heard) saysAll(text string) bool {
	s, all := fold(text), true
	words := plain(s)
	for _, w := range words {
		all = all && h.words[w]
	}
	atoms(s, func(a string) { all = all && h.atoms[a] })
	return all && len(words) > 0
}

// has reports whether a text stands in what was heard, as words of its own. Only what keeps its
// texts can tell.
func (h *heard) has(text string) bool {
	want := strings.Join(strings.Fields(fold(text)), " ")
	if want == "" {
		return false
	}
	for _, t := range h.texts {
		for from := 0; ; {
			i := strings.Index(t[from:], want)
			if i < 0 {
				break
			}
			i += from
			if edge(t, i, -1) && edge(t, i+len(want), 1) {
				return true
			}
			from = i + 1
		}
	}
	return false
}

// edge reports whether a word ends at i, seen from inside the match.
func edge(t string, i, side int) bool {
	out, _ := utf8.DecodeRuneInString(t[i:])
	if side < 0 {
		out, _ = utf8.DecodeLastRuneInString(t[:i])
	}
	return !unicode.IsLetter(out) && !unicode.IsDigit(out) && out != '_'
}
