package provenance

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// hinted notes the one record of a source that words hint at: it holds more of them, in a
// short field, than every other record does. Two words are needed, or a name in an address.
func (x *Index) hinted(v *voice, s *source, records map[int32]bool) {
	best, most, tied, record, score := int32(0), 1, false, int32(0), 0
	for i := s.first; i <= s.end; i++ {
		if i == s.end || x.fields[i].record != record {
			switch {
			case record != 0 && score > most:
				best, most, tied = record, score, false
			case record != 0 && score == most:
				tied = true
			}
			if i == s.end {
				break
			}
			record, score = x.fields[i].record, 0
		}
		if f := &x.fields[i]; f.kind == fields.Value {
			score += x.hints1(v, f.text)
		}
	}
	if best != 0 && !tied {
		records[best] = true
	}
}

// hints1 counts the words of a short text that a voice has; a name in an address is two.
func (x *Index) hints1(v *voice, text string) int {
	if len(text) > 120 {
		return 0
	}
	if words.ShapeOf(text) == words.Email {
		if x.nameSaid(v, text) {
			return 2
		}
		return 0
	}
	n := 0
	for _, w := range words.Keys(words.Loose(text)) {
		if x.tells(w) && v.heard.Stems[x.lex.words.Stem(w)] {
			n++
		}
	}
	return n
}

// retold reports whether each word of an argument, such as the name of an article, is one
// of the voice's by its stem.
func (x *Index) retold(v *voice, s *source) bool {
	if x.several(s) {
		return false // the words choose nothing of a list
	}
	for _, a := range s.args {
		keys := words.Keys(words.Loose(a))
		if slices.ContainsFunc(keys, x.tells) && !slices.ContainsFunc(keys, func(w string) bool {
			return !v.heard.Stems[x.lex.words.Stem(w)]
		}) {
			return true
		}
	}
	return false
}

// several reports whether a source is a list of records without a text about all of them.
func (x *Index) several(s *source) (list bool) {
	for i := s.first; i < s.end; i++ {
		if f := &x.fields[i]; f.record == 0 && f.kind == fields.Text {
			return false
		}
		list = list || x.fields[i].record > 1
	}
	return list
}

// described reports whether a voice names the kind of thing that was read, and a word or number
// of what it was looked up by: "tickets with the label quick", "circular 11" for 11/26.
func (x *Index) described(v *voice, n int32) bool {
	return x.kindSaid(v, n) && slices.ContainsFunc(x.sources[n].args, func(a string) bool {
		return slices.ContainsFunc(words.Keys(words.Loose(a)), func(w string) bool {
			found, _ := v.heard.Loose.Has([]string{w})
			return found && (x.tells(w) || strings.ContainsAny(w, "0123456789"))
		})
	})
}

// tells reports whether a word tells one heading from others.
func (x *Index) tells(word string) bool {
	return len(word) > 3 && !x.lex.words.Common[word] && !x.lex.words.Stops[word]
}

// nameSaid reports whether words hold a name of an address: "Petra" of petra.holm@club.example.
func (x *Index) nameSaid(v *voice, address string) bool {
	return slices.ContainsFunc(words.NamesIn(address), func(n string) bool {
		found, _ := v.heard.Loose.Has([]string{n})
		return found && x.tells(n)
	})
}

// followed reports whether the call that gave a source took an argument, such as the id of
// a mail, from a record that a voice points at; or from the text of one, if the voice names
// the kind of thing that was read: "follow the article, too".
func (x *Index) followed(v *voice, n int32) bool {
	for _, a := range x.sources[n].args {
		for i, at := range x.same(digestOf(words.Normal(a))) {
			f := &x.fields[at]
			if i == x.lim.Hits || f.source >= n {
				break
			}
			if p := x.points(v, f.source); f.record != 0 && (p.at(f) || x.kindSaid(v, n) && x.listed(v, f)) {
				return true
			}
		}
		if x.kindSaid(v, n) && x.mentioned(v, n, a) {
			return true
		}
	}
	return x.turns(n) && x.turned(v, n)
}

// listed reports whether a record of a list of what was said has a word that was said, too.
func (x *Index) listed(v *voice, f *field) bool {
	s := &x.sources[f.source]
	return x.kindSaid(v, f.source) && !x.outside(s) && slices.ContainsFunc(x.fields[s.first:s.end], func(g field) bool {
		return g.record == f.record && x.hints1(v, g.text) > 0
	})
}

// turns reports whether a source is what a click on a page showed.
func (x *Index) turns(n int32) bool {
	t := x.sources[n].tool
	return t != nil && t.Read && x.lex.words.Turns[t.Verb]
}

// turned reports whether a voice points at the newest source that shows what was clicked on,
// and its author wrote that there.
func (x *Index) turned(v *voice, n int32) bool {
	on, own := (*field)(nil), false
	for _, a := range x.sources[n].args {
		for lv := range x.text {
			hits, all := x.find(&x.text[lv], words.Keys(words.Loose(a)), x.lim.Hits)
			for _, h := range hits {
				if f := &x.fields[h.field]; f.source < n && (on == nil || f.source >= on.source) {
					on, own = f, h.offset < int(f.quoted) && !x.sources[f.source].nested[f.record]
				}
			}
			if !all {
				return false
			}
		}
	}
	if !own {
		return false
	}
	p := x.points(v, on.source)
	return p.at(on)
}

// kindSaid reports whether a voice names the kind of thing that the tool of a source reads, in its own language.
func (x *Index) kindSaid(v *voice, n int32) bool {
	t := x.sources[n].tool
	return t != nil && t.Read && slices.ContainsFunc(t.Nouns, func(w string) bool {
		return v.heard.Stems[x.lex.words.Stem(w)] || v.heard.Texts&x.lex.words.Texts(w) != 0
	})
}

// mentioned reports whether an argument stands in the text of an earlier source that a
// voice points at, or in a line of a list that has a name of the voice's.
func (x *Index) mentioned(v *voice, n int32, arg string) bool {
	keys := words.Keys(words.Loose(arg))
	for lv := range x.text {
		hits, _ := x.find(&x.text[lv], keys, x.lim.Hits)
		for _, h := range hits {
			f := &x.fields[h.field]
			if f.source >= n || h.offset >= int(f.quoted) || len(arg) < 3 || x.sources[f.source].nested[f.record] {
				continue
			}
			if row, ok := x.row(f, h.offset, arg); ok && lv == 0 && !x.outside(&x.sources[f.source]) &&
				(x.tellsOf(v, row) || x.kindSaid(v, f.source) && x.hints1(v, row) > 0) {
				return true // its line has a name that was said, or a word in a list of what was said
			}
			if p := x.points(v, f.source); len(arg) > 3 && p.at(f) {
				return true
			}
		}
	}
	return false
}

// row returns the line of a list that has a value as a field of a record.
func (x *Index) row(f *field, offset int, value string) (string, bool) {
	to := min(offset+len(value), len(f.text))
	return fields.Cell(f.text, offset, to, func(word string) bool {
		return x.lex.words.Common[word] || x.lex.words.Stops[word]
	})
}

// tellsOf reports whether a voice has a word of a line that is none of the language.
func (x *Index) tellsOf(v *voice, line string) bool {
	return slices.ContainsFunc(words.Keys(words.Loose(line)), func(w string) bool {
		found, _ := v.heard.Loose.Has([]string{w})
		return found && x.tells(w) && !x.lex.words.Known(w)
	})
}

// pointsAnywhere reports whether a voice points at any source that was read.
func (x *Index) pointsAnywhere(v *voice) bool {
	for n := range x.sources {
		if p := x.points(v, int32(n)); p.whole || len(p.records) > 0 {
			return true
		}
	}
	return false
}
