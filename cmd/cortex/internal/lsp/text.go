package lsp

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/sexpr"
)

// text finds places in a text, as offsets and as positions of the protocol.
type text struct {
	src   string
	lines []int // where each line begins, for the protocol: also behind a lone \r
}

func newText(src string) text {
	t := text{src: src, lines: []int{0}}
	for i := 0; i < len(src); i++ {
		if src[i] == '\n' || src[i] == '\r' && (i+1 == len(src) || src[i+1] != '\n') {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// position returns the position of an offset.
func (t text) position(off int) position {
	line, found := slices.BinarySearch(t.lines, off)
	if !found {
		line--
	}
	p := position{Line: line}
	for _, r := range t.src[t.lines[line]:off] {
		p.Character += units(r)
	}
	return p
}

func (t text) span(from, to int) span { return span{t.position(from), t.position(to)} }

// whole is the span of all the text.
func (t text) whole() span { return t.span(0, len(t.src)) }

// offset returns the offset of a position. One behind the end of a line or of the text is
// taken as that end.
func (t text) offset(p position) int {
	if p.Line < 0 || p.Line >= len(t.lines) {
		return len(t.src)
	}
	off, end := t.lines[p.Line], len(t.src)
	if p.Line+1 < len(t.lines) {
		end = t.lines[p.Line+1]
	}
	end = off + len(strings.TrimRight(t.src[off:end], "\r\n"))
	for n := 0; off < end; {
		r, size := utf8.DecodeRuneInString(t.src[off:])
		if n += units(r); n > p.Character {
			break
		}
		off += size
	}
	return off
}

// at returns the offset of a place as errors of the notation give it: in lines that end
// with a line feed, and characters.
func (t text) at(p sexpr.Pos) int {
	off := 0
	for line := int32(1); line < p.Line; line++ {
		n := strings.IndexByte(t.src[off:], '\n')
		if n < 0 {
			return len(t.src)
		}
		off += n + 1
	}
	for col := int32(1); col < p.Col && off < len(t.src) && t.src[off] != '\n'; col++ {
		_, size := utf8.DecodeRuneInString(t.src[off:])
		off += size
	}
	return off
}

// units is how many code units of UTF-16 a character takes.
func units(r rune) int {
	if n := utf16.RuneLen(r); n > 0 {
		return n
	}
	return 1
}
