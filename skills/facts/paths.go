package facts

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills"
)

// leaf is one string in the arguments of an action, with what the tool's schema
// says of it.
type leaf struct {
	text string
	kind skills.ParamKind
}

// leaves lists the strings of an action's arguments in canonical order, and the
// keys of objects that no schema names: those are strings too.
func leaves(c *skills.Case) []leaf {
	var params []skills.Param
	if c.Tool() != nil {
		params = c.Tool().Params
	}
	var out []leaf
	gather(&out, c.Action().Native(), &skills.Type{Kind: skills.KindObject, Params: params}, 0)
	return out
}

// gather walks native values, no deeper than the reader lets them nest.
func gather(out *[]leaf, v any, t *skills.Type, depth int) {
	if t == nil {
		t = &skills.Type{}
	}
	switch v := v.(type) {
	case string:
		*out = append(*out, leaf{v, t.Kind})
	case []any:
		elem := t.Elem
		if t.Kind != skills.KindList {
			elem = nil
		}
		for _, x := range v {
			gather(out, x, elem, depth+1)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			var inner *skills.Type
			if t.Kind == skills.KindObject {
				if i := slices.IndexFunc(t.Params, func(p skills.Param) bool { return p.Name == k }); i >= 0 {
					inner = &t.Params[i].Type
				}
			}
			if inner == nil && depth > 0 {
				*out = append(*out, leaf{k, skills.KindAny})
			}
			gather(out, v[k], inner, depth+1)
		}
	}
}

// callPaths answers paths.
func callPaths(c *skills.Case, _ []any) (any, error) {
	const key = "paths"
	if got, ok := c.Shared(key).([]any); ok {
		return got, nil
	}
	p := &pathList{env: environment(c), seen: map[string]bool{}}
	for _, l := range leaves(c) {
		if err := p.leaf(c, l); err != nil {
			return nil, err
		}
	}
	if len(p.list) <= maxPaths {
		p.follow(c.Lookup())
	}
	out, err := p.done()
	if err == nil {
		c.Share(key, out)
	}
	return out, err
}

// pathList collects paths, each once, in order.
type pathList struct {
	env     env
	list    []any
	seen    map[string]bool
	climbs  []string // absolute paths with .. in them, as they were written
	flags   []string // words of one command that are short flags without a value
	unknown string   // why there may be more
}

func (p *pathList) done() ([]any, error) {
	if len(p.list) > maxPaths {
		return nil, fmt.Errorf("the action names more than %d paths", maxPaths)
	}
	if p.unknown != "" {
		return append(p.list, Unknown{p.unknown}), nil
	}
	if p.list == nil {
		return []any{}, nil
	}
	return p.list, nil
}

func (p *pathList) leaf(c *skills.Case, l leaf) error {
	switch l.kind {
	case skills.KindCommand:
		m := lineOf(c, l.text)
		if m.err != nil {
			return m.err
		}
		for i := range m.line.commands {
			p.command(&m.line.commands[i])
		}
		if m.line.rest != "" {
			p.unknown = m.line.rest
		}
	case skills.KindPath:
		if l.text != "" {
			p.text(l.text)
		}
	case skills.KindURL:
		p.fileURL(l.text)
	case skills.KindString, skills.KindAny:
		if strings.Contains(l.text, "/") || strings.HasPrefix(l.text, "~") || strings.HasPrefix(l.text, ".") {
			p.text(l.text)
		}
		p.fileURL(l.text)
	}
	return nil
}

// text adds a path as arguments name it.
func (p *pathList) text(text string) {
	dirs := p.env.dirs()
	if rest, ok := strings.CutPrefix(text, "~/"); ok && p.env.home != "" {
		p.climb(rest, []string{p.env.home})
	}
	p.add(text, places(text, dirs, p.env.home), dirs)
}

// fileURL adds the path of a file: URL.
func (p *pathList) fileURL(text string) {
	rest, ok := cutFold(text, "file:")
	if !ok {
		return
	}
	if u, err := url.Parse(text); err == nil && u.Path != "" {
		rest = u.Path
	}
	p.text("/" + strings.TrimLeft(rest, "/"))
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// add adds the places that one text may name from these folders.
func (p *pathList) add(text string, globs, dirs []string) {
	if !strings.HasPrefix(text, "~") {
		p.climb(text, dirs)
	}
	for _, g := range globs {
		if p.seen[g] {
			continue
		}
		p.seen[g] = true
		if plain, ok := unescape(g); ok {
			p.list = append(p.list, plain)
		} else {
			p.list = append(p.list, Pattern{Text: text, globs: []subject{{glob: g}}})
		}
	}
}

// climb notes a path with .. in it, to be looked up as it was written: behind a
// link to a folder, .. leads out of where the link leads.
func (p *pathList) climb(text string, dirs []string) {
	if !strings.Contains(text, "..") || len(p.climbs) > maxPaths {
		return
	}
	if strings.HasPrefix(text, "/") {
		p.climbs = append(p.climbs, text)
		return
	}
	for _, d := range dirs {
		p.climbs = append(p.climbs, d+"/"+text)
	}
}

// pathless are commands whose operands are text, not files.
var pathless = words("tr echo printf true false : sleep seq kill pkill killall whoami id uname exit return break " +
	"continue shift expr basename dirname yes wait export declare typeset readonly local unset alias umask ulimit read")

// patternFirst are commands whose first operand is a pattern, unless a flag
// brings one.
var patternFirst = words("grep egrep fgrep rg ag ack")

// attaches are commands with file names right behind the letter of a flag. For
// all others, -la is taken for two flags.
var attaches = words("curl wget tar bsdtar sort cc gcc clang ld patch openssl scp ssh")

// command adds the paths of one command: its own, if it is named by one, its
// operands, the values in its flags, its redirections and its wrappers' words.
func (p *pathList) command(cmd *command) {
	switch {
	case !cmd.name.known:
		p.unknown = cmd.name.why
	case strings.Contains(cmd.name.text, "/"):
		p.word(cmd, cmd.name)
	}
	for _, w := range cmd.own {
		p.word(cmd, w)
	}
	for _, r := range cmd.lists {
		p.whole(cmd.opener(r), r.target)
	}
	for _, r := range cmd.redirects {
		if !strings.HasPrefix(r.op, "<<") {
			p.whole(cmd.opener(r), r.target)
		}
	}
	if cmd.name.known && pathless[cmd.name.text] {
		for _, w := range cmd.args { // the shell looks for what these match
			if w.pattern && !w.one || w.many {
				p.whole(cmd, w)
			}
		}
		return
	}
	if cmd.more != "" {
		p.unknown = cmd.more
	}
	p.flags = p.flags[:0]
	var values []string
	if cmd.name.known {
		values = p.byTable(cmd)
	}
	// Flags may stand behind the operands too; and of what a glob matches, only
	// the first name is the pattern.
	skip := cmd.name.known && patternFirst[cmd.name.text] && !slices.ContainsFunc(cmd.args, bringsPattern)
	for i, w := range cmd.args {
		if isText(cmd, cmd.args[max(i-1, 0)], w) {
			continue
		}
		if skip && w.known && !isFlag(w) {
			skip = false
			if !w.pattern {
				continue
			}
		}
		p.word(cmd, w)
	}
	for _, text := range values {
		p.piece(cmd, text)
	}
}

// isText reports whether a word is text for sure: the message that git is given
// with -m, or the one character that cut, sort and awk take behind a letter.
func isText(cmd *command, before, w word) bool {
	switch {
	case !cmd.name.known:
	case !w.known && !w.many:
		return (cmd.name.text == "git" || cmd.name.text == "gh") && before.known && !before.pattern &&
			messageFlags[before.text]
	case len(w.text) == 3 && w.text[0] == '-' && !w.pattern:
		return strings.Contains(delimiterFlags[cmd.name.text], w.text[1:2])
	}
	return false
}

var messageFlags = words("-m -am --message --title --body")

var delimiterFlags = map[string]string{"cut": "d", "sort": "t", "join": "t", "paste": "d", "awk": "F", "gawk": "F",
	"mawk": "F"}

func isFlag(w word) bool { return w.known && len(w.text) > 1 && w.text[0] == '-' }

// bringsPattern reports whether a word may be a flag whose value is the pattern,
// so that all operands are files.
func bringsPattern(w word) bool { return isFlag(w) && strings.ContainsAny(w.text, "ef") }

// whole adds a word that is a path and nothing else.
func (p *pathList) whole(cmd *command, w word) {
	if !w.known {
		p.unknown = w.why
		return
	}
	if w.text != "" {
		p.add(w.text, w.globs(cmd.dirs), cmd.dirs)
	}
}

// word adds a word and the paths that may stand in it: behind =, :, @ or a
// comma, or right behind the letter of a flag.
func (p *pathList) word(cmd *command, w word) {
	if !w.known {
		p.unknown = w.why
		return
	}
	if rest, isFile := cutFold(w.text, "file:"); isFile {
		p.fileURL(w.text)
		p.add(w.text, from(escape(rest), strings.HasPrefix(rest, "/"), cmd.dirs), nil)
	}
	if len(w.text) > 1 && w.text[0] == '-' {
		rest := w.text[2:]
		if w.text[1] != '-' && rest != "" && !slices.Contains(p.flags, w.text) &&
			(attaches[cmd.name.text] || strings.ContainsAny(rest, "/.~@=_")) {
			p.bundle(cmd, rest)
		}
	} else {
		p.whole(cmd, w)
	}
	if w.pattern {
		if strings.ContainsAny(w.text, "=@") {
			p.unknown = "what " + w.text + " matches"
		}
		return
	}
	for i := 0; i < len(w.text) && i < 1024; i++ {
		if c := w.text[i]; c == '=' || c == ':' || c == '@' || c == ',' {
			end := strings.IndexAny(w.text[i+1:], ",:")
			rest := w.text[i+1:]
			if c == ':' && strings.HasPrefix(rest, "//") && !strings.HasSuffix(strings.ToLower(w.text[:i]), "file") {
				continue // what follows is the host of an address
			}
			if looksLikePath(rest) || c == '=' || c == '@' {
				p.piece(cmd, rest)
			}
			if end > 0 && looksLikePath(rest[:end]) {
				p.piece(cmd, rest[:end])
			}
		}
	}
	if i := strings.IndexAny(w.text, ":,"); i > 0 && w.text[0] != '-' && looksLikePath(w.text[:i]) {
		p.piece(cmd, w.text[:i])
	}
}

// bundle adds what may be a path among short flags: the value begins right behind
// the first letter, as in -f/etc/passwd, or behind a later one, as in
// -nf/etc/passwd.
func (p *pathList) bundle(cmd *command, rest string) {
	p.piece(cmd, rest)
	if !strings.ContainsAny(rest, "/.~@=_") {
		return
	}
	for i := 0; i+1 < len(rest) && i < maxBundle && isLetter(rest[i]); i++ {
		p.piece(cmd, rest[i+1:])
	}
}

// maxBundle is how many short flags one word may plausibly hold.
const maxBundle = 8

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func looksLikePath(s string) bool {
	return s != "" && (strings.Contains(s, "/") || s[0] == '~' || s[0] == '.')
}

// piece adds a path inside a word. What it names may itself begin with @ or <,
// as curl reads files.
func (p *pathList) piece(cmd *command, text string) {
	text = strings.TrimLeft(text, "@<=")
	if text == "" {
		return
	}
	if strings.HasPrefix(text, "~") {
		p.text(text)
		return
	}
	p.add(text, from(escape(text), strings.HasPrefix(text, "/"), cmd.dirs), cmd.dirs)
}
