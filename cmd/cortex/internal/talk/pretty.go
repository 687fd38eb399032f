package talk

import (
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/sexpr"
)

// pretty prints a value on lines of at most width columns, as far as its atoms
// allow. Of a list that does not fit, members that are lists stand on lines of
// their own, and so do the pairs of a plist.
func pretty(v sexpr.Value, width int) string {
	p := printer{width: width}
	p.value(v)
	return p.text.String()
}

type printer struct {
	text   strings.Builder
	width  int
	column int
}

func (p *printer) write(s string) {
	p.text.WriteString(s)
	p.column += utf8.RuneCountInString(s)
}

func (p *printer) fits(s string) bool { return p.column+utf8.RuneCountInString(s) <= p.width }

func (p *printer) value(v sexpr.Value) {
	if line := v.String(); v.Len() == 0 || p.fits(line) {
		p.write(line)
		return
	}
	p.write("(")
	indent := p.column
	for i, x := range v.Items() {
		switch pair := v.IsPlist() && i%2 == 1; {
		case i == 0:
		case pair, !v.IsPlist() && x.Len() == 0 && p.fits(" "+x.String()):
			p.write(" ")
		default:
			p.text.WriteString("\n" + strings.Repeat(" ", indent))
			p.column = indent
		}
		p.value(x)
	}
	p.write(")")
}
