package condition

import (
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/opencortex-go/cortex/sexpr"
)

// spot is the place of a piece of a program that stands in a definition, which may be
// another file's.
type spot struct {
	file string
	pos  sexpr.Pos
	used string // where the definition is used
}

// mark gives every node of a definition's body a spot. Nodes have two numbers for their
// place, line and column; those of a body have the number of their spot, below zero.
func (l *lowerer) mark(c code) {
	m := marker{l: l, used: l.usedAt()}
	ast.Walk(&c, &m)
}

type marker struct {
	l    *lowerer
	used string
}

// Visit marks one node, unless it stands in a definition further in.
func (m *marker) Visit(n *ast.Node) {
	at := (*n).Location()
	if at.From < 0 {
		return
	}
	m.l.spots = append(m.l.spots, spot{m.l.src.Name(), place(at), m.used})
	(*n).SetLocation(file.Location{From: -len(m.l.spots)})
}

// spotOf is where a node of the program stands.
func (p *program) spotOf(at file.Location) spot {
	if at.From < 0 {
		return p.spots[-at.From-1]
	}
	return spot{pos: place(at)}
}
