package provenance

import (
	"path"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// Named reports whether the user said the value, or the local part of this address alone
// where the session has seen one address with it, outside every zone.
func (w *View) Named(v any) (bool, Where, error) {
	return w.every(v, func(val *value) (bool, Where, error) {
		ok, at, err := w.Said(val.text)
		if ok || val.shape != words.Email || !w.x.user.local(val.text) {
			return ok, at, err
		}
		local, _, _ := strings.Cut(strings.ToLower(val.text), "@")
		return w.only(w.x.sighted().locals[local], strings.ToLower(val.text))
	})
}

// Meant reports whether the user said the value, or the base name of this path alone
// where the session has seen one path with it, in the working folder.
func (w *View) Meant(v any) (bool, Where, error) {
	return w.every(v, func(val *value) (bool, Where, error) {
		ok, at, err := w.Said(val.text)
		if ok || val.shape != words.Path || !w.x.user.base(w.x, val.text) {
			return ok, at, err
		}
		if w.a.Cwd == "" {
			return false, Where{}, Unknown{"the working folder is not known"}
		}
		full := w.within(val.text)
		if full == "" {
			return false, Where{}, nil
		}
		name, _ := baseName(val.text)
		seen := map[string]bool{}
		only := sighting{}
		for _, s := range w.x.sighted().paths[name] {
			abs := s.text
			if !strings.HasPrefix(abs, "/") {
				abs = path.Join(w.a.Cwd, abs)
			}
			if p := path.Clean(abs); !seen[p] {
				seen[p] = true
				only = s
			}
		}
		if len(seen) != 1 || !seen[full] {
			return w.unseen(len(seen) == 0)
		}
		return w.only([]sighting{{text: full, field: only.field}}, full)
	})
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
func (w *View) only(seen []sighting, value string) (bool, Where, error) {
	for _, s := range seen {
		if s.text != value || s.zoned {
			return false, Where{}, nil
		}
	}
	if len(seen) == 0 {
		return w.unseen(true)
	}
	if w.partial() || w.x.lost.any || w.x.seen.full {
		return false, Where{}, Unknown{"the session may have read another value of that name"}
	}
	return true, w.x.where(&w.x.fields[seen[0].field], 0, Record), nil
}

func (w *View) unseen(none bool) (bool, Where, error) {
	if none && (w.partial() || w.x.lost.any) {
		return false, Where{}, Unknown{"not every text that was read is here"}
	}
	return false, Where{}, nil
}
