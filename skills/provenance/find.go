package provenance

import (
	"github.com/opencortex-go/cortex/skills/provenance/internal/said"
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
func (w *View) find(v *said.Value) finding {
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
		if to.kind == 0 || kind.Rank() < to.kind.Rank() {
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

// structured looks in trusted fields and for whole fields.
func (w *View) structured(v *said.Value, take func(Origin, int32, func() Where)) bool {
	x, sure := w.x, true
	for _, keys := range v.Runs() {
		hits, all := x.find(&x.trusted, keys, x.lim.Hits)
		for _, h := range hits {
			f := &x.fields[h.field]
			take(Trusted, f.source, func() Where { return x.where(f, h.offset, Trusted) })
		}
		sure = sure && (all || len(hits) > 0)
	}
	key := digestOf(v.Normal())
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
func (w *View) texts(v *said.Value, take func(Origin, int32, func() Where)) bool {
	x, sure := w.x, true
	zoned := map[[2]int32]bool{}
	for _, lv := range []zones.Level{zones.Plain, zones.Weak} { // weak ones here are delegated
		for _, keys := range v.LooseRuns() {
			hits, all := x.find(&x.text[lv], keys, x.lim.Hits)
			for _, h := range hits {
				f := &x.fields[h.field]
				zoned[[2]int32{f.source, f.record}] = true
				take(Zone, f.source, func() Where { return x.where(f, h.offset, Zone) })
			}
			sure = sure && all
		}
	}
	for _, keys := range v.LooseRuns() {
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

// alien looks in alien zones.
func (w *View) alien(v *said.Value) finding {
	x := w.x
	for _, keys := range v.LooseRuns() {
		hits, all := x.find(&x.text[zones.Strong], keys, x.lim.Hits)
		for _, h := range hits {
			if f := &x.fields[h.field]; !v.InAddress(f.text, h.offset) {
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

// droppedZone returns the worst level whose dropped words hold all words of a value.
func (x *Index) droppedZone(v *said.Value) zones.Level {
	if len(x.lost.zoneWords) == 0 || len(v.Loose) == 0 {
		return zones.Prose
	}
	lowest := zones.Strong
	for _, k := range v.Loose {
		lowest = min(lowest, x.lost.zoneWords[k])
	}
	return lowest
}

// firstWrite returns the source from which on the session itself had written a value,
// and whether that is certain; beyond all sources if it did not.
func (x *Index) firstWrite(v *said.Value) (since int32, sure bool) {
	since = int32(len(x.sources))
	sure = x.written.Find(v.Loose, func(source int32, _ int) bool { since = source; return false })
	if len(x.lost.writes) > 0 {
		all := len(v.Loose) > 0
		for _, k := range v.Loose {
			all = all && x.lost.writes[k]
		}
		if all {
			since = min(since, int32(x.lost.writeSeq))
		}
	}
	return since, sure || since < int32(len(x.sources))
}
