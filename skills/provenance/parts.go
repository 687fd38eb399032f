package provenance

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// maxParts is how many parts of a value are asked about.
const maxParts = 64

// parts is the origin of a value that stands nowhere as a whole, by the parts that it is
// put together from: the worst of them. A value in a strong role does not become better
// by its parts.
func (w *View) parts(v *value, depth int) (Origin, Where, error) {
	host, parts := v.parts()
	if v.shape == words.Path {
		parts = w.x.user.below(v.text, parts)
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
		o, where, err := w.origin(w.x.newValue(p, Object), depth)
		if worse := Worst(out, o); worse != out {
			out, at, why = worse, where, err
		}
	}
	if host != "" {
		return w.hosted(host, out, at, why)
	}
	if (w.strong(v.role) || v.shape == words.Other) && out != 0 {
		out = max(out, Model)
	}
	return out, at, why
}

// below leaves out of a path's parts the folder of one that the user said.
func (h *heard) below(file string, parts []string) []string {
	for _, said := range h.shapes[words.Path] {
		folder := said[:strings.LastIndex(said, "/")+1]
		if len(folder) > 1 && strings.HasPrefix(strings.ToLower(file), strings.ToLower(folder)) && !strings.Contains(file, "..") {
			_, rest := words.Apart(file[len(folder):], words.Path, false)
			return rest
		}
	}
	return parts
}

// hosted is the origin of an address on a host, where the rest has an origin of its own.
func (w *View) hosted(host string, rest Origin, at Where, why error) (Origin, Where, error) {
	o, where, err := w.scalar(w.x.newValue(host, Object))
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

// parts cuts a value into what somebody could choose by itself; see [words.Apart]. What a
// text that is passed on carries is for [View.Carries].
func (v *value) parts() (host string, parts []string) {
	if v.shape == words.URL || v.shape == words.Email || v.shape == words.Path || v.role == Code {
		return words.Apart(v.text, v.shape, v.role == Code)
	}
	return "", v.shaped()
}

// shaped lists the addresses and the like in a value of several words.
func (v *value) shaped() []string {
	if len(v.atoms) < 2 || v.role == Content {
		return nil
	}
	return words.Shaped(v.atoms)
}
