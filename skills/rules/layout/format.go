package layout

import (
	"unicode/utf8"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/sexpr/syntax"
)

// Width is the column by which lines end, unless a single word is longer than that.
const Width = 100

// Format returns the text of a rule file in the one style. A text that a rule file's
// reader does not take, limits included, is an [*sexpr.Error] with its place; file is
// only named in it.
func Format(file, src string) (string, error) {
	reader := sexpr.Reader{Code: true}
	if _, err := reader.ReadAll(file, src); err != nil {
		return "", err
	}
	root := boxOf(src, syntax.Read(src))
	// Breaking a line changes where its parts begin, so it may need another look.
	// Breaks are only added, so this ends; and since the result has all of them,
	// formatting it again finds nothing to add.
	for {
		root.measure()
		p := printer{}
		p.root(root)
		if !p.broke {
			return p.text(), nil
		}
	}
}

// box is a node with the line ends that stand before its parts.
type box struct {
	*syntax.Node
	src    string
	kids   []*box
	data   int // this many of the kids are no comments
	style  style
	breaks int // line ends before it: 2 leave a line empty

	// As it is broken now:
	width int  // of the line, if it stands on one
	first int  // of its first line
	wide  bool // it holds a line end
}

// boxOf makes the boxes of a node, with the line ends that the author chose.
func boxOf(src string, n *syntax.Node) *box {
	b := &box{Node: n, src: src, breaks: min(n.Lines, 2)}
	for i, k := range n.Kids {
		kid := boxOf(src, k)
		switch {
		case i > 0 && n.Kids[i-1].Kind == syntax.Comment:
			kid.breaks = max(kid.breaks, 1)
		case i == 0 || n.Kind == syntax.Quote:
			kid.breaks = 0
		case n.Kind == syntax.Root && !k.IsComment():
			kid.breaks = max(kid.breaks, 1)
		}
		b.kids = append(b.kids, kid)
		if !k.IsComment() {
			b.data++
		}
	}
	b.style = styleOf(b)
	if b.style.named && len(b.kids) > 1 && !b.kids[0].IsComment() {
		b.kids[1].breaks = 0
	}
	return b
}

// measure finds out how wide a box and its parts are.
func (b *box) measure() {
	b.wide, b.first = false, 0
	switch b.Kind {
	case syntax.List, syntax.Quote, syntax.Root:
		b.measureKids()
		return
	case syntax.Comment: // not counted: comments are not broken
		b.width = 0
		return
	default:
	}
	text := b.Text(b.src)
	for _, r := range text {
		if r == '\n' {
			b.wide = true
			break
		}
		b.first++
	}
	b.width = utf8.RuneCountInString(text)
}

func (b *box) measureKids() {
	b.width = 1 // the opening parenthesis, or the quote
	add := func(n int) {
		if !b.wide {
			b.first += n
		}
	}
	add(1)
	for i, k := range b.kids {
		k.measure()
		if k.breaks > 0 {
			b.wide = true
		} else if i > 0 {
			add(1)
			b.width++
		}
		add(k.first)
		b.width += k.width
		b.wide = b.wide || k.wide || k.Kind == syntax.Comment
	}
	if b.Kind == syntax.List {
		add(1)
		b.width++
	}
}
