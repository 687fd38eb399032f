package layout

import (
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/sexpr/syntax"
)

// printer puts boxes into lines, and breaks those that are too long.
type printer struct {
	lines []line
	code  strings.Builder // of the last line
	col   int             // how many characters that has
	note  string          // the comment at its end
	blank int             // how far the next word is indented
	broke bool            // a line end was added
}

// line is a line that is done: its code, and the comment at its end.
type line struct{ code, note string }

func (p *printer) root(b *box) {
	for i, k := range b.kids {
		if i > 0 {
			p.gap(k, 0)
		}
		p.box(k, 0)
	}
	p.end()
}

// gap prints what stands before a part: line ends, or a blank.
func (p *printer) gap(k *box, indent int) {
	switch {
	case k.breaks > 0:
		for range k.breaks {
			p.end()
		}
		p.blank, p.col = indent, indent
	case k.Kind != syntax.Comment:
		p.word(" ")
	}
}

// end ends a line.
func (p *printer) end() {
	p.lines = append(p.lines, line{p.code.String(), p.note})
	p.code.Reset()
	p.note, p.col, p.blank = "", 0, 0
}

// word prints a text without line ends.
func (p *printer) word(s string) {
	if p.blank > 0 {
		p.code.WriteString(strings.Repeat(" ", p.blank))
		p.blank = 0
	}
	p.code.WriteString(s)
	p.col += utf8.RuneCountInString(s)
}

// box prints a node; tail characters follow it in its last line.
func (p *printer) box(b *box, tail int) {
	switch b.Kind {
	case syntax.List, syntax.Quote:
		p.list(b, tail)
	case syntax.Comment:
		text := strings.TrimRight(b.Text(b.src), " \t\r\f")
		if p.code.Len() > 0 {
			p.note = text
		} else {
			p.word(text)
		}
	default:
		first, rest, wide := strings.Cut(b.Text(b.src), "\n")
		p.word(first)
		for wide {
			p.end()
			first, rest, wide = strings.Cut(rest, "\n")
			p.word(first)
		}
	}
}

// list prints a list or a quote.
func (p *printer) list(b *box, tail int) {
	open, indent := "(", b.column(p.col)
	if b.Kind == syntax.Quote {
		open, indent = "'", p.col+1
	} else {
		tail++
	}
	p.word(open)
	for i, k := range b.kids {
		if i == 0 || k.breaks > 0 || b.kids[i-1].wide {
			p.piece(b, i, indent, tail)
		}
		if i > 0 {
			p.gap(k, indent)
		}
		after := 0
		if i == len(b.kids)-1 {
			after = tail
		}
		p.box(k, after)
	}
	if b.Kind == syntax.Quote {
		return
	}
	if n := len(b.kids); n > 0 && b.kids[n-1].Kind == syntax.Comment {
		p.end()
		p.blank, p.col = indent, indent
	}
	p.word(")")
}

// piece looks at the part of a line that begins with kid from, and breaks it if it is
// too long.
func (p *printer) piece(b *box, from, indent, tail int) {
	col := p.col
	switch {
	case b.kids[from].breaks > 0:
		col = indent
	case from > 0:
		col++
	}
	to, end := from, col-1
	for ; to < len(b.kids); to++ {
		k := b.kids[to]
		if to > from && k.breaks > 0 || k.Kind == syntax.Comment {
			break
		}
		end += 1 + k.first
		if k.wide {
			to++
			break
		}
		if to == len(b.kids)-1 {
			end += tail
		}
	}
	if end > Width && b.breakAt(from, to, col, indent, tail) {
		p.broke = true
	}
}

// text joins the lines. Comments at the ends of neighbouring lines begin in one column.
func (p *printer) text() string {
	var out strings.Builder
	for i := 0; i < len(p.lines); {
		to, col := p.run(i)
		for ; i < to; i++ {
			l := p.lines[i]
			out.WriteString(l.code)
			if l.note != "" {
				out.WriteString(strings.Repeat(" ", col-utf8.RuneCountInString(l.code)))
				out.WriteString(l.note)
			}
			out.WriteByte('\n')
		}
	}
	if s := out.String(); s != "\n" {
		return s
	}
	return ""
}

// apart is how far the ends of lines may lie apart for their comments to begin in one
// column.
const apart = 30

// run returns the end of the run of lines from from on whose comments begin in one column,
// and that column.
func (p *printer) run(from int) (to, col int) {
	least := Width * 100
	for to = from; to < len(p.lines) && p.lines[to].note != ""; to++ {
		n := utf8.RuneCountInString(p.lines[to].code) + 1
		if max(col, n)-min(least, n) > apart {
			break
		}
		col, least = max(col, n), min(least, n)
	}
	return max(to, from+1), col
}
