package facts

import (
	"path"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
)

// file asks whether a path lies under a root, also where links lead, and is
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
		written = append(written, globs[i].Text)
		if err := m.lies(k, globs[i].Text, m.roots, text); err != nil || m.no {
			return err
		}
	}
	if m.spec(text); m.no {
		return nil
	}
	return m.follow(k, written, text)
}

// starts refuses a command that starts in a folder outside: what it names no file for, it looks for there.
func (m *match) starts() error {
	if m.cmd.Name.Text == "cd" || pathless[m.cmd.Name.Text] {
		return nil
	}
	for _, dir := range m.cmd.Dirs {
		in, err := m.inside(glob.Escape(dir), m.roots)
		if err != nil {
			return err
		}
		m.no = m.no || !in
	}
	return nil
}

// inside reports whether a place lies in a root, or may be read besides.
func (m *match) inside(g string, roots []string) (bool, error) {
	if in, ok := belowAny(glob.New(g), roots); in && ok {
		return true, nil
	}
	if m.besides == nil {
		return false, nil
	}
	folder, _ := glob.Folder(g) // if it matches, so does what lies in it
	hit, err := callGlobAny(m.c, []any{Word{globs: []string{folder}}, m.besides})
	return hit == true, err
}

// lies judges one place that a path may be.
func (m *match) lies(k *wordKind, g string, roots []string, text string) error {
	_, ok := belowAny(glob.New(g), roots)
	in, err := m.inside(g, roots)
	if err != nil {
		return err
	}
	switch {
	case !ok && !in:
		m.unsure("where the path " + text + " leads")
	case !in, k.below && slices.Contains(roots, g),
		k.named && slices.ContainsFunc(roots, func(root string) bool { return whatever(g, root) }):
		m.refuse()
	}
	return m.avoids(g)
}

// whatever reports whether a glob stands for all that lies in the root.
func whatever(glob, root string) bool {
	rest, ok := strings.CutPrefix(glob, strings.TrimSuffix(root, "/")+"/")
	return ok && strings.Trim(rest, "*?/.") == ""
}

// avoids refuses what lies where no FILE may. A name that begins with * is taken
// for one that nobody thought of: *.json is after no credentials.json.
func (m *match) avoids(g string) error {
	if m.avoid == nil || m.no {
		return nil
	}
	if glob.Live(g) >= 0 {
		segments := strings.Split(g, "/")
		for i, s := range segments {
			if strings.HasPrefix(s, "*") {
				segments[i] = "any-name-at-all" + strings.TrimLeft(s, "*")
			}
		}
		g = strings.Join(segments, "/")
	}
	hit, err := callGlobAny(m.c, []any{Word{globs: []string{g}}, m.avoid, "fold"})
	m.no = m.no || hit == true
	return err
}

// follow judges where links lead, as leads does: also those that a pattern matches.
func (m *match) follow(k *wordKind, globs []string, text string) error {
	look := m.c.Lookup()
	if look == nil || m.no {
		return nil
	}
	if strings.Contains(text, "..") { // behind a link, .. leads out of where the link leads
		for _, d := range m.cmd.Dirs {
			globs = append(globs[:len(globs):len(globs)], glob.Escape(d)+"/"+glob.Escape(text))
		}
	}
	roots := make([]string, 0, len(m.roots))
	for _, r := range m.roots {
		if real, err := look("realpath", glob.Unescaped(r)); err == nil {
			roots = append(roots, glob.Escape(real))
		}
	}
	for _, g := range globs {
		folder, rest := glob.Folder(g)
		plain, ok := glob.Unescape(folder)
		if rest != "" {
			plain += "/" // the folder of /* is the root
		}
		if !ok {
			m.unsure("where the links in " + text + " lead")
			return nil
		}
		real, err := look("realpath", plain)
		if err != nil {
			m.unsure("where the links in " + text + " lead")
			return nil
		}
		if m.strays(look, g, real) {
			m.unsure("where the links in " + text + " lead from their new place")
			return nil
		}
		at := strings.TrimSuffix(glob.Escape(real), "/") + rest
		if err := m.lies(k, at, roots, text); err != nil || m.no {
			return err
		}
		if rest == "" {
			continue
		}
		targets, err := linksOf(look, at)
		if err != nil {
			m.unsure("where the links that " + text + " matches lead")
		}
		for _, target := range targets {
			if m.strays(look, g, target) {
				m.unsure("where the links that " + text + " matches lead from their new place")
				return nil
			}
			if err := m.lies(k, glob.Escape(target), roots, text); err != nil || m.no {
				return err
			}
		}
	}
	return nil
}

// strays reports whether what an earlier command of the line moved or copied is a link, or has links that lead out
// of it: one may lead elsewhere from its new place.
func (m *match) strays(look Lookup, g, target string) bool {
	from := m.cmd.Origin(g)
	if from == "" {
		return false
	}
	from = glob.Unescaped(from)
	real, err := look("realpath", from)
	folder, fail := look("realpath", path.Dir(from))
	return err != nil || fail != nil || real != path.Join(folder, path.Base(from)) ||
		target != real && !strings.HasPrefix(target, real+"/")
}
