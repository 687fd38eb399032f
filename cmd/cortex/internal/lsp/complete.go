package lsp

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lsp/index"
	"github.com/opencortex-go/cortex/sexpr/syntax"
	"github.com/opencortex-go/cortex/skills/rules"
	"github.com/opencortex-go/cortex/skills/rules/vocabulary"
)

// completion gathers what may stand at a place.
type completion struct {
	s     *Server
	d     *doc
	lang  *rules.Calculator
	path  []*syntax.Node // the lists around the place, from the Root
	word  *syntax.Node   // what is being written there, or nil
	off   int
	span  span
	seen  map[string]bool
	items []completionItem
}

// complete lists what may stand at a place. The client narrows it down to what has been
// written.
func (s *Server) complete(d *doc, p place) (any, error) {
	c := completion{s: s, d: d, lang: s.checks.language(d), off: d.text.offset(p.Position), seen: map[string]bool{}}
	path := d.Root.At(c.off)
	c.span = d.text.span(c.off, c.off)
	if n := path[len(path)-1]; n.Kind == syntax.Atom || n.Kind == syntax.String || n.Kind == syntax.Bad {
		c.word, path = n, path[:len(path)-1]
		from, to := n.From, n.To
		if text := n.Text(d.text.src); text[0] == '"' {
			from++
			if len(text) > 1 && n.Kind == syntax.String {
				to--
			}
		}
		c.span = d.text.span(from, max(from, to))
	} else if n.IsComment() {
		return completionList{Items: []completionItem{}}, nil
	}
	c.path = path
	c.gather()
	if c.items == nil {
		c.items = []completionItem{}
	}
	return completionList{Items: c.items}, nil
}

// add adds an item. In a string it stands without quotes.
func (c *completion) add(label string, kind int, detail, doc string) {
	if c.seen[label] {
		return
	}
	c.seen[label] = true
	item := completionItem{Label: label, Kind: kind, Detail: detail, TextEdit: textEdit{c.span, label}}
	if doc != "" {
		item.Documentation = &markup{"markdown", doc}
	}
	c.items = append(c.items, item)
}

// inString reports whether a string is being written.
func (c *completion) inString() bool {
	return c.word != nil && c.d.text.src[c.word.From] == '"'
}

// before returns the parts of a list that end before the place.
func (c *completion) before(n *syntax.Node) []*syntax.Node {
	data := n.Data()
	i := slices.IndexFunc(data, func(k *syntax.Node) bool {
		return k.To > c.off || k == c.word || slices.Contains(c.path, k) || k.To == c.off && k.Kind != syntax.List
	})
	if i < 0 {
		return data
	}
	return data[:i]
}

// gather looks at the lists around the place, outermost first: what may stand there is
// told by the definition and by its keys.
func (c *completion) gather() {
	src := c.d.text.src
	lists := c.path[1:]
	if len(lists) == 0 {
		return
	}
	top := lists[0]
	before := c.before(top)
	head := top.Head(src)
	if len(lists) == 1 && len(before) == 0 {
		c.forms(vocabulary.Definitions())
		return
	}
	key := c.key(before, head)
	switch {
	case head == "defcondition":
		c.condition(lists[1:])
	case len(lists) == 1 && key == "":
		c.keys(top, vocabulary.Definitions())
	case len(lists) == 1:
		c.value(form(vocabulary.Definitions(), head), key, nil)
	case key == "gate":
		c.clause(lists[1:])
	default:
		c.value(form(vocabulary.Definitions(), head), key, lists[1:])
	}
}

// key returns the key whose value is due behind parts of a definition or clause, or "".
func (c *completion) key(before []*syntax.Node, head string) string {
	from := 2
	if head == "defaults" {
		from = 1
	}
	for i := from; i < len(before); i++ {
		key, ok := before[i].Keyword(c.d.text.src)
		if ok && i == len(before)-1 {
			return key
		}
		if ok {
			i++ // its value
		}
	}
	return ""
}

// keys adds the keys that a definition or clause does not have yet.
func (c *completion) keys(n *syntax.Node, of []vocabulary.Form) {
	src := c.d.text.src
	head := n.Head(src)
	present := map[string]bool{}
	for _, k := range n.Data() {
		if key, ok := k.Keyword(src); ok && k != c.word {
			present[key] = true
		}
	}
	for _, k := range form(of, head).Keys {
		if !present[k.Name] {
			c.add(":"+k.Name, completeProperty, "", k.Doc)
		}
	}
}

// form is one of several forms, or one without keys.
func form(of []vocabulary.Form, name string) vocabulary.Form {
	f, _ := vocabulary.Find(of, name)
	return f
}

func (c *completion) forms(of []vocabulary.Form) {
	for _, f := range of {
		c.add(f.Name, completeKeyword, strings.TrimSpace(f.Name+" "+f.Word().Args), f.Doc)
	}
}

// clause completes a clause of a gate; lists are those inside the skill, the gate first.
func (c *completion) clause(lists []*syntax.Node) {
	if len(lists) < 2 {
		return
	}
	clause := lists[1]
	before := c.before(clause)
	if len(lists) == 2 && len(before) == 0 {
		c.forms(vocabulary.Clauses())
		return
	}
	key := c.key(before, "")
	if len(lists) == 2 && key == "" {
		c.keys(clause, vocabulary.Clauses())
		return
	}
	c.value(form(vocabulary.Clauses(), clause.Head(c.d.text.src)), key, lists[2:])
}

// value completes the value of a key of a form; lists are those inside it.
func (c *completion) value(of vocabulary.Form, key string, lists []*syntax.Node) {
	switch key {
	case "when", "trigger", "holds":
		c.condition(lists)
	case "params":
		if len(lists) > 0 && len(c.before(lists[len(lists)-1]))%2 == 1 || len(lists) > 1 {
			for _, w := range vocabulary.Kinds() {
				c.add(w.Name, completeValue, strings.TrimSpace(w.Name+" "+w.Args), w.Doc)
			}
		}
	case "required", "secret", "spends":
		c.ofTool()
	case "expect":
		c.expect(lists)
	case "action", "session":
		c.proposal(lists)
	case "set":
		c.params()
	default:
		k, _ := of.Key(key)
		for _, w := range k.Words {
			c.add(w, completeValue, "", "")
		}
	}
}

// ofTool adds the parameters of the tool that is being defined.
func (c *completion) ofTool() {
	for _, m := range c.d.Defined(index.Param) {
		if m.From >= c.path[1].From && m.To <= c.path[1].To {
			c.add(":"+m.Name.Name, completeProperty, pair(c.d.text.src, m), "")
		}
	}
}

// expect completes (deny skill/clause).
func (c *completion) expect(lists []*syntax.Node) {
	if len(lists) == 0 {
		return
	}
	if len(c.before(lists[0])) == 0 {
		for _, kind := range []string{"allow", "ask", "deny"} {
			c.add(kind, completeKeyword, "", "")
		}
		return
	}
	for _, at := range c.s.files.around(c.d, c.s.empty) {
		for _, m := range at.Mentions {
			switch {
			case m.Defines && m.Kind == index.Clause:
				c.add(m.Of+"/"+m.Name.Name, completeConstant, m.Whole.Head(at.text.src), c.s.says(at.text.src, m))
			case m.Defines && m.Kind == index.Invariant:
				c.add("invariant/"+m.Name.Name, completeConstant, "definvariant", c.s.says(at.text.src, m))
			}
		}
	}
}

// proposal completes (:tool "name" :args (...)).
func (c *completion) proposal(lists []*syntax.Node) {
	if len(lists) == 0 {
		return
	}
	last := lists[len(lists)-1]
	before := c.before(last)
	if n := len(before); n > 0 {
		if key, _ := before[n-1].Keyword(c.d.text.src); key == "tool" {
			c.tools()
			return
		}
	}
	if len(lists) > 1 {
		c.params()
		return
	}
	for _, key := range []string{":tool", ":args", ":explanation"} {
		c.add(key, completeProperty, "", "")
	}
}

// tools adds the names of tools, as strings.
func (c *completion) tools() {
	for _, at := range c.s.files.around(c.d, c.s.empty) {
		for _, m := range at.Defined(index.Tool) {
			name := m.Name.Name
			if !c.inString() {
				name = `"` + name + `"`
			}
			c.add(name, completeConstant, "deftool", c.s.says(at.text.src, m))
		}
	}
}

// params adds the keywords of all parameters.
func (c *completion) params() {
	for _, at := range c.s.files.around(c.d, c.s.empty) {
		for _, m := range at.Defined(index.Param) {
			c.add(at.text.src[m.From:m.To], completeProperty, m.Of+": "+pair(at.text.src, m), "")
		}
	}
}

// condition completes a condition; lists are those inside it.
func (c *completion) condition(lists []*syntax.Node) {
	if len(lists) > 0 {
		last := lists[len(lists)-1]
		before := c.before(last)
		head := last.Head(c.d.text.src)
		if c.namesTool(lists, head, before) {
			c.tools()
			return
		}
		if head == "spent" && len(before) == 1 {
			c.budgets()
			return
		}
		if f, ok := c.lang.Function(head); ok && len(before) > 0 && len(before) <= len(f.Params) {
			for _, w := range f.Params[len(before)-1].Words {
				c.add(":"+w, completeValue, "", "")
			}
		}
		if len(before) == 0 {
			c.calls()
			return
		}
	}
	if !c.inString() {
		c.values()
	}
}

// namesTool reports whether the name of a tool is due: where one is compared, and in
// (calls ...).
func (c *completion) namesTool(lists []*syntax.Node, head string, before []*syntax.Node) bool {
	src := c.d.text.src
	if (head == "calls" || head == "calls-since") && len(before) == 1 {
		return true
	}
	isTool := func(n *syntax.Node) bool { return strings.HasSuffix(n.Symbol(src), ".tool") }
	if slices.ContainsFunc(before, isTool) {
		return true
	}
	return len(lists) > 1 && lists[len(lists)-2].Head(src) == "in" &&
		slices.ContainsFunc(c.before(lists[len(lists)-2]), isTool)
}

func (c *completion) budgets() {
	for _, at := range c.s.files.around(c.d, c.s.empty) {
		for _, m := range at.Defined(index.Budget) {
			c.add(":"+m.Name.Name, completeValue, "budget", "")
		}
	}
}

// calls adds what a form may begin with.
func (c *completion) calls() {
	for _, name := range c.lang.Names() {
		if f, ok := c.lang.Function(name); ok {
			c.add(name, completeFunction, f.Signature(), f.Doc)
		} else if args, doc, ok := c.lang.Operator(name); ok {
			c.add(name, completeOperator, "("+name+" "+args+")", doc)
		}
	}
	for _, at := range c.s.files.around(c.d, c.s.empty) {
		for _, m := range at.Defined(index.Condition) {
			c.add(m.Name.Name, completeFunction, "defcondition", c.s.says(at.text.src, m))
		}
	}
}

// values adds the names that stand for a value.
func (c *completion) values() {
	for _, m := range c.d.Defined(index.Local) {
		if m.Whole.From <= c.off && m.From < c.off && c.within(m) {
			c.add(m.Name.Name, completeVariable, "local", "")
		}
	}
	for _, m := range c.d.Mentions {
		if m.Kind == index.Tool && !m.Defines && c.path[1].From <= m.From && m.To <= c.path[1].To {
			c.argumentsOf(m.Name.Name)
		}
	}
	for _, w := range vocabulary.Names() {
		c.add(w.Name, completeVariable, "", w.Doc)
	}
	slices.SortFunc(c.items, func(a, b completionItem) int { return strings.Compare(a.Label, b.Label) })
	for _, at := range c.s.files.around(c.d, c.s.empty) {
		for _, m := range at.Defined(index.List) {
			c.add(m.Name.Name, completeConstant, "deflist", clipped(m.Whole.Text(at.text.src)))
		}
	}
}

// within reports whether the place is in the top-level form of a local name.
func (c *completion) within(m index.Mention) bool {
	return c.path[1].From <= m.From && m.To <= c.path[1].To
}

// argumentsOf adds the arguments of a tool as a condition reads them.
func (c *completion) argumentsOf(tool string) {
	for _, f := range c.s.files.around(c.d, c.s.empty) {
		for _, m := range f.Defined(index.Param) {
			if m.Of == tool {
				name := strings.TrimPrefix(f.text.src[m.From:m.To], ":")
				c.add("action.args."+name, completeVariable, pair(f.text.src, m), "An argument of the tool `"+tool+"`.")
			}
		}
	}
}
