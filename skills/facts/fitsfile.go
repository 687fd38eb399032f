package facts

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
)

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
		g := globs[i].Text
		written = append(written, g)
		in, ok := globs[i].Below(m.root, nil)
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

// follow asks where links lead, as paths does. The names that a pattern matches
// are not followed, the folder in front of them is.
func (m *match) follow(globs []string, text string) {
	if m.c.Lookup == nil || m.no {
		return
	}
	if strings.Contains(text, "..") { // behind a link, .. leads out of where the link leads
		for _, d := range m.cmd.Dirs {
			globs = append(globs[:len(globs):len(globs)], glob.Escape(d)+"/"+glob.Escape(text))
		}
	}
	root, err := m.c.Lookup("realpath", m.root)
	for _, g := range globs {
		if live := glob.Live(g); live >= 0 {
			g = g[:strings.LastIndexByte(g[:live], '/')+1]
		}
		plain, ok := glob.Unescape(g)
		if !ok || err != nil {
			m.unsure("where the links in " + text + " lead")
			return
		}
		real, err := m.c.Lookup("realpath", plain)
		if err != nil {
			m.unsure("where the links in " + text + " lead")
			return
		}
		if in, _ := glob.New(glob.Escape(real)).Below(root, nil); !in {
			m.refuse()
		}
	}
}
