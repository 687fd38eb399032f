package provenance

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/blocks"
	"github.com/opencortex-go/cortex/skills/provenance/internal/said"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
	"github.com/opencortex-go/cortex/skills/provenance/internal/zones"
)

// layer is texts, each of which belongs to a field, or to a source, and the days that they
// name.
type layer struct {
	*blocks.Blocks
	days map[string][]hit // by their keys, see [said.DayKey]
}

// hit is a place in a layer.
type hit struct {
	field  int32
	offset int // in the field's text
}

// addDay enters a day that a text names.
func (l *layer) addDay(field int32, d words.Mention) {
	if l.days == nil {
		l.days = map[string][]hit{}
	}
	key := said.DayKey(d.Date)
	l.days[key] = append(l.days[key], hit{field, d.Start})
}

// find lists up to most places in a layer where the words stand, or the day of this key,
// and reports whether these are all. Of each kind the oldest come first.
func (x *Index) find(l *layer, keys []string, most int) (hits []hit, all bool) {
	cut := false
	add := func(field int32, at int) bool {
		if cut = len(hits) == most; !cut {
			hits = append(hits, hit{field, at})
		}
		return !cut
	}
	if len(keys) == 1 && strings.HasPrefix(keys[0], "@") {
		x.date()
		for _, h := range l.days[keys[0]] {
			if !add(h.field, h.offset) {
				return hits, false
			}
		}
	}
	all = l.Find(keys, add)
	return hits, all && !cut
}

// date enters the days that fields name which were kept since a day was last asked about.
// Most sessions are never asked about one.
func (x *Index) date() {
	for ; int(x.dated) < len(x.fields); x.dated++ {
		n, f, m := x.dated, &x.fields[x.dated], x.zonesIn(x.dated)
		switch {
		case f.trusted:
			x.days(f.text, func(d words.Mention) { x.trusted.addDay(n, d) })
		case f.spreads(m):
			x.days(f.text, func(d words.Mention) { x.text[m.At(d.Start)].addDay(n, d) })
			for text, inner := range x.decoded(f.text, m) {
				x.days(text, func(d words.Mention) { x.text[inner.At(d.Start)].addDay(n, d) })
			}
		}
	}
}

// days calls yield with the days that a text names. None is named without a digit.
func (x *Index) days(text string, yield func(words.Mention)) {
	if !strings.ContainsAny(text, "0123456789") {
		return
	}
	buffer, atoms := x.lex.atoms(text)
	defer x.lex.buffers.Put(buffer)
	for _, d := range words.Days(atoms, x.lex.words.Months) {
		yield(d)
	}
}

// border is where a zone of a field begins.
type border struct {
	field, start int32
	level        zones.Level
}

// zonesIn returns where the levels of a field begin.
func (x *Index) zonesIn(field int32) *zones.Map {
	var m zones.Map
	from, _ := slices.BinarySearchFunc(x.borders, field, func(b border, f int32) int { return int(b.field - f) })
	for _, b := range x.borders[from:] {
		if b.field != field {
			break
		}
		m.Zones = append(m.Zones, zones.Zone{Level: b.level, Start: int(b.start)})
	}
	return &m
}

// stands reports whether words stand, in a text of a level or above it, where ask says yes, or in more places than
// one question looks at.
func (x *Index) stands(keys []string, from zones.Level, ask func(h hit) bool) bool {
	for lv := int(from); lv < len(x.text); lv++ {
		if hits, all := x.find(&x.text[lv], keys, x.lim.Hits); !all || slices.ContainsFunc(hits, ask) {
			return true
		}
	}
	return false
}
