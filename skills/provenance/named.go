package provenance

import (
	"path"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/said"
	"github.com/opencortex-go/cortex/skills/provenance/internal/sightings"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// Named reports whether the user said the value, or the local part of this address alone
// where the session has seen one address with it, outside every zone.
func (w *View) Named(v any) (bool, Where, error) {
	return w.every(v, func(val *said.Value) (bool, Where, error) {
		ok, at, err := w.Said(val.Text)
		if ok || val.Shape != words.Email || !w.x.user.Local(val.Text) {
			return ok, at, err
		}
		local, _, _ := strings.Cut(strings.ToLower(val.Text), "@")
		return w.only(w.x.sighted().Local(local), strings.ToLower(val.Text))
	})
}

// Meant reports whether the user said the value, or the base name of this path alone
// where the session has seen one path with it, in the working folder.
func (w *View) Meant(v any) (bool, Where, error) {
	return w.every(v, func(val *said.Value) (bool, Where, error) {
		ok, at, err := w.Said(val.Text)
		if ok || val.Shape != words.Path || !w.x.user.Base(val.Text) {
			return ok, at, err
		}
		if w.a.Cwd == "" {
			return false, Where{}, Unknown{"the working folder is not known"}
		}
		full := w.within(val.Text)
		if full == "" {
			return false, Where{}, nil
		}
		name, _ := words.BaseName(val.Text)
		seen, only := w.x.sighted().Within(name, w.a.Cwd)
		if len(seen) != 1 || !seen[full] {
			return w.unseen(len(seen) == 0)
		}
		return w.only([]sightings.Sighting{{Text: full, Field: only.Field}}, full)
	})
}

// sighted returns the addresses and paths in all fields. It looks at a field when the first
// question after it is asked: most sessions are never asked by a name alone.
func (x *Index) sighted() *sightings.Sightings {
	for ; int(x.looked) < len(x.fields); x.looked++ {
		f := &x.fields[x.looked]
		x.seen.Look(x.looked, f.text, f.kind, x.zonesIn(x.looked))
	}
	return &x.seen
}

// within returns the absolute path of one in the working folder, or "".
func (w *View) within(p string) string {
	if !strings.HasPrefix(p, "/") {
		p = path.Join(w.a.Cwd, p)
	}
	if p = path.Clean(p); p == w.a.Cwd || strings.HasPrefix(p, strings.TrimSuffix(w.a.Cwd, "/")+"/") {
		return p
	}
	return ""
}

// only reports whether all that was seen under a name is this one value, outside every zone.
func (w *View) only(seen []sightings.Sighting, value string) (bool, Where, error) {
	for _, s := range seen {
		if s.Text != value || s.Zoned {
			return false, Where{}, nil
		}
	}
	if len(seen) == 0 {
		return w.unseen(true)
	}
	if w.partial() || w.x.lost.any || w.x.seen.Full {
		return false, Where{}, Unknown{"the session may have read another value of that name"}
	}
	return true, w.x.where(&w.x.fields[seen[0].Field], 0, Record), nil
}

func (w *View) unseen(none bool) (bool, Where, error) {
	if none && (w.partial() || w.x.lost.any) {
		return false, Where{}, Unknown{"not every text that was read is here"}
	}
	return false, Where{}, nil
}
