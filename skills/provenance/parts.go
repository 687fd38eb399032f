package provenance

import (
	"github.com/opencortex-go/cortex/skills/provenance/internal/said"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// maxParts is how many different parts of a value are asked about.
const maxParts = 256

// parts is the origin of a value that stands nowhere as a whole, by the parts that it is
// put together from: the worst of them. A value in a strong role does not become better
// by its parts.
func (w *View) parts(v *said.Value, depth int) (Origin, Where, error) {
	host, parts := v.Parts()
	if v.Shape == words.Path {
		parts = w.x.user.Below(v.Text, parts)
	}
	if len(parts) == 0 && host == "" {
		return 0, Where{}, nil
	}
	if len(parts) > maxParts {
		return 0, Where{}, Unknown{"the value has more parts than one question looks at"}
	}
	out, at := User, Where{}
	var why error
	for _, p := range parts {
		o, where, err := w.origin(said.New(w.x.lex.words, p, Object), depth)
		if worse := Worst(out, o); worse != out {
			out, at, why = worse, where, err
		}
	}
	if host != "" {
		return w.hosted(host, out, at, why)
	}
	if (w.strong(v.Role) || v.Shape == words.Other) && out != 0 {
		out = max(out, Model)
	}
	return out, at, why
}

// hosted is the origin of an address on a host, where the rest has an origin of its own.
func (w *View) hosted(host string, rest Origin, at Where, why error) (Origin, Where, error) {
	o, where, err := w.scalar(said.New(w.x.lex.words, host, Object))
	if err != nil && rest < Alien {
		return 0, Where{}, err
	}
	switch o {
	case Record, Prose, Zone, Alien:
		all := Worst(o, rest)
		if all == 0 {
			return 0, at, why
		}
		if o >= rest {
			at = where
		}
		switch {
		case all <= RecordHost:
			return RecordHost, at, nil
		case all <= ProseHost:
			return ProseHost, at, nil
		case all <= ZoneHost:
			return ZoneHost, at, nil
		}
		return AlienHost, at, nil
	case User, Rule, Trusted, Model, Opaque, RecordHost, ProseHost, ZoneHost, AlienHost:
	}
	if worse := Worst(max(o, Model), rest); worse != rest {
		return worse, where, err
	}
	return rest, at, why
}
