package facts

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
)

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
	env     shell.Env
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
		for i := range m.line.Commands {
			p.command(&m.line.Commands[i])
		}
		if m.line.Rest != "" {
			p.unknown = m.line.Rest
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
	dirs := p.env.Dirs()
	if rest, ok := strings.CutPrefix(text, "~/"); ok && p.env.Home != "" {
		p.climb(rest, []string{p.env.Home})
	}
	p.add(text, glob.Places(text, dirs, p.env.Home), dirs)
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
		if plain, ok := glob.Unescape(g); ok {
			p.list = append(p.list, plain)
		} else {
			p.list = append(p.list, Pattern{Text: text, globs: []glob.Subject{{Text: g}}})
		}
	}
}

// pattern adds a pattern, each of the places that it may match for itself.
func (p *pathList) pattern(v Pattern) {
	for i := range v.globs {
		if g := v.globs[i].Text; !p.seen[g] {
			p.seen[g] = true
			p.list = append(p.list, Pattern{Text: v.Text, globs: []glob.Subject{{Text: g}}, search: v.search})
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
