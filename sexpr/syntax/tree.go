package syntax

import (
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// Kind is what a [Node] is.
type Kind uint8

// The kinds of node. A Root holds the forms of a text, a Quote what is quoted.
const (
	Root Kind = iota
	List
	Quote
	Atom    // a keyword, symbol or number
	String  // with its quotes
	Comment // from ; to the end of the line
	Block   // from #| to |#
	Bad     // what no reader takes
)

// maxDepth bounds how deep lists nest. What is deeper is Bad, so that trees can be walked
// by recursion; no reader takes as much.
const maxDepth = 256

// Node is a piece of a text: the bytes from From up to To.
type Node struct {
	Kind     Kind
	From, To int
	// Kids are the parts of a Root, List or Quote in order, comments among them.
	Kids []*Node
	// Lines are the line ends between this node and what stands before it: its
	// neighbour, or the beginning of what it is part of.
	Lines int
	// Open says that a List has no closing parenthesis, and a Quote nothing quoted.
	Open bool
}

// Read returns the Root of a text.
func Read(src string) *Node {
	r := reader{src: src}
	root := r.read()
	if r.astray {
		r = reader{src: src, mending: true}
		root = r.read()
	}
	return root
}

// reader builds the tree of a text, with a stack of its own.
type reader struct {
	src    string
	open   []*Node // the Root first
	lines  int     // since the last node, or the last beginning of one
	astray bool    // the parentheses or quotes do not match
	// mending says that the parentheses do not match: a definition then begins at
	// a parenthesis that begins a line, whatever is open.
	mending bool
	unended bool // a string has no end, so that further ones are looked for in their lines alone
}

func (r *reader) read() *Node {
	root := &Node{Kind: Root, To: len(r.src)}
	r.open = append(r.open, root)
	for off := 0; off < len(r.src); {
		t := r.next(off)
		r.token(t)
		off = t.To
	}
	for len(r.open) > 1 {
		r.giveUp(len(r.src))
	}
	return root
}

// next returns the token at off. If the quotes do not match, a string without its end, or
// one that a line in it would make the beginning of a definition, ends with its line.
func (r *reader) next(off int) sexpr.Token {
	if !r.mending || r.src[off] != '"' {
		return sexpr.NextToken(r.src, off)
	}
	line := len(r.src)
	if n := strings.IndexByte(r.src[off:], '\n'); n >= 0 {
		line = off + n
	}
	within := r.src
	if r.unended {
		within = r.src[:line]
	}
	t := sexpr.NextToken(within, off)
	if t.Kind == sexpr.Stray || strings.Contains(r.src[t.From:t.To], "\n(") {
		r.unended = r.unended || t.Kind == sexpr.Stray
		t.Kind, t.To = sexpr.Stray, line
	}
	return t
}

func (r *reader) token(t sexpr.Token) {
	switch t.Kind {
	case sexpr.Blanks:
		r.lines += strings.Count(r.src[t.From:t.To], "\n")
	case sexpr.LineComment:
		r.leaf(Comment, t)
	case sexpr.BlockComment:
		r.leaf(Block, t)
	case sexpr.Opening:
		if r.mending && (t.From == 0 || r.src[t.From-1] == '\n') {
			for len(r.open) > 1 {
				r.giveUp(t.From)
			}
		}
		r.begin(List, t)
	case sexpr.QuoteMark:
		r.begin(Quote, t)
	case sexpr.Closing:
		r.close(t)
	case sexpr.StringToken:
		r.leaf(String, t)
	case sexpr.AtomToken:
		r.leaf(Atom, t)
	case sexpr.Stray:
		r.astray = true
		r.leaf(Bad, t)
	}
}

// begin opens a List or Quote.
func (r *reader) begin(kind Kind, t sexpr.Token) {
	if len(r.open) > maxDepth {
		r.leaf(Bad, t)
		return
	}
	r.open = append(r.open, &Node{Kind: kind, From: t.From, To: t.To, Lines: r.lines, Open: true})
	r.lines = 0
}

func (r *reader) close(t sexpr.Token) {
	for r.open[len(r.open)-1].Kind == Quote {
		r.giveUp(t.From) // it quotes nothing
	}
	top := r.open[len(r.open)-1]
	if top.Kind != List {
		r.astray = true
		r.leaf(Bad, t)
		return
	}
	top.Open = false
	r.end(t.To)
}

// leaf adds a node without parts.
func (r *reader) leaf(kind Kind, t sexpr.Token) {
	r.add(&Node{Kind: kind, From: t.From, To: t.To, Lines: r.lines})
	r.lines = 0
}

// add puts a node where the text is. A Quote ends with what it quotes.
func (r *reader) add(n *Node) {
	top := r.open[len(r.open)-1]
	top.Kids = append(top.Kids, n)
	if top.Kind == Quote && !n.IsComment() {
		top.Open = false
		r.end(n.To)
	}
}

// end ends the innermost open node.
func (r *reader) end(to int) {
	top := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	top.To = to
	r.lines = 0
	r.add(top)
}

// giveUp ends the innermost open node, which has no end, before off.
func (r *reader) giveUp(off int) {
	r.astray = true
	lines := r.lines
	to := len(strings.TrimRight(r.src[:off], " \t\r\n\f"))
	r.end(max(to, r.open[len(r.open)-1].From+1))
	r.lines = lines
}
