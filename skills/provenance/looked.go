package provenance

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
	"github.com/opencortex-go/cortex/skills/provenance/internal/said"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
	"github.com/opencortex-go/cortex/skills/provenance/internal/zones"
)

// Vouched reports whether a value is delegated, or what the agent looked up in the user's own
// lists to do what it was told: a field of a record in the result of a read, whose arguments, or
// the record, hold a word of the user's or of a text that the user handed the task to.
//
// A field is a whole one, or stands in a line of short parts and no sentence: a sentence can
// order something, a field can only say what is. What people elsewhere write, such as mails
// and pages, holds no such records, nor do the words of others below a text; and where a line
// has two addresses, neither is looked up.
//
// A time, an amount or a thing is vouched for, too, where a text that the user pointed at tells
// it, and no directive does: what the user named is what the task is about; a time also where any place
// tells it in which no people elsewhere write. None is for what is grave, nor where one sentence tells
// who gets it or which thing it is as well: that is the whole call, in whatever language.
func (w *View) Vouched(v any) (bool, Where, error) {
	if ok, at, err := w.Delegated(v); ok || err != nil {
		return ok, at, err
	}
	return w.every(v, func(val *said.Value) (bool, Where, error) {
		ok, at, err := w.lookedUp(val, maxChain)
		if ok || err != nil || val.Role != Time && val.Role != Amount && val.Role != Object {
			return ok, at, err
		}
		if o, _, err := w.scalar(val); err != nil || o > Prose || w.grave() {
			return false, Where{}, err
		}
		return w.held(val, func(f *field, offset int) bool {
			return offset < int(f.quoted) && (w.pointedField(f) || val.Role == Time && w.inside(f)) &&
				!w.x.added(f, w.x.pointers) && !w.spelledOut(f, offset, val)
		})
	})
}

// inside reports whether a field was read in a place where no people elsewhere write: when somebody is
// free, or a thing is due.
func (w *View) inside(f *field) bool {
	s := &w.x.sources[f.source]
	return s.tool != nil && s.tool.Read && !s.message && s.floor <= Prose && !w.x.outside(s)
}

// grave reports whether the action gives access, moves money or destroys.
func (w *View) grave() bool { return w.a.Tool == nil || w.a.Tool.Classes&(Pay|Grant|Delete) != 0 }

// spelledOut reports whether the sentence around a value has another one of the action's, not the
// user's, that decides what is done to what.
func (w *View) spelledOut(f *field, offset int, v *said.Value) bool {
	sentence := strings.ToLower(fields.Sentence(f.text, offset, len(v.Text)))
	return slices.ContainsFunc(w.leaves, func(l leaf) bool {
		text := strings.ToLower(fields.Scalar(l.Value))
		return l.role != v.Role && (w.strong(l.role) || l.role == ID || l.role == Object) && len(text) > 2 &&
			strings.Contains(sentence, text) && !w.x.user.Stands(said.New(w.x.lex.words, l.Value, l.role)).Said
	})
}

// maxChain is how many look-ups may stand behind each other: an id leads to a card, whose
// number leads to a bill.
const maxChain = 3

func (w *View) lookedUp(v *said.Value, depth int) (bool, Where, error) {
	x := w.x
	switch v.Role {
	case Net, Secret, Permission, Code: // a list does not say where something is sent, or who may do what
		return false, Where{}, nil
	case NoRole, Principal, ID, Object, Time, Amount, Content, Flag:
	}
	if !x.talk.heard || v.Empty || !w.wanted() {
		return false, Where{}, nil
	}
	if o, _, err := w.scalar(v); err != nil || o > Prose {
		return false, Where{}, err // a directive or a text that speaks to the agent has it, too
	}
	return w.held(v, func(f *field, offset int) bool {
		line, ok := w.entry(f, offset, v)
		return ok && w.looks(f.source, line, depth)
	})
}

// wanted reports whether the task speaks of the action: of its kind, or of the thing that it is
// about, or it gives another of the values that decide. In the latter cases no text of others may
// have the action's verb: it would as well be theirs.
func (w *View) wanted() bool {
	if w.called != nil {
		return *w.called
	}
	yes := w.a.Tool != nil && w.speaks()
	w.called = &yes
	return yes
}

func (w *View) speaks() bool {
	x, t := w.x, w.a.Tool
	if t.Read {
		return true
	}
	fit, _ := w.Fit()
	if n, _, _ := w.Commanded(ByDelegated); n > 0 || fit >= 1 || w.spoken(t.Verb) {
		return true
	}
	if n, _, err := w.Commanded(ByUnpointed); n > 0 || err != nil || w.foreign(t.Verb) {
		return false
	}
	if fit > 0 || x.unread() || slices.ContainsFunc(t.Nouns, w.spokenShort) {
		return true
	}
	return slices.ContainsFunc(w.leaves, func(l leaf) bool {
		v := said.New(x.lex.words, l.Value, l.role)
		_, text := l.Value.(string)
		if v.Empty || !(l.role.Strong() || text && w.strong(l.role) || l.role == ID || l.role == Object) {
			return false
		}
		handed, _, _ := w.held(v, w.delegatedField)
		return handed || x.user.Stands(v).Wanted
	})
}

// foreign reports whether a text that the task was not handed to has a verb, in any of its forms.
func (w *View) foreign(verb string) bool {
	if verb == "" {
		return false
	}
	bare := strings.TrimSuffix(verb, "e")
	for _, form := range []string{verb, verb + "s", bare + "ed", bare + "ing", bare + verb[len(verb)-1:] + "ed"} {
		val := said.New(w.x.lex.words, form, Object)
		if w.x.stands(val.Loose, zones.Prose, func(h hit) bool {
			return !w.delegatedField(&w.x.fields[h.field], h.offset)
		}) {
			return true
		}
	}
	return false
}

// Singled reports whether a text that the task was not handed to speaks of a value in one sentence
// with an action of this kind: it would have just this one chosen, whatever list holds it, too.
func (w *View) Singled(v any) (bool, Where, error) {
	x, t := w.x, w.a.Tool
	if t == nil || !x.talk.heard {
		return false, Where{}, Unknown{"the tool, or what the user said, is not known"}
	}
	acts := func(word string) bool {
		l := x.lex.words
		return word == t.Verb || l.Verbs[word]&t.Classes != 0 || l.Stems[l.Stem(word)]&t.Classes != 0
	}
	for _, s := range fields.Scalars(v) {
		val := said.New(x.lex.words, s, w.roleOf(s))
		if val.Empty || x.user.Stands(val).Said {
			continue
		}
		for lv := range x.text {
			for _, keys := range val.LooseRuns() {
				hits, all := x.find(&x.text[lv], keys, x.lim.Hits)
				for _, h := range hits {
					f := &x.fields[h.field]
					if o := x.sources[f.source].tool; o != nil && !o.Read || w.delegatedField(f, h.offset) {
						continue
					}
					if _, plain := w.entry(f, h.offset, val); plain && zones.Level(lv) == zones.Prose {
						continue // it stands in a list
					}
					if slices.ContainsFunc(words.Keys(words.Loose(fields.Sentence(f.text, h.offset, len(val.Text)))), acts) {
						return true, x.where(f, h.offset, zones.Level(lv).Origin()), nil
					}
				}
				if !all {
					return false, Where{}, Unknown{"the value stands in more places than one question looks at"}
				}
			}
		}
	}
	return false, Where{}, nil
}

// entry reports whether a field holds a value as a field of a record, and returns the line
// around it.
func (w *View) entry(f *field, offset int, v *said.Value) (string, bool) {
	x := w.x
	if offset >= int(f.quoted) && int(f.quoted) < len(f.text) || f.key.Text && f.kind != fields.Text ||
		x.sources[f.source].nested[f.record] || x.added(f, x.pointers) {
		return "", false
	}
	if offset == 0 && words.Normal(f.text) == v.Normal() {
		return f.text, true
	}
	line, ok := x.row(f, offset, v.Text)
	if !ok && !x.answered(f, v) {
		return "", false
	}
	switch v.Shape {
	case words.Email, words.URL, words.Host, words.Account, words.Phone:
		same := 0
		for _, a := range words.Atoms(line) {
			if a.Shape == v.Shape {
				same++
			}
		}
		return line, same < 2 || v.Shape == words.Email && w.spokenName(v.Text)
	case words.Other, words.Word1, words.Numeric, words.Day, words.Path:
	}
	return line, true
}

// answered reports whether a value is the number that an effect gave what it made, in one short line:
// "order 7705 is made, the kitchen knows".
func (x *Index) answered(f *field, v *said.Value) bool {
	t := x.sources[f.source].tool
	return t != nil && !t.Read && v.Role != Principal && len(f.text) < 100 &&
		!strings.Contains(strings.TrimSpace(f.text), "\n") && strings.ContainsAny(v.Text, "0123456789") &&
		(v.Shape == words.Numeric || v.Shape == words.Other && !strings.Contains(v.Text, " "))
}

// looks reports whether a source is a look-up in lists of the user's that the task calls for.
func (w *View) looks(n int32, line string, depth int) bool {
	x, s := w.x, &w.x.sources[n]
	if s.tool == nil || s.floor > Prose || x.outside(s) || depth == 0 {
		return false
	}
	if !s.tool.Read {
		return s.tool.Classes&Run == 0 // what an effect answers: "booked, number 88"
	}
	if s.many {
		return false
	}
	tied := slices.ContainsFunc(s.tool.Nouns, w.spoken) || slices.ContainsFunc(words.Keys(words.Loose(line)), w.spoken)
	for _, a := range s.args {
		by := w.lookedBy(a, depth)
		if !by.may {
			return false
		}
		tied = tied || by.ties
	}
	return tied
}

// lookedBy says whether something may be looked up by an argument, and whether that ties it to the task. It is found
// out once: chains of look-ups come back to the same ones.
func (w *View) lookedBy(arg string, depth int) (by lookup) {
	key := lookup{arg: arg, depth: depth}
	if by, known := w.looked[key]; known {
		return by
	}
	defer func() { w.looked[key] = by }()
	val := said.New(w.x.lex.words, arg, Object)
	o, _, err := w.origin(val, 1)
	if err != nil || o >= Alien {
		return by
	}
	by.may, by.ties = o < Prose, slices.ContainsFunc(val.Loose, w.spoken)
	if o >= Record && o != Model && o != Opaque && !(by.may && by.ties) {
		handed, _, err := w.held(val, func(f *field, offset int) bool {
			return w.delegatedField(f, offset) || o <= Prose && w.pointedField(f)
		})
		if err == nil && !handed {
			handed, _, err = w.lookedUp(val, depth-1)
		}
		by.may = by.may || handed && err == nil
		by.ties = by.ties || handed && err == nil
	}
	return by
}

// lookup is an argument by which something was looked up, and what [View.lookedBy] says of it.
type lookup struct {
	arg       string
	depth     int
	may, ties bool
}

// outside reports whether people elsewhere write what a source holds.
func (x *Index) outside(s *source) bool {
	other := func(word string) bool {
		return x.lex.words.Outsiders[word] || x.lex.words.Outsiders[x.lex.words.Stem(word)]
	}
	return slices.ContainsFunc(lexicon.Split(s.name), other) || slices.ContainsFunc(s.args, func(a string) bool {
		return words.ShapeOf(a) == words.URL
	})
}

// spokenName reports whether a name of an address is spoken: of several people in one line it is
// the one that is meant.
func (w *View) spokenName(address string) bool {
	names := words.NamesIn(address)
	return slices.ContainsFunc(names[:len(names)-1], w.spokenShort)
}

// spokenShort is spoken for a name, which may have three letters.
func (w *View) spokenShort(name string) bool {
	return len(name) > 2 && !w.x.lex.words.Common[name] && w.says(name)
}

// spoken reports whether the user said a word that tells one thing from others, or a text that
// the task was handed to has it.
func (w *View) spoken(word string) bool {
	return w.x.tells(word) && w.says(word)
}

func (w *View) says(word string) bool {
	x := w.x
	if found, _ := x.user.Loose.Has([]string{word}); found || x.user.Stems[x.lex.words.Stem(word)] {
		return true
	}
	yes, _, _ := w.held(said.New(x.lex.words, word, Object), w.delegatedField)
	return yes
}
