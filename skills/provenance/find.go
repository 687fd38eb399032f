package provenance

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
	"github.com/opencortex-go/cortex/skills/provenance/internal/zones"
)

// finding is how a value stands in what was read: 0 is nowhere.
type finding struct {
	kind  Origin
	where Where
	sure  bool
}

// find looks for a value in what was read. The first that matches counts: alien, trusted,
// record, prose, zone. What the session itself wrote stays what it was before.
func (w *View) find(v *value) finding {
	if f := w.alien(v); f.kind != 0 || !f.sure {
		return f
	}
	x := w.x
	since, sure := x.firstWrite(v)
	best, later := finding{sure: true}, finding{sure: true}
	take := func(kind Origin, source int32, where func() Where) {
		if kind <= Prose && x.sources[source].echoes(v) {
			return
		}
		kind = Worst(kind, max(User, x.sources[source].floor))
		to := &best
		if source >= since {
			kind, to = Worst(kind, Model), &later
		}
		if to.kind == 0 || rank(kind) < rank(to.kind) {
			to.kind, to.where = kind, where()
			to.where.Kind = kind
		}
	}
	sure = w.structured(v, take) && w.texts(v, take) && sure
	if best.kind == 0 {
		best = later
	}
	best.sure = sure || best.kind == Trusted
	return best
}

// rank orders what a value was found as: the first that matches counts. A record that
// the session wrote itself is as good as nothing.
func rank(o Origin) int {
	switch o {
	case Model:
		return int(Record) // in place of the record that it was found in
	case User, Rule, Trusted, Record, Opaque, RecordHost, Prose, ProseHost, Zone, ZoneHost, Alien, AlienHost:
	}
	return int(o)
}

// structured looks in trusted fields and for whole fields.
func (w *View) structured(v *value, take func(Origin, int32, func() Where)) bool {
	x, sure := w.x, true
	for _, keys := range v.runs() {
		hits, all := x.find(&x.trusted, keys, x.lim.Hits)
		for _, h := range hits {
			f := &x.fields[h.field]
			take(Trusted, f.source, func() Where { return x.where(f, h.offset, Trusted) })
		}
		sure = sure && (all || len(hits) > 0)
	}
	key := digestOf(v.normal())
	for i, n := range x.same(key) {
		if i == x.lim.Hits {
			break // the oldest are the best
		}
		f := &x.fields[n]
		take(Record, f.source, func() Where { return x.where(f, 0, Record) })
	}
	for _, l := range x.late {
		if f, ok := l.wholes[key]; ok {
			take(Record, f.source, func() Where { return x.where(f, 0, Record) })
		}
	}
	return sure
}

// texts looks in prose and in zones. A record that holds the value in both holds it in a zone.
func (w *View) texts(v *value, take func(Origin, int32, func() Where)) bool {
	x, sure := w.x, true
	zoned := map[[2]int32]bool{}
	for _, lv := range []zones.Level{zones.Plain, zones.Weak} { // weak ones here are delegated
		for _, keys := range v.looseRuns() {
			hits, all := x.find(&x.text[lv], keys, x.lim.Hits)
			for _, h := range hits {
				f := &x.fields[h.field]
				zoned[[2]int32{f.source, f.record}] = true
				take(Zone, f.source, func() Where { return x.where(f, h.offset, Zone) })
			}
			sure = sure && all
		}
	}
	for _, keys := range v.looseRuns() {
		hits, all := x.find(&x.text[zones.Prose], keys, x.lim.Hits)
		for _, h := range hits {
			if f := &x.fields[h.field]; sure && !zoned[[2]int32{f.source, f.record}] {
				take(Prose, f.source, func() Where { return x.where(f, h.offset, Prose) })
				all = true
				break
			}
		}
		sure = sure && all
	}
	return sure
}

// looseRuns are the sequences of loose words that are equal to the value, and to what
// it says once it is decoded. A number of one digit proves nothing where it stands in a text.
func (v *value) looseRuns() [][]string {
	if v.said == nil {
		v.said = v.readLoose()
	}
	return v.said
}

func (v *value) readLoose() [][]string {
	out := [][]string{}
	if n, ok := words.Number(v.text); ok && len(n) == 1 {
		return out
	}
	if len(v.loose) > 0 {
		out = append(out, v.loose)
	}
	for _, d := range v.days {
		out = append(out, []string{d})
	}
	for _, d := range words.Decode(v.text) {
		if ws := words.Keys(words.Loose(d.Text)); len(ws) > 0 && !strings.EqualFold(d.Text, v.text) {
			out = append(out, ws)
		}
	}
	return out
}

// alien looks in alien zones.
func (w *View) alien(v *value) finding {
	x := w.x
	for _, keys := range v.looseRuns() {
		hits, all := x.find(&x.text[zones.Strong], keys, x.lim.Hits)
		for _, h := range hits {
			if f := &x.fields[h.field]; !v.inAddress(f.text, h.offset) {
				return finding{Alien, x.where(f, h.offset, Alien), true}
			}
		}
		if !all {
			return finding{}
		}
		hits, all = x.find(&x.text[zones.Weak], keys, x.lim.Hits)
		for _, h := range hits {
			if f := &x.fields[h.field]; !w.delegatedField(f, h.offset) {
				return finding{Alien, x.where(f, h.offset, Alien), true}
			}
		}
		if !all {
			return finding{}
		}
	}
	if x.droppedZone(v) >= zones.Weak {
		return finding{Alien, Where{Kind: Alien}, true}
	}
	return finding{sure: true}
}

// inAddress reports whether a value of one plain word stands in a text as a part of a path
// alone, as "notes" does in example.com/notes.
func (v *value) inAddress(text string, offset int) bool {
	return v.shape == words.Word1 && offset > 0 && offset+len(v.text) <= len(text) && text[offset-1] == '/' &&
		strings.EqualFold(text[offset:offset+len(v.text)], v.text)
}

// droppedZone returns the worst level whose dropped words hold all words of a value.
func (x *Index) droppedZone(v *value) zones.Level {
	if len(x.lost.zoneWords) == 0 || len(v.loose) == 0 {
		return zones.Prose
	}
	lowest := zones.Strong
	for _, k := range v.loose {
		lowest = min(lowest, x.lost.zoneWords[k])
	}
	return lowest
}

// firstWrite returns the source from which on the session itself had written a value,
// and whether that is certain; beyond all sources if it did not.
func (x *Index) firstWrite(v *value) (since int32, sure bool) {
	since = int32(len(x.sources))
	sure = x.written.Find(v.loose, func(source int32, _ int) bool { since = source; return false })
	if len(x.lost.writes) > 0 {
		all := len(v.loose) > 0
		for _, k := range v.loose {
			all = all && x.lost.writes[k]
		}
		if all {
			since = min(since, int32(x.lost.writeSeq))
		}
	}
	return since, sure || since < int32(len(x.sources))
}
