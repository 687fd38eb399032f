package provenance

import (
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
	clear := clears(r.Fields, maps)
	beyond := &late{source: n, wholes: map[digest]field{}}
	for i, f := range r.Fields {
		own := x.field(n, f, &maps[i])
		x.count(own, &maps[i], s)
		x.orders.enter(x, n, own, &maps[i])
		if x.kept+cost(f) > x.lim.Text {
			x.drop(beyond, own, &maps[i], clear[i])
			continue
		}
		x.kept += cost(f)
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

// field makes the field of a source. A field with an alien zone is not trusted.
func (x *Index) field(n int32, f fields.Field, m *zones.Map) field {
	s := &x.sources[n]
	out := field{source: n, record: int32(f.Record), key: f.Key, text: f.Text, kind: f.Kind,
		quoted: int32(x.quotation(f.Text))}
	out.trusted = s.tool.trusts(f.Key) && level(m) < zones.Weak && s.floor <= Trusted
	return out
}

// whole reports whether a field can be a record: an entire value that is not a text.
func (x *Index) whole(f field, clear bool) bool {
	return f.kind != fields.Text && clear && !x.lex.words.IsText(f.key)
}

// keep enters a field in full.
func (x *Index) keep(f field, m *zones.Map, clear bool) {
	n := int32(len(x.fields))
	x.fields = append(x.fields, f)
	buffer, atoms := x.lex.atoms(f.text)
	defer x.lex.buffers.Put(buffer)
	x.seen.look(n, &x.fields[n], atoms, m)
	if x.whole(f, clear) {
		x.noteWhole(n, digestOf(normal(f.text)))
	}
	if f.trusted {
		x.trusted.Add(n, f.text, 0, 0, len(f.text)+1)
		for _, d := range words.Days(atoms, x.lex.words.Months) {
			x.trusted.addDay(n, d)
		}
		return
	}
	if f.kind == fields.Name && len(m.Zones) == 0 || f.kind == fields.Line {
		return
	}
	x.spread(n, f.text, atoms, m)
	for _, d := range words.Decode(f.text) {
		inner := zones.Scan(x.lex.words, x.names, d.Text)
		outer := m.At(d.Start)
		for i := range inner.Zones {
			inner.Zones[i].Level = max(inner.Zones[i].Level, outer)
		}
		if outer > zones.Prose {
			inner.Zones = append([]zones.Zone{{Level: outer, End: len(d.Text)}}, inner.Zones...)
		}
		x.kept += len(d.Text)
		x.spread(n, d.Text, words.Atoms(d.Text), &inner)
	}
}

// spread enters the loose words of a text into the layers of its levels. The last words
// before a zone are looked into as part of it, so that no value hides across its border.
func (x *Index) spread(n int32, text string, atoms []words.Word, m *zones.Map) {
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
	for _, d := range words.Days(atoms, x.lex.words.Months) {
		x.text[m.At(d.Start)].addDay(n, d)
	}
}

// quotation returns where the words of others begin in a text: lines that start with >, the
// head of an earlier mail, or a heading such as "Comments".
func (x *Index) quotation(text string) int {
	at := 0
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		if strings.HasPrefix(bare, ">") || at > 0 && strings.HasPrefix(bare, "From:") || x.othersHead(bare) {
			return at
		}
		at += len(line)
	}
	return len(text)
}

// othersHead reports whether a line is a heading under which others write.
func (x *Index) othersHead(line string) bool {
	bare := strings.Trim(line, "#*=_-: ")
	if bare == line || bare == "" || len(bare) > 40 {
		return false
	}
	return slices.ContainsFunc(words.Keys(words.Loose(bare)), func(w string) bool { return x.lex.words.Others[w] })
}
