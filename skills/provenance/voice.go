package provenance

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/said"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// voice is words of the user that point at sources.
type voice struct {
	heard *said.Words
	seen  map[int32]pointing // by source; what was found out so far
	hints bool               // a part of a name or a heading is enough, where just one record has it
	guess bool               // that they point was guessed: they mean no whole list of what people elsewhere write
}

// pointing says what in a source some words point at.
type pointing struct {
	whole   bool           // at the source: by its argument, its noun, or as a page of the site
	records map[int32]bool // at records that hold something said
}

// at reports whether a field is pointed at. Where some records of a result are, the
// others are not meant.
func (p *pointing) at(f *field) bool {
	if p.records[f.record] {
		return true
	}
	if !p.whole {
		return false
	}
	for r := range p.records {
		if r != 0 && r != f.record && f.record != 0 {
			return false
		}
	}
	return true
}

// some reports whether anything in the source is pointed at.
func (p *pointing) some() bool { return p.whole || len(p.records) > 0 }

// points returns what a voice points at in a source.
func (x *Index) points(v *voice, n int32) pointing {
	if p, ok := v.seen[n]; ok {
		return p
	}
	v.seen[n] = pointing{} // a page that links to itself
	s := &x.sources[n]
	p := pointing{records: map[int32]bool{}}
	for i := s.first; i < s.end; i++ {
		f := &x.fields[i]
		if !p.records[f.record] && fields.Tells(f.kind, f.text) && v.heard.Says(f.text) &&
			!(v.guess && x.lex.words.Plain(f.text)) {
			p.records[f.record] = true
		}
	}
	p.whole = s.message && (v == x.pointers || v.heard == x.user) || x.argument(v, s) || x.linked(v, n) ||
		v.hints && (x.retold(v, s) || x.described(v, n) || x.followed(v, n) || x.called(v, n))
	p.whole = p.whole && (!v.guess || s.message || !x.outside(s) || x.apart(v, s))
	if v.hints && len(p.records) == 0 && !p.whole {
		x.hinted(v, s, p.records)
	}
	v.seen[n] = p
	return p
}

// argument reports whether the call that gave a source had an argument that was said, or had none
// and is of a noun that was. Where it cannot be told what the user asks for, all arguments of what may
// be an effect have to be: each call on one order has its number.
func (x *Index) argument(v *voice, s *source) bool {
	texts, said := 0, 0
	for _, a := range s.args {
		if len(a) < 3 && !strings.ContainsAny(a, "0123456789") || len(a) < 2 {
			continue
		}
		texts++
		if v.heard.Says(a) || v.heard.Base(a) {
			said++
		}
	}
	if said > 0 && (said == texts || s.tool == nil || s.tool.Read || !x.unread()) {
		return true
	}
	if texts > 0 || s.tool == nil || !s.tool.Read || len(s.tool.Nouns) == 0 {
		return false
	}
	for _, n := range s.tool.Nouns {
		st := x.lex.words.Stem(n)
		if !v.heard.Stems[st] && v.heard.Groups&x.lex.words.Groups[st] == 0 {
			return false
		}
	}
	return true
}

// linked reports whether a source is a page that a page of the same site links to which
// the voice points at.
func (x *Index) linked(v *voice, n int32) bool {
	for _, a := range x.sources[n].args {
		if words.ShapeOf(a) != words.URL {
			continue
		}
		keys, host := words.Keys(words.Loose(a)), words.HostOf(a)
		for i := range x.text {
			hits, _ := x.find(&x.text[i], keys, x.lim.Hits)
			for _, h := range hits {
				from := x.fields[h.field].source
				if from >= n || !x.fetched(from, host) {
					continue
				}
				if p := x.points(v, from); p.whole {
					return true
				}
			}
		}
	}
	return false
}

// fetched reports whether a source is a page of a host.
func (x *Index) fetched(n int32, host string) bool {
	return slices.ContainsFunc(x.sources[n].args, func(a string) bool {
		return words.ShapeOf(a) == words.URL && words.HostOf(a) == host
	})
}

// apart reports whether a call read one message or page, or those that an argument of the voice's tells from others.
func (x *Index) apart(v *voice, s *source) bool {
	return !s.found && slices.ContainsFunc(s.args, func(a string) bool {
		return !x.several(s) || v.heard.Says(a) && !x.lex.words.Plain(a)
	})
}
