package facts

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
)

// Lookup answers what is neither in the action nor in the facts. Anyone who decides
// may set one as the case's Lookup, and records each call (function, digest of
// the argument, result), so that a replay gets the same answers. Without one
// nothing leaves the process; an error counts as unknown.
//
// The functions asked for:
//
//	realpath   where an absolute path leads when symbolic links are followed, and
//	           .. then leads out of there; of a path that does not exist, the
//	           part that does is followed
//	links      where the links lead that an absolute pattern of names matches, each
//	           on a line, sorted; * ? [a-z] {a,b} and \ as in glob-any?
type Lookup func(function, argument string) (string, error)

// follow adds where the links in plain paths lead, and in the folders that patterns begin with.
func (p *pathList) follow(look Lookup) {
	if look == nil {
		return
	}
	asked := p.climbs
	for _, x := range p.list[:len(p.list):len(p.list)] {
		switch x := x.(type) {
		case string:
			if x[0] == '/' && !another(x) {
				asked = append(asked, x)
			}
		case Pattern:
			p.begin(look, x)
		}
	}
	for _, text := range asked {
		real, err := look("realpath", text)
		if err != nil {
			p.unknown = "where the links in " + text + " lead"
			continue
		}
		p.add(real, []string{glob.Clean(glob.Escape(real))}, nil)
	}
}

// another reports whether a path means something else to each process: its own open files.
func another(path string) bool {
	return strings.HasPrefix(path, "/dev/std") || strings.HasPrefix(path, "/dev/fd/")
}

// begin adds a pattern as it is behind the links in the folder that it begins with.
func (p *pathList) begin(look Lookup, v Pattern) {
	for i := range v.globs {
		folder, rest := glob.Folder(v.globs[i].Text)
		plain, ok := glob.Unescape(folder)
		if !ok || plain == "" || plain[0] != '/' {
			continue // from anywhere, or below an unknown home
		}
		real, err := look("realpath", plain)
		if err != nil {
			p.unknown = "where the links in " + plain + " lead"
			continue
		}
		at := strings.TrimSuffix(glob.Clean(glob.Escape(real)), "/") + rest
		p.pattern(Pattern{Text: v.Text, search: v.search, globs: []glob.Subject{{Text: at}}})
		if v.search {
			continue
		}
		targets, err := linksOf(look, at)
		if err != nil {
			p.unknown = "where the links that " + v.Text + " matches lead"
		}
		for _, target := range targets {
			p.add(target, []string{glob.Clean(glob.Escape(target))}, nil)
		}
	}
}

// linksOf asks where the links lead that a glob matches. What lies in any folder below is not
// looked through.
func linksOf(look Lookup, g string) ([]string, error) {
	if strings.Contains(g, "**") {
		return nil, nil
	}
	answer, err := look("links", g)
	if err != nil || answer == "" {
		return nil, err
	}
	return strings.Split(answer, "\n"), nil
}
