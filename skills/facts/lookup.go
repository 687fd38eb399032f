package facts

import "github.com/opencortex-go/cortex/skills/facts/internal/glob"

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
type Lookup func(function, argument string) (string, error)

// follow adds where the links in plain paths lead.
func (p *pathList) follow(look Lookup) {
	if look == nil {
		return
	}
	asked := p.climbs
	for _, x := range p.list {
		if text, ok := x.(string); ok && text[0] == '/' {
			asked = append(asked, text)
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
