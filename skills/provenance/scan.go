package provenance

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/zones"
)

// scan finds the zones of all fields. A directive in a field far longer than its
// siblings speaks to the agent, unless the field is for free text, which is of any length.
func (x *Index) scan(all []fields.Field) []zones.Map {
	out := make([]zones.Map, len(all))
	sizes := map[string][]int{}
	for i, f := range all {
		if f.Kind == fields.Line || f.Kind == fields.Name && !fields.Wordy(f.Text, 8) {
			continue
		}
		out[i] = x.zonesOf(f)
		if f.Kind == fields.Value && len(out[i].Zones) == 0 {
			sizes[f.Key] = append(sizes[f.Key], len(f.Text))
		}
	}
	for k, s := range sizes {
		slices.Sort(s)
		sizes[k] = s
	}
	for i, f := range all {
		s := sizes[f.Key]
		if f.Kind != fields.Value || len(out[i].Zones) == 0 || len(s) < 2 || x.keys.Of(f.Key).Text {
			continue
		}
		if usual := max(12, s[len(s)/2]); len(f.Text) > 6*usual || len(f.Text) > 3*usual && strings.Contains(f.Text, "\n") {
			for j := range out[i].Zones {
				out[i].Zones[j].Level = zones.Strong
			}
		}
	}
	return out
}

// zonesOf finds the zones of a field. A key of several words is read with its value: it
// may be the beginning of a sentence.
func (x *Index) zonesOf(f fields.Field) zones.Map {
	before := ""
	if strings.Contains(f.Key, " ") {
		before = f.Key + ": "
	}
	m := zones.Scan(x.lex.words, x.names, before+f.Text)
	for i := range m.Zones {
		z := &m.Zones[i]
		z.Start, z.End = max(0, z.Start-len(before)), max(0, z.End-len(before))
	}
	return m
}

// count notes what was read of untrusted fields.
func (x *Index) count(f field, m *zones.Map, s *source) {
	if f.trusted || f.kind == fields.Name && len(m.Zones) == 0 {
		return
	}
	worst := Record
	prose := f.kind == fields.Text || f.key.Text || fields.Wordy(f.text, 5)
	switch lv := m.Worst(); {
	case lv >= zones.Weak:
		worst = Alien
	case lv == zones.Plain:
		worst = Zone
	case prose:
		worst = Prose
	}
	x.read.any = true
	x.read.worst = max(x.read.worst, worst, s.floor)
	effect := s.tool != nil && !s.tool.Read
	x.read.text = x.read.text || worst >= Zone || worst == Prose && !effect && fields.Wordy(f.text, 5)
}

// clears reports of each field whether it is a line that stands before every zone of its
// text, and before the words of others in it, or no line at all.
func (x *Index) clears(all []fields.Field, maps []zones.Map) []bool {
	out := make([]bool, len(all))
	text, own := -1, 0
	for i, f := range all {
		if f.Kind == fields.Text {
			text, own = i, zones.Quoted(x.lex.words, f.Text)
		}
		out[i] = f.Kind != fields.Line || text < 0 || maps[text].At(f.Offset) == zones.Prose && f.Offset < own
	}
	return out
}
