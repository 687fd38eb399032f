package sexpr

import "strings"

// span is a part of a text.
type span struct{ from, to int }

// block is a fenced code block of Markdown.
type block struct {
	open   int  // where its fence begins
	body   span // what is inside
	end    int  // after its closing fence, or the end of the text
	tagged bool // lisp or plist
}

// maxBlocks bounds the examined blocks of a reply: with so many, none is the only
// one.
const maxBlocks = 64

// fences returns the fenced blocks of the reply, in order. It is more lenient than
// Markdown, because models are: a block tagged lisp or plist may begin and end within
// a line. It is also stricter: such a block ends at the first fence after its data,
// not at one inside a string.
func (r *replyReader) fences() []block {
	var blocks []block
	text := r.text
	first, seen := 0, 0 // where the line's text begins, as far as the line has been seen
	for off := 0; off < len(text) && len(blocks) < maxBlocks; {
		next := strings.IndexAny(text[off:], "`~")
		if next < 0 {
			break
		}
		open := off + next
		if line := strings.LastIndexByte(text[seen:open], '\n'); line >= 0 {
			first = seen + line + 1
		}
		first, seen = open-len(strings.TrimLeft(text[first:open], " \t")), open
		n := fenceLen(text, open)
		off = open + n
		if n < 3 {
			continue
		}
		tag := tagAt(text, off)
		b := block{open: open, tagged: tag == "lisp" || tag == "plist"}
		if first < open && (!b.tagged || text[first] == '>') {
			continue
		}
		b.body.from = off + len(tag)
		b.body.to, b.end = r.closing(b.body.from, text[open], n)
		blocks = append(blocks, b)
		off = b.end
	}
	return blocks
}

// fenceLen returns how often the character at off is repeated.
func fenceLen(text string, off int) int {
	n := 1
	for off+n < len(text) && text[off+n] == text[off] {
		n++
	}
	return n
}

// tagAt returns the word that names the language of a block, in lower case.
func tagAt(text string, off int) string {
	end := off
	for end < len(text) && ('a' <= text[end]|0x20 && text[end]|0x20 <= 'z' || isDigit(text[end]) ||
		strings.IndexByte("+-_.#", text[end]) >= 0) {
		end++
	}
	return lower(text[off:end])
}

// closing finds the fence that ends a block, of n or more characters c, and returns
// its beginning and end.
func (r *replyReader) closing(from int, c byte, n int) (begin, end int) {
	if begin, end, ok := r.afterData(from, c, n); ok {
		return begin, end
	}
	for at := from; at < len(r.text); {
		line := strings.IndexByte(r.text[at:], '\n')
		if line < 0 {
			break
		}
		at += line + 1
		first := at + len(r.text[at:]) - len(strings.TrimLeft(r.text[at:], " \t"))
		if long := fenceAt(r.text, first, c, n); long > 0 {
			return at, first + long
		}
	}
	return len(r.text), len(r.text)
}

// afterData finds the fence after a block's leading data, if the data can be read.
func (r *replyReader) afterData(from int, c byte, n int) (begin, end int, ok bool) {
	l := newFormLexer(replyFile, r.text, r.limits, false)
	l.off = from
	for data := 0; ; data++ {
		at, fault := skipBlanks(r.text, l.off)
		if fault != nil {
			return 0, 0, false
		}
		if long := fenceAt(r.text, at, c, n); long > 0 {
			return at, at + long, true
		}
		if at == len(r.text) || data == 0 && r.text[at] != '(' {
			return 0, 0, false
		}
		l.off = at
		if fault := l.form(); fault != nil {
			return 0, 0, false
		}
	}
}

// fenceAt returns the length of a fence at off, or 0 if there is none.
func fenceAt(text string, off int, c byte, n int) int {
	if off >= len(text) || text[off] != c {
		return 0
	}
	if long := fenceLen(text, off); long >= n {
		return long
	}
	return 0
}
