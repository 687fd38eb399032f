package facts

import (
	"path"
	"strings"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
)

// Kept is a place that no action is to touch: an absolute path, made ready once to
// be held against many. It is immutable and safe for concurrent use.
type Kept struct {
	root  string    // as a glob; "" if the path is not absolute
	under glob.Rows // what is below it
	near  glob.Rows // it, or what is below it
	above glob.Rows // the folders above it
}

// Relation is how a path stands to a place.
type Relation uint8

// The relations, the closest last. A path may be one of several; what is said is
// the closest that it may have, but for Within, which holds for all that it may be.
const (
	Apart  Relation = iota
	Above           // it may be a folder above the place
	Near            // it may be the place, or be below it
	Within          // it is the place, or is below it
)

// Keep makes a place ready. A place below ~ needs a case, which tells the home;
// for any other, c may be nil.
func Keep(place string, c *skills.Case) *Kept {
	home := ""
	if c != nil {
		home = environment(c).Home
	}
	k := &Kept{}
	if roots := glob.Places(place, nil, home); place != "" && len(roots) == 1 &&
		!strings.HasPrefix(roots[0], glob.Anywhere) {
		k.root = roots[0]
		k.under = glob.MustCompile(k.root + "/**")
	}
	at := func(p string) string {
		if home != "" && (p == "~" || strings.HasPrefix(p, "~/")) {
			return glob.Escape(home) + glob.Escape(p[1:])
		}
		return glob.Escape(p)
	}
	k.near = append(glob.MustCompile(at(place)), glob.MustCompile(at(place)+"/**")...)
	k.above = glob.MustCompile("/")
	for dir := path.Dir(place); dir != "/" && dir != "."; dir = path.Dir(dir) {
		k.above = append(k.above, glob.MustCompile(at(dir))...)
	}
	return k
}

// Of says how a pattern stands to the place. told is false if it cannot be told
// whether the pattern leads there: some of what it may be is, and some is not.
func (k *Kept) Of(p Pattern) (r Relation, told bool) {
	yes, no := 0, 0
	told = k.root != ""
	for i := range p.globs {
		if p.globs[i].StartsAnywhere() && len(k.root) > 1 && k.root[0] == '/' {
			return Near, false
		}
		switch in, ok := p.globs[i].Below(k.root, k.under); {
		case !told:
		case !ok:
			told = false
		case in:
			yes++
		default:
			no++
		}
	}
	told = told && (yes == 0 || no == 0)
	switch {
	case told && yes > 0:
		return Within, true
	case p.meets(k.near):
		return Near, told
	case p.meets(k.above):
		return Above, told
	}
	return Apart, told
}

func (p Pattern) meets(of glob.Rows) bool {
	for i := range p.globs {
		if p.globs[i].Meets(of) {
			return true
		}
	}
	return false
}
