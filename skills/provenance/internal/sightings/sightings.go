// Package sightings remembers the addresses and paths that were read, by the name alone that a user
// may say: the local part of an address, the base name of a path.
package sightings

import (
	"path"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
	"github.com/opencortex-go/cortex/skills/provenance/internal/zones"
)

// Sightings are the addresses and paths that were read, by local part and base name. The zero value
// has none.
type Sightings struct {
	Full bool // there were more than it keeps

	locals map[string][]Sighting
	paths  map[string][]Sighting
	n      int
}

// Sighting is an address or a path in a field that is kept, which holds its text anyway.
type Sighting struct {
	Text  string
	Field int32
	Zoned bool // it stood in a zone, at least once
}

// The limits of what is kept.
const (
	maxSightings = 1 << 16 // different addresses and paths
	maxOfName    = 8       // of them under one name
)

// Local are the addresses with a local part, in small letters.
func (s *Sightings) Local(part string) []Sighting { return s.locals[part] }

// Within are the different paths with a base name, made absolute in the folder cwd, and one of them as it was seen.
func (s *Sightings) Within(base, cwd string) (map[string]bool, Sighting) {
	paths, one := map[string]bool{}, Sighting{}
	for _, seen := range s.paths[base] {
		abs := seen.Text
		if !strings.HasPrefix(abs, "/") {
			abs = path.Join(cwd, abs)
		}
		if p := path.Clean(abs); !paths[p] {
			paths[p], one = true, seen
		}
	}
	return paths, one
}

// Look notes the addresses and paths in the text of a field, whose zones are given.
func (s *Sightings) Look(field int32, text string, kind fields.Kind, m *zones.Map) {
	if s.locals == nil {
		s.locals, s.paths = map[string][]Sighting{}, map[string][]Sighting{}
	}
	for a := range words.AtomsWith(text, `@/\.`) {
		one := Sighting{text[a.Start:a.End], field, m.At(a.Start) > zones.Prose}
		switch {
		case a.Shape == words.Email:
			one.Text = strings.ToLower(one.Text)
			local, _, _ := strings.Cut(one.Text, "@")
			s.note(s.locals, local, one)
		case a.Shape == words.Path, kind != fields.Text && strings.Contains(one.Text, "."):
			name := one.Text[strings.LastIndexAny(strings.TrimRight(one.Text, "/"), "/\\")+1:]
			s.note(s.paths, name, one)
		}
	}
}

func (s *Sightings) note(to map[string][]Sighting, name string, one Sighting) {
	for i := range to[name] {
		if to[name][i].Text == one.Text {
			to[name][i].Zoned = to[name][i].Zoned || one.Zoned
			return
		}
	}
	if s.n == maxSightings || len(to[name]) == maxOfName {
		s.Full = true
		return
	}
	s.n++
	to[name] = append(to[name], one)
}
