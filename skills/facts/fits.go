package facts

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/skills"
)

// ownKey is where the record of a command keeps the command itself, for functions
// that need its words in order. No condition can read it: it is no field.
const ownKey = ""

// Hidden marks what a record holds for functions alone: it is not shown.
func (own) Hidden() {}

// own is what stands there.
type own struct{ *command }

// String prints nothing: an address would differ from run to run.
func (own) String() string { return "" }

// callCommands answers commands: shell without the unknown at its end.
func callCommands(c *skills.Case, args []any) (any, error) {
	m := lineOf(c, args[0].(string))
	if m.err != nil {
		return nil, m.err
	}
	return m.record[:len(m.line.commands)], nil
}

// callFits answers fits?. Where no form fits for sure, and one would if a word
// that is not known were right, that is unknown.
func callFits(c *skills.Case, args []any) (any, error) {
	rec, _ := args[0].(map[string]any)
	mine, ok := rec[ownKey].(own)
	cmd := mine.command
	if !ok {
		return nil, errors.New("fits? takes a command, such as it in (some (shell cmd) ...)")
	}
	forms, ok := args[1].(*Forms)
	if !ok {
		lines, ok := texts(args[1])
		if !ok {
			return nil, errors.New("a form is a string")
		}
		var err error
		if forms, err = compileForms(lines); err != nil {
			return nil, err
		}
	}
	root, _ := args[2].(string)
	var avoid any
	if len(args) > 3 {
		avoid = args[3]
	}
	if !cmd.name.known || cmd.name.pattern {
		return Unknown{cmd.name.why}, nil
	}
	unknown := ""
	for _, f := range forms.byName[cmd.name.text] {
		m := match{c: c, cmd: cmd, form: f, root: root, avoid: avoid}
		switch err := m.run(); {
		case err != nil:
			return nil, err
		case m.fits():
			return true, nil
		case !m.no:
			unknown = m.unknown
		}
	}
	if unknown != "" {
		return Unknown{unknown}, nil
	}
	return false, nil
}

// match holds one command against one form.
type match struct {
	c     *skills.Case
	cmd   *command
	form  *form
	root  string
	avoid any // patterns that no FILE may match; nil is none

	step    int  // of the form that was reached
	operand int  // the place that is due
	some    bool // an operand has been taken
	behind  bool // -- has been seen
	no      bool // it does not fit, whatever is not known
	unknown string
}

func (m *match) fits() bool { return !m.no && m.unknown == "" }

func (m *match) refuse()           { m.no = true }
func (m *match) unsure(why string) { m.unknown = why }
func (m *match) at() *formStep     { return &m.form.steps[m.step] }
func (m *match) fixed() bool       { return m.step+1 < len(m.form.steps) }
func (m *match) places() []formOperand {
	if m.behind && m.form.behind != nil {
		return m.form.behind
	}
	return m.form.operands
}

// place is the operand that is due, nil if there is no room for one.
func (m *match) place() *formOperand {
	if all := m.places(); m.operand < len(all) {
		return &all[m.operand]
	}
	return nil
}

func (m *match) run() error {
	for args := m.cmd.args; len(args) > 0 && !m.no; {
		used, err := m.word(args)
		if err != nil {
			return err
		}
		args = args[used:]
	}
	if m.cmd.more != "" && !m.no {
		m.further()
	}
	if all := m.places(); m.fits() &&
		(m.fixed() || m.operand < len(all) && !all[m.operand].many && !all[m.operand].optional) {
		m.refuse() // words are missing
	}
	return nil
}

// further takes the words that xargs adds, which nobody knows.
func (m *match) further() {
	switch p := m.place(); {
	case p == nil || m.fixed() || !p.many:
		m.refuse()
	case p.kind != kindAny:
		m.unsure(m.cmd.more)
	}
}

// word takes one word, with the values behind it if it is an option.
func (m *match) word(args []word) (used int, err error) {
	w := args[0]
	p := m.place()
	free := !m.fixed() && p != nil && p.kind == kindAny
	switch {
	case free:
		return 1, m.take(w)
	case !w.known:
		if m.behind && !m.fixed() {
			return 1, m.take(w)
		}
		m.unsure(w.why) // it may be an option, a subcommand or several words
		return len(args), nil
	case m.behind:
		return 1, m.operandWord(w)
	case w.pattern:
		if w.begins('-') && (p == nil || m.fixed() || !p.kind.glob || slices.ContainsFunc(w.spellings(), spelledOption)) {
			m.refuse() // a file that it matches may be named as an option
			return 1, nil
		}
		return 1, m.operandWord(w)
	case m.fixed() && m.form.steps[m.step+1].is(w.text):
		m.step++
		return 1, nil
	case w.text == "--" && !m.form.whole:
		m.behind = true
		if m.form.behind != nil {
			if p != nil && !p.optional && !p.many {
				m.refuse()
			}
			m.operand = 0
		}
		return 1, nil
	case len(w.text) > 1 && w.text[0] == '-':
		return m.option(args)
	}
	return 1, m.operandWord(w)
}

// spelledOption reports whether a glob itself begins as an option does.
func spelledOption(glob string) bool { return strings.HasPrefix(glob, "-") }

// operandWord takes a subcommand while one is due, an operand otherwise.
func (m *match) operandWord(w word) error {
	if !m.fixed() {
		return m.take(w)
	}
	if m.no = w.pattern || !m.form.steps[m.step+1].is(w.text); !m.no {
		m.step++
	}
	return nil
}

// take puts a word in the place that is due.
func (m *match) take(w word) error {
	p := m.place()
	if p == nil {
		m.refuse()
		return nil
	}
	m.some = true
	if !p.many {
		m.operand++
		if w.pattern && !w.one || w.many { // one place, and maybe several words
			m.unsure("what " + w.text + " matches")
		}
	}
	return m.value(p.kind, w)
}

// value judges a whole word by the kind that is due.
func (m *match) value(k *wordKind, w word) error {
	switch {
	case k == kindAny, k == kindText && !w.many && (!w.pattern || w.one):
		return nil
	case !w.known:
		m.unsure(w.why)
		return nil
	case k.file:
		return m.file(k, m.cmd.value(w), w.text)
	case w.pattern:
		m.unsure("what " + w.text + " matches")
		return nil
	}
	m.text(k, w.text)
	return nil
}

func (m *match) text(k *wordKind, text string) {
	m.no = m.no || k.is != nil && !k.is.MatchString(text) || k.not != nil && k.not.MatchString(text)
}

// file asks whether a path lies under the root, also where links lead, and is
// none to avoid. What programs read as another thing than a path does not fit:
// @list names a list of words, and x://y an address.
func (m *match) file(k *wordKind, v any, text string) error {
	switch {
	case text == "", text[0] == '@' && !strings.HasPrefix(text, "@{"), strings.Contains(text, "://"):
		m.refuse()
		return nil
	case k.is != nil || k.not != nil:
		if _, pattern := v.(Pattern); pattern {
			m.unsure("what " + text + " matches")
			return nil
		}
		if m.text(k, text); m.no {
			return nil
		}
	}
	globs, err := pathGlobs(m.c, v)
	if err != nil {
		return err
	}
	written := make([]string, 0, len(globs))
	for i := range globs {
		g := globs[i].glob
		written = append(written, g)
		in, ok := globs[i].below(m.root, nil)
		switch {
		case !ok:
			m.unsure("where the path " + text + " leads")
		case !in, k.below && g == m.root, k.named && whatever(g, m.root):
			m.refuse()
		}
		if err := m.avoids(g); err != nil || m.no {
			return err
		}
	}
	m.follow(written, text)
	return nil
}

// whatever reports whether a glob stands for all that lies in the root.
func whatever(glob, root string) bool {
	rest, ok := strings.CutPrefix(glob, strings.TrimSuffix(root, "/")+"/")
	return ok && strings.Trim(rest, "*?/.") == ""
}

// avoids refuses what lies where no FILE may. A name that begins with * is taken
// for one that nobody thought of: *.json is after no credentials.json.
func (m *match) avoids(glob string) error {
	if m.avoid == nil || m.no {
		return nil
	}
	if metaAt(glob) >= 0 {
		segments := strings.Split(glob, "/")
		for i, s := range segments {
			if strings.HasPrefix(s, "*") {
				segments[i] = "any-name-at-all" + strings.TrimLeft(s, "*")
			}
		}
		glob = strings.Join(segments, "/")
	}
	hit, err := callGlobAny(m.c, []any{Word{globs: []string{glob}}, m.avoid, "fold"})
	m.no = m.no || hit == true
	return err
}

// follow asks where links lead, as paths does. The names that a pattern matches
// are not followed, the folder in front of them is.
func (m *match) follow(globs []string, text string) {
	if m.c.Lookup() == nil || m.no {
		return
	}
	if strings.Contains(text, "..") { // behind a link, .. leads out of where the link leads
		for _, d := range m.cmd.dirs {
			globs = append(globs[:len(globs):len(globs)], escape(d)+"/"+escape(text))
		}
	}
	root, err := m.c.Lookup()("realpath", m.root)
	for _, g := range globs {
		if live := metaAt(g); live >= 0 {
			g = g[:strings.LastIndexByte(g[:live], '/')+1]
		}
		plain, ok := unescape(g)
		if !ok || err != nil {
			m.unsure("where the links in " + text + " lead")
			return
		}
		real, err := m.c.Lookup()("realpath", plain)
		if err != nil {
			m.unsure("where the links in " + text + " lead")
			return
		}
		if in, _ := newSubject(escape(real)).below(root, nil); !in {
			m.refuse()
		}
	}
}

// option takes a word that begins with a dash.
func (m *match) option(args []word) (used int, err error) {
	w := args[0].text
	at := m.at()
	name, value, joined := strings.Cut(w, "=")
	o, listed := at.options[name]
	switch {
	case listed && (joined || m.form.whole || len(name) == 2 && len(w) == 2 || name[1] == '-'):
		return m.values(o, args, value, joined)
	case at.number && isDigits(w[1:]):
		return 1, nil
	case w[1] == '-' || m.form.whole:
		m.refuse()
		return 1, nil
	}
	return m.bundle(args)
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// bundle takes -abc: letters without values, and then one that may have a value.
func (m *match) bundle(args []word) (used int, err error) {
	w := args[0].text
	for i := 1; i < len(w); {
		_, n := utf8.DecodeRuneInString(w[i:])
		o, listed := m.at().options["-"+w[i:i+n]]
		i += n
		switch {
		case !listed:
			m.refuse()
			return 1, nil
		case len(o.values) == 0:
		default:
			return m.values(o, args, w[i:], i < len(w))
		}
	}
	return 1, nil
}

// values takes what follows an option: joined to it, or in the next words.
func (m *match) values(o formOption, args []word, joinedText string, joined bool) (used int, err error) {
	kinds := o.values
	switch {
	case joined && (len(kinds) == 0 || strings.HasPrefix(joinedText, "=")):
		m.refuse()
		return 1, nil
	case joined:
		if err := m.piece(kinds[0], joinedText); err != nil {
			return 1, err
		}
		kinds = kinds[1:]
	case o.optional:
		return 1, nil
	}
	if len(args) < 1+len(kinds) {
		m.refuse()
		return len(args), nil
	}
	for i, k := range kinds {
		w := args[1+i]
		if w.many || w.pattern && !w.one {
			m.unsure("what stands behind the option " + args[0].text)
			return len(args), nil
		}
		if m.some && !k.file {
			// A program that takes no options behind operands takes this for one.
			if err := m.value(kindFile, w); err != nil {
				return 1, err
			}
		}
		if err := m.value(k, w); err != nil {
			return 1, err
		}
	}
	return 1 + len(kinds), nil
}

// piece judges a value that is joined to its option.
func (m *match) piece(k *wordKind, text string) error {
	switch {
	case k == kindText || k == kindAny:
		return nil
	case !k.file:
		m.text(k, text)
		return nil
	case strings.HasPrefix(text, "~"): // some programs read it as a home
		m.refuse()
		return nil
	}
	return m.file(k, Word{Text: text, globs: from(escape(text), strings.HasPrefix(text, "/"), m.cmd.dirs)}, text)
}
