package layout

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr/syntax"
)

// style is how a list is laid out.
type style struct {
	indent indent
	split  split
	from   int  // the part, comments aside, from which on a line may be broken
	named  bool // the second part is a name, and stays beside the first
}

// indent is where the lines of a list begin, its first aside.
type indent uint8

const (
	elements  indent = iota // one column in, below the first element
	body                    // two columns in
	arguments               // below the first argument, if it stands in the first line
)

// split is where a line that is too long is broken.
type split uint8

const (
	words  split = iota // before each part that does not fit any more
	values              // likewise, also before a part that is too long for any line
	keys                // before the keys of a plist; neighbours with a word as value stay together
	every               // before every part
)

// loops are the operators whose last argument is about each element of the first. It
// stands two columns in, as what happens inside a loop does.
func loops() []string {
	return []string{"some", "every", "none", "every-or-empty", "none-or-empty", "count", "filter", "map", "sum"}
}

// clauses are the kinds of clause of a gate.
func clauses() []string { return []string{"reject", "deny", "ask", "allow", "rewrite"} }

// styleOf chooses the style of a list by what it begins with.
func styleOf(b *box) style {
	if b.Kind != syntax.List || b.data == 0 {
		return style{split: values, from: 1}
	}
	first := b.part(0)
	if _, ok := first.Keyword(b.src); ok {
		return ofPlist(b)
	}
	name := first.Symbol(b.src)
	switch {
	case first.Kind == syntax.List:
		return style{split: every, from: 1}
	case name == "":
		return style{split: values, from: 1}
	case name == "defaults":
		return style{indent: body, split: keys, from: 1}
	case name == "deflist":
		return style{indent: body, split: values, from: 2, named: true}
	case name == "defcondition":
		return style{indent: body, split: words, from: 3, named: true}
	case strings.HasPrefix(name, "def"), slices.Contains(clauses(), name):
		return style{indent: body, split: keys, from: 2, named: true}
	case name == "let", slices.Contains(loops(), name):
		return style{indent: body, split: words, from: 2}
	case name == "if":
		return style{indent: arguments, split: every, from: 2}
	case name == "object":
		return style{indent: arguments, split: keys, from: 2}
	}
	return style{indent: arguments, split: words, from: 2}
}

// ofPlist tells a plist from a list of names such as (:to :amount).
func ofPlist(b *box) style {
	for i := 1; i < b.data; i += 2 {
		if _, ok := b.part(i).Keyword(b.src); !ok {
			return style{split: keys}
		}
	}
	return style{split: values, from: 1}
}

// part returns the nth of the parts that are no comments.
func (b *box) part(n int) *box {
	for _, k := range b.kids {
		if k.IsComment() {
			continue
		}
		if n == 0 {
			return k
		}
		n--
	}
	return nil
}

// column returns where the lines of a list begin, if it begins at col.
func (b *box) column(col int) int {
	switch b.style.indent {
	case body:
		return col + 2
	case arguments:
		if len(b.kids) > 1 && b.kids[1].breaks == 0 && !b.kids[0].IsComment() && !b.kids[1].IsComment() {
			return col + 1 + b.kids[0].width + 1
		}
	case elements:
	}
	return col + 1
}

// breakAt decides which lines end in the piece of a list from kid from up to kid to,
// which is too long, by its style. The piece begins at col, further lines at indent. It
// reports whether any does.
func (b *box) breakAt(from, to, col, indent, tail int) bool {
	broke := false
	at := b.before(from)
	for i := from; i < to; i++ {
		k := b.kids[i]
		if i > from {
			col++
		}
		end := col + k.first
		if i == len(b.kids)-1 && !k.wide {
			end += tail
		}
		if i > 0 && k.breaks == 0 && !k.IsComment() && at >= b.style.from && col > indent &&
			b.splits(i, at, end, indent) {
			k.breaks, broke = 1, true
			end += indent - col
		}
		col = end
		if !k.IsComment() {
			at++
		}
	}
	return broke
}

// splits decides whether a line is broken before kid i, which is the part at of the list,
// and would end in column end.
func (b *box) splits(i, at, end, indent int) bool {
	k := b.kids[i]
	switch b.style.split {
	case every:
		return true
	case keys:
		if _, key := k.Keyword(b.src); !key || (at-b.style.from)%2 != 0 {
			return false
		}
		if i+1 < len(b.kids) {
			end += 1 + b.kids[i+1].first
		}
		return end > Width || at < 2 || !b.word(i-1) || !b.word(i+1)
	case values:
		return end > Width
	case words:
		return end > Width && (k.Kind == syntax.List || indent+k.width <= Width)
	}
	return false
}

// word reports whether kid i is a keyword, symbol or number.
func (b *box) word(i int) bool { return i < len(b.kids) && b.kids[i].Kind == syntax.Atom }

// before counts the parts before kid n.
func (b *box) before(n int) int {
	at := 0
	for _, k := range b.kids[:n] {
		if !k.IsComment() {
			at++
		}
	}
	return at
}
