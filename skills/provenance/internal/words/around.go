package words

import (
	"strings"
	"unicode/utf8"
)

// Around returns the text around an offset, in one line of at most 120 bytes.
func Around(text string, offset int) string {
	offset = min(offset, len(text))
	from, to := max(0, offset-40), min(len(text), offset+80)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	return strings.Join(strings.Fields(text[from:to]), " ")
}
