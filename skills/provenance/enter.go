package provenance

import (
	"iter"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
	"github.com/opencortex-go/cortex/skills/provenance/internal/zones"
)

// enter takes the fields of source n in.
func (x *Index) enter(n int32, r fields.Result) {
	s := &x.sources[n]
	s.first = int32(len(x.fields))
	s.nested = r.Nested
	if r.Cut {
		x.lost.any = true
	}
	if r.Opaque {
		x.dark(n)
	}
	maps := x.scan(r.Fields)
	clear := x.clears(r.Fields, maps)
	fits := x.fits(r.Fields)
	if fits {
		x.fields = slices.Grow(x.fields, len(r.Fields))
	}
	beyond := &late{source: n, wholes: map[digest]*field{}}
	for i, f := range r.Fields {
		own := x.field(n, f, &maps[i])
		x.count(own, &maps[i], s)
		x.orders.enter(x, n, own, &maps[i])
		if x.kept+cost(f) > x.lim.Text {
			x.drop(beyond, own, &maps[i], clear[i])
			continue
		}
		x.kept += cost(f)
		if !fits {
			own.text = strings.Clone(own.text)
		}
		x.keep(own, &maps[i], clear[i])
	}
	s.end = int32(len(x.fields))
	if len(beyond.wholes) > 0 {
		x.late = append(x.late, beyond)
		if len(x.late) > x.lim.Results {
			x.late = slices.Clone(x.late[1:])
		}
	}
}

// cost is what a field counts for in the limit of text: an empty one takes room, too.
func cost(f fields.Field) int { return len(f.Text) + 16 }

// fits reports whether all fields of a result can be kept. They are parts of its text then,
// and no copies.
func (x *Index) fits(all []fields.Field) bool {
	sum := x.kept
	for _, f := range all {
		sum += cost(f)
	}
	return sum <= x.lim.Text
}

// field makes the field of a source. A field with an alien zone is not trusted.
func (x *Index) field(n int32, f fields.Field, m *zones.Map) field {
	s := &x.sources[n]
	out := field{source: n, record: int32(f.Record), key: x.keys.Of(f.Key), side: x.sideOf(f), text: f.Text, kind: f.Kind,
		quoted: int32(zones.Quoted(x.lex.words, f.Text))}
	out.trusted = s.tool.trusts(f.Key) && m.Worst() < zones.Weak && s.floor <= Trusted
	return out
}

// whole reports whether a field can be a record: an entire value that is not a text.
func (x *Index) whole(f field, clear bool) bool {
	return f.kind != fields.Text && clear && !f.key.Text
}

// keep enters a field in full.
func (x *Index) keep(f field, m *zones.Map, clear bool) {
	n := int32(len(x.fields))
	x.fields = append(x.fields, f)
	for _, z := range m.Zones {
		x.borders = append(x.borders, border{n, int32(z.Start), z.Level})
	}
	if x.whole(f, clear) {
		x.noteWhole(n, digestOf(words.Normal(f.text)))
	}
	if f.trusted {
		x.trusted.Add(n, f.text, 0, 0, len(f.text)+1)
		return
	}
	if !f.spreads(m) {
		return
	}
	x.spread(n, f.text, m)
	for text, inner := range x.decoded(f.text, m) {
		x.kept += len(text)
		x.spread(n, text, inner)
	}
}

// spreads reports whether the words of an untrusted field are found one by one. Those of a
// line are found in its text.
func (f *field) spreads(m *zones.Map) bool {
	return f.kind != fields.Line && (f.kind != fields.Name || len(m.Zones) > 0)
}

// decoded lists what a text says once it is decoded, with the zones there.
func (x *Index) decoded(text string, m *zones.Map) iter.Seq2[string, *zones.Map] {
	return func(yield func(string, *zones.Map) bool) {
		for _, d := range words.Decode(text) {
			inner := zones.Scan(x.lex.words, x.names, d.Text)
			outer := m.At(d.Start)
			for i := range inner.Zones {
				inner.Zones[i].Level = max(inner.Zones[i].Level, outer)
			}
			if outer > zones.Prose {
				inner.Zones = append([]zones.Zone{{Level: outer, End: len(d.Text)}}, inner.Zones...)
			}
			if !yield(d.Text, &inner) {
				return
			}
		}
	}
}

// spread enters the loose words of a text into the layers of its levels. The last words
// before a zone are looked into as part of it, so that no value hides across its border.
func (x *Index) spread(n int32, text string, m *zones.Map) {
	first, _, ok := words.NextLoose(text, 0)
	next, before, lv := first.Start, first.Start, zones.Prose // before is some words before next
	part := func(to int) {
		if !ok || next >= to {
			return
		}
		from := next
		if lv > zones.Prose {
			from = before
		}
		next, before = x.text[lv].Add(n, text, from, next, to)
	}
	for _, z := range m.Zones {
		part(z.Start)
		lv = max(lv, z.Level)
	}
	part(len(text) + 1)
}
