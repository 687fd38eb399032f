package mine

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// call is one action that ran, with where its words came from as of when it was decided on.
type call struct {
	trace                 *trace
	tool                  string
	leaves                []leaf
	shape                 int
	secret                bool // something in it is hidden
	odd                   bool // the name of an argument is none that a plan can have
	alien                 bool // the name of an argument is an output's
	board                 *board
	decided, began, ended int64 // in nanoseconds
	done                  bool
	thought               int // which of the trace's proposed it; -1 if that is not known
	out                   string
	fields                map[string]string // of the result
}

// leaf is one text, number or truth value in the arguments.
type leaf struct {
	path  string // :a.b for (:a (:b ...)); numbers count in lists
	kind  sexpr.Kind
	words []word // the value as it is, or its words where they can differ one by one
}

// word is a part of an argument that is a constant or a slot as a whole.
type word struct {
	text  string
	alien bool // only an output had said it
	user  bool // the user had
	rule  bool // a rule had
	facts []string
}

// The most that is kept of what a call returned: a slot takes no more.
const (
	maxOut    = 256 // bytes of one text
	maxFields = 64  // of a result
)

// call reads an action.
func (m *Miner) call(a *skills.Action, s *session, b *board, hidden bool) *call {
	c := &call{tool: m.one(a.Tool()), board: b, secret: hidden || a.Withheld() || a.Tool() == skills.AskPersonTool}
	flat(a.Args(), "", func(path, text string, kind sexpr.Kind) {
		c.leaves = append(c.leaves, m.leaf(path, text, kind, s, b))
	})
	keys(a.Args(), func(name string) {
		c.odd = c.odd || !plainName.MatchString(name)
		c.alien = c.alien || m.aliens(s, name, []string{name})[0]
	})
	c.shape = m.shape(c)
	return c
}

// leaf reads one value.
func (m *Miner) leaf(path, text string, kind sexpr.Kind, s *session, b *board) leaf {
	parts := []string{text}
	if kind == sexpr.String && apart(text) {
		parts = strings.Split(text, " ")
	}
	l := leaf{path: m.one(path), kind: kind}
	for i, alien := range m.aliens(s, text, parts) {
		w := word{text: m.one(parts[i]), alien: alien, user: s.user.has(parts[i]), rule: m.rules.saysAll(parts[i])}
		for name, fact := range b.facts {
			if fact == parts[i] {
				w.facts = append(w.facts, name)
			}
		}
		l.words = append(l.words, w)
	}
	return l
}

// apart reports whether the words of a text can differ one by one: a slot stands for a whole
// word, and in no quotes.
func apart(text string) bool {
	return strings.Contains(text, " ") && !strings.ContainsAny(text, "\"'`\\\n\t\r") && !strings.Contains(text, "  ") &&
		strings.TrimSpace(text) == text
}

// aliens reports which parts of a text only an output had said.
func (m *Miner) aliens(s *session, text string, parts []string) []bool {
	out := make([]bool, len(parts))
	all := func() {
		for i := range out {
			out[i] = true
		}
	}
	only := func(atom string) bool {
		return s.out.saysAtom(atom) && !s.user.saysAtom(atom) && !m.rules.saysAtom(atom)
	}
	atoms(fold(text), func(a string) {
		if !only(a) {
			return
		}
		found := false
		for i, p := range parts {
			atoms(fold(p), func(own string) {
				if own == a {
					out[i], found = true, true
				}
			})
		}
		if !found { // it stands across parts
			all()
		}
	})
	var words []string
	var of []int // the part of each
	for i, p := range parts {
		for _, w := range plain(fold(p)) {
			words, of = append(words, w), append(of, i)
		}
	}
	for i := 0; i+run <= len(words); i++ {
		r := words[i : i+run]
		name := s.user.key(r)
		if !s.out.runs[s.out.key(r)] || s.user.runs[name] || m.rules.runs[name] || s.own[name] {
			s.own[name] = true
			continue
		}
		for _, at := range of[i : i+run] {
			out[at] = true
		}
	}
	if name := s.user.key(words); len(words) < run && !s.own[name] {
		if s.out.saysShort(words) && !s.user.saysShort(words) && !m.rules.saysShort(words) {
			all()
		} else {
			s.own[name] = true
		}
	}
	return out
}

// keep takes in what a call returned, as far as a later call can have it in a slot.
func (c *call) keep(m *Miner, rc record.Receipt) {
	if text := strings.TrimSpace(rc.Text); len(text) <= maxOut {
		c.out = m.one(text)
	}
	flat(rc.Result, "", func(path, text string, _ sexpr.Kind) {
		if len(text) > maxOut || len(c.fields) >= maxFields {
			return
		}
		if c.fields == nil {
			c.fields = map[string]string{}
		}
		c.fields[m.one(path)] = m.one(text)
	})
}

// flat calls see with every text, number and truth value in v, and the way to it.
func flat(v sexpr.Value, path string, see func(path, text string, kind sexpr.Kind)) {
	below := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	switch {
	case v.Kind() == sexpr.String:
		see(path, v.Text(), v.Kind())
	case v.IsPlist():
		for kv := v.Items(); len(kv) > 1; kv = kv[2:] {
			flat(kv[1], below(kv[0].Text()), see)
		}
	case v.Kind() == sexpr.List && !v.IsNil():
		for i, x := range v.Items() {
			flat(x, below(fmt.Sprint(i)), see)
		}
	default:
		see(path, v.String(), v.Kind())
	}
}

// keys calls see with the name of every member in v.
func keys(v sexpr.Value, see func(name string)) {
	if v.IsPlist() {
		for kv := v.Items(); len(kv) > 1; kv = kv[2:] {
			see(kv[0].Text())
			keys(kv[1], see)
		}
		return
	}
	for _, x := range v.Items() {
		keys(x, see)
	}
}

// lead is how many words say what a command does, at most.
const lead = 4

var (
	plainWord = regexp.MustCompile(`^[a-z][a-z-]*$`)
	plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)
)

// shape numbers the kind of a call: its tool, the names of its arguments and, of a command, how
// many words it has and which it begins with: the program in any case, and then up to the
// first option, value, or word of the user's.
func (m *Miner) shape(c *call) int {
	var b strings.Builder
	b.WriteString(c.tool)
	for _, l := range c.leaves {
		fmt.Fprintf(&b, " :%s", l.path)
		if len(l.words) == 1 {
			continue
		}
		fmt.Fprintf(&b, " %d", len(l.words))
		for i, w := range l.words[:min(lead, len(l.words))] {
			if i > 0 && (w.user || !plainWord.MatchString(w.text)) {
				break
			}
			b.WriteString(" " + w.text)
		}
	}
	name := b.String()
	n, ok := m.shapes[name]
	if !ok {
		n = len(m.names)
		m.shapes[name] = n
		m.names = append(m.names, name)
	}
	return n
}
