package provenance

import (
	"github.com/opencortex-go/cortex/skills/provenance/internal/blocks"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// layer is texts, each of which belongs to a field, or to a source, and the days that they
// name.
type layer struct {
	*blocks.Blocks
	days map[string][]hit // by their keys, see [dayKey]
}

// hit is a place in a layer.
type hit struct {
	field  int32
	offset int // in the field's text
}

// dayKey is what a day is looked up by, in any spelling.
func dayKey(d words.Date) string { return "@" + d.Key() }

// addDay enters a day that a text names.
func (l *layer) addDay(field int32, d words.Mention) {
	if l.days == nil {
		l.days = map[string][]hit{}
	}
	key := dayKey(d.Date)
	l.days[key] = append(l.days[key], hit{field, d.Start})
}

// find lists up to most places where the words stand, or the day of this key, and reports
// whether these are all. Of each kind the oldest come first.
func (l *layer) find(keys []string, most int) (hits []hit, all bool) {
	cut := false
	add := func(field int32, at int) bool {
		if cut = len(hits) == most; !cut {
			hits = append(hits, hit{field, at})
		}
		return !cut
	}
	if len(keys) == 1 {
		for _, h := range l.days[keys[0]] {
			if !add(h.field, h.offset) {
				return hits, false
			}
		}
	}
	all = l.Find(keys, add)
	return hits, all && !cut
}
