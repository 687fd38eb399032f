package lsp

import (
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lsp/index"
	"github.com/opencortex-go/cortex/sexpr/syntax"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/vocabulary"
)

// maxShown is how many lines of a definition are shown.
const maxShown = 30

// hover says what stands at a place: what a name is, as it is defined, and what a word of
// the language means.
func (s *Server) hover(d *doc, p place) (any, error) {
	off := d.text.offset(p.Position)
	if m, ok := d.At(off); ok {
		if said := s.explain(d, m); said != "" {
			return hover{markup{"markdown", said}, d.text.span(m.From, m.To)}, nil
		}
	}
	path := d.Root.At(off)
	n := path[len(path)-1]
	if n.Kind != syntax.Atom {
		return nil, nil
	}
	if said := s.meaning(d, path, n); said != "" {
		return hover{markup{"markdown", said}, d.text.span(n.From, n.To)}, nil
	}
	return nil, nil
}

// explain shows how a name is defined.
func (s *Server) explain(d *doc, m index.Mention) string {
	if m.Kind == index.Tool {
		for _, t := range append(skills.BuiltinTools(), s.options.Loader.Tools...) {
			if t.Name == m.Name.Name {
				return lisp("(deftool "+t.Name+")") + t.Doc + "\n\nA tool of the program."
			}
		}
	}
	var b strings.Builder
	for _, at := range s.defined(d, m.Name) {
		src := at.doc.text.src
		whole := at.Whole.Text(src)
		if m.Kind == index.Param || m.Kind == index.Budget {
			whole = pair(src, at.Mention)
		}
		b.WriteString(lisp(clipped(whole)))
		if doc := s.says(src, at.Mention); doc != "" {
			b.WriteString(doc + "\n\n")
		}
		if of := m.Of; of != "" && m.Kind == index.Param {
			fmt.Fprintf(&b, "An argument of the tool `%s`.\n\n", at.Of)
		}
		if fired := s.fired(at.Mention); fired != "" {
			b.WriteString(fired + "\n\n")
		}
		if at.doc != d {
			fmt.Fprintf(&b, "Defined in `%s`.\n\n", at.doc.uri[strings.LastIndexByte(at.doc.uri, '/')+1:])
		}
	}
	return strings.TrimSpace(b.String())
}

// lisp is a block of code.
func lisp(code string) string { return "```lisp\n" + code + "\n```\n\n" }

// clipped cuts a long definition.
func clipped(text string) string {
	lines := strings.Split(text, "\n")
	if len(lines) <= maxShown {
		return text
	}
	return strings.Join(lines[:maxShown], "\n") + "\n..."
}

// pair is a key of a plist with its value.
func pair(src string, m index.Mention) string {
	data := m.Whole.Data()
	for i, n := range data {
		if n.From == m.From && i+1 < len(data) {
			return n.Text(src) + " " + data[i+1].Text(src)
		}
	}
	return src[m.From:m.To]
}

// says is the text for people in a definition.
func (s *Server) says(src string, m index.Mention) string {
	data := m.Whole.Data()
	from := 2
	keys := index.Plist(src, data, from)
	for _, key := range []string{"doc", "reason"} {
		if n := keys[key]; n != nil {
			if v, ok := n.Value(src); ok {
				return v.Text()
			}
		}
	}
	if m.Kind == index.Condition && len(data) > 4 {
		if v, ok := data[3].Value(src); ok {
			return v.Text()
		}
	}
	return ""
}

// meaning says what a word of the language means.
func (s *Server) meaning(d *doc, path []*syntax.Node, n *syntax.Node) string {
	if key, ok := n.Keyword(d.text.src); ok {
		if k, ok := keyAt(d, path, key); ok {
			return fmt.Sprintf("`:%s` %s", key, k.Doc)
		}
		return ""
	}
	name := n.Symbol(d.text.src)
	lang := s.checks.language(d)
	if f, ok := lang.Function(name); ok {
		return signature(f) + f.Doc
	}
	if args, doc, ok := lang.Operator(name); ok {
		return lisp("("+name+" "+args+")") + doc
	}
	if w, ok := word(name); ok {
		return lisp(strings.TrimSpace("("+name+" "+w.Args)+")") + w.Doc
	}
	for {
		for _, w := range vocabulary.Names() {
			if w.Name == name {
				return "`" + name + "` " + w.Doc
			}
		}
		cut := strings.LastIndexByte(name, '.')
		if cut < 0 {
			return ""
		}
		name = name[:cut]
	}
}

// word finds a definition, a kind of clause or a kind of argument.
func word(name string) (vocabulary.Word, bool) {
	for _, f := range append(vocabulary.Definitions(), vocabulary.Clauses()...) {
		if f.Name == name {
			return f.Word(), true
		}
	}
	for _, w := range vocabulary.Kinds() {
		if w.Name == name {
			return w, true
		}
	}
	return vocabulary.Word{}, false
}

// keyAt finds a key of the definition or clause that the last node of a path stands in.
func keyAt(d *doc, path []*syntax.Node, name string) (vocabulary.Key, bool) {
	if len(path) < 2 {
		return vocabulary.Key{}, false
	}
	forms := append(vocabulary.Definitions(), vocabulary.Clauses()...)
	f, _ := vocabulary.Find(forms, path[len(path)-2].Head(d.text.src))
	return f.Key(name)
}

// signature shows how a function is called, with types and cost.
func signature(f facts.Function) string {
	var b strings.Builder
	b.WriteString(f.Signature() + " ; " + f.Result.String())
	for _, p := range f.Params {
		fmt.Fprintf(&b, "\n;   %s: %s", p.Name, p.Type)
		if len(p.Words) > 0 {
			b.WriteString(", one of :" + strings.Join(p.Words, " :"))
		}
	}
	switch {
	case f.PerItem > 0:
		fmt.Fprintf(&b, "\n; costs %d, and %d for each element", f.Cost, f.PerItem)
	default:
		fmt.Fprintf(&b, "\n; costs %d", f.Cost)
	}
	return lisp(b.String())
}
