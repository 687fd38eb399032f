package syntax

import (
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// IsComment reports whether a node is a comment of either kind.
func (n *Node) IsComment() bool { return n.Kind == Comment || n.Kind == Block }

// Text returns what is written, word for word.
func (n *Node) Text(src string) string { return src[n.From:n.To] }

// Data returns the parts without the comments.
func (n *Node) Data() []*Node {
	out := make([]*Node, 0, len(n.Kids))
	for _, k := range n.Kids {
		if !k.IsComment() {
			out = append(out, k)
		}
	}
	return out
}

// Head returns the name of the symbol that a List begins with, or "".
func (n *Node) Head(src string) string {
	if n.Kind != List {
		return ""
	}
	for _, k := range n.Kids {
		if !k.IsComment() {
			return k.Symbol(src)
		}
	}
	return ""
}

// Symbol returns the name of a symbol as the reader folds it, or "" if the node is
// anything else.
func (n *Node) Symbol(src string) string {
	v, ok := n.Value(src)
	if !ok || v.Kind() != sexpr.Symbol {
		return ""
	}
	return v.Text()
}

// Keyword returns the name of a keyword without its colon, and whether the node is one.
func (n *Node) Keyword(src string) (string, bool) {
	v, ok := n.Value(src)
	if !ok || v.Kind() != sexpr.Keyword {
		return "", false
	}
	return v.Text(), true
}

// Value returns the value of an Atom or String; false if the node is anything else, or
// cannot be read.
func (n *Node) Value(src string) (sexpr.Value, bool) {
	text := n.Text(src)
	switch {
	case n.Kind == String && !strings.ContainsAny(text, "\\"):
		return sexpr.Str(text[1 : len(text)-1]), true
	case n.Kind == Atom && plain(text):
		if text[0] == ':' {
			return sexpr.Key(text[1:]), true
		}
		return sexpr.Sym(text), true
	case n.Kind == Atom || n.Kind == String:
		v, err := sexpr.Read("", text)
		return v, err == nil
	}
	return sexpr.Value{}, false
}

// plain reports whether an atom is a keyword or symbol that needs no reader to tell its
// name: most of them.
func plain(s string) bool {
	name := strings.TrimPrefix(s, ":")
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '?' && c != '/' && c != '_' {
			return false
		}
	}
	return true
}

// At returns the nodes that hold the place at off, from the Root to the innermost. The
// place behind the last letter of an atom or string belongs to it, and what follows a list
// without its end to the list.
func (n *Node) At(off int) []*Node {
	path := []*Node{n}
	for {
		var in *Node
		for _, k := range n.Kids {
			if k.From > off {
				break
			}
			if off < k.To || k.Open || off == k.To && k.Kind != List {
				in = k
			}
		}
		if in == nil {
			return path
		}
		path = append(path, in)
		n = in
	}
}
