package provenance

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
	"github.com/opencortex-go/cortex/skills/provenance/internal/zones"
)

// sightings are the addresses and paths that were read, by local part and base name.
type sightings struct {
	locals map[string][]sighting
	paths  map[string][]sighting
	n      int
	full   bool
	fields int32 // those that were looked at
}

// sighting is an address or a path in a field that is kept, which holds its text anyway.
type sighting struct {
	text  string
	field int32
	zoned bool
}

// maxSightings is how many different addresses and paths are kept.
const maxSightings = 1 << 16

// sighted returns the addresses and paths in all fields. It looks at a field when the first
// question after it is asked: most sessions are never asked by a name alone.
func (x *Index) sighted() *sightings {
	s := &x.seen
	for ; int(s.fields) < len(x.fields); s.fields++ {
		s.look(s.fields, &x.fields[s.fields], x.zonesIn(s.fields))
	}
	return s
}

// look notes the addresses and paths in a field.
func (s *sightings) look(n int32, f *field, m *zones.Map) {
	if s.locals == nil {
		s.locals, s.paths = map[string][]sighting{}, map[string][]sighting{}
	}
	for a := range words.AtomsWith(f.text, `@/\.`) {
		text := f.text[a.Start:a.End]
		switch {
		case a.Shape == words.Email:
			low := strings.ToLower(text)
			local, _, _ := strings.Cut(low, "@")
			s.note(s.locals, local, sighting{low, n, m.At(a.Start) > zones.Prose})
		case a.Shape == words.Path, f.kind != fields.Text && strings.Contains(text, "."):
			name := text[strings.LastIndexAny(strings.TrimRight(text, "/"), "/\\")+1:]
			s.note(s.paths, name, sighting{text, n, m.At(a.Start) > zones.Prose})
		}
	}
}

func (s *sightings) note(to map[string][]sighting, name string, one sighting) {
	for i := range to[name] {
		if to[name][i].text == one.text {
			to[name][i].zoned = to[name][i].zoned || one.zoned
			return
		}
	}
	if s.n == maxSightings || len(to[name]) == 8 {
		s.full = true
		return
	}
	s.n++
	to[name] = append(to[name], one)
}
