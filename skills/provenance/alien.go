package provenance

import (
	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/said"
)

// maxAlienParts is how many parts of a value are asked about.
const maxAlienParts = 4096

// Alien reports whether a value, or a part of it, stands in a text that speaks to the
// agent, or is a look-alike of what the user said. What the user said or a rule set is not
// alien. It is known also where the session is held in part: what is alien in the part
// that is here is alien.
func (w *View) Alien(v any) (bool, Where, error) {
	var why error
	for _, s := range fields.Scalars(v) {
		yes, at, err := w.alienIn(said.New(w.x.lex.words, s, w.roleOf(s)), 2)
		if yes {
			return true, at, nil
		}
		if why == nil {
			why = err
		}
	}
	return false, Where{}, why
}

func (w *View) alienIn(v *said.Value, depth int) (bool, Where, error) {
	x := w.x
	if v.Empty || len(x.sources) == 0 {
		return false, Where{}, nil
	}
	st := x.user.Stands(v)
	if ruled, _ := x.rules.Has(v.Atoms); st.Wanted || ruled {
		return false, Where{}, nil
	}
	f := w.find(v)
	switch {
	case f.kind == Alien:
		return true, f.where, nil
	case x.lost.all:
		return false, Where{}, tooMuch
	case !f.sure || !st.Sure:
		return false, Where{}, Unknown{"the value stands in more places than one question looks at"}
	case (w.strong(v.Role) || v.Role == ID) && x.user.Twin(v) && !st.Said:
		return true, Where{Kind: Alien}, nil
	case f.kind != 0:
		o, at, err := w.clean(v, f.kind, f.where)
		return o >= Alien, at, err
	case depth == 0:
		return false, Where{}, nil
	}
	host, parts := v.Parts()
	if len(parts) > maxAlienParts {
		return false, Where{}, Unknown{"the value has more parts than one question looks at"}
	}
	for _, p := range append(parts, host) {
		if yes, at, err := w.alienIn(said.New(x.lex.words, p, Object), depth-1); yes || err != nil {
			return yes, at, err
		}
	}
	return false, Where{}, nil
}
