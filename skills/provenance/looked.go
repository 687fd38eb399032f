package provenance

import (
	"slices"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// Vouched reports whether a value is delegated, or what the agent looked up in the user's own
// lists to do what it was told: a field of a record in the result of a read, whose arguments, or
// the record, hold a word of the user's or of a text that the user handed the task to.
//
// A field is a whole one, or stands in a line of short parts and no sentence: a sentence can
// order something, a field can only say what is. What people elsewhere write, such as mails
// and pages, holds no such records, nor do the words of others below a text; and where a line
// has two addresses, neither is looked up.
func (w *View) Vouched(v any) (bool, Where, error) {
	if ok, at, err := w.Delegated(v); ok || err != nil {
		return ok, at, err
	}
	return w.every(v, func(val *value) (bool, Where, error) { return w.lookedUp(val, maxChain) })
}

// maxChain is how many look-ups may stand behind each other: an id leads to a card, whose
// number leads to a bill.
const maxChain = 3

func (w *View) lookedUp(v *value, depth int) (bool, Where, error) {
	x := w.x
	if !x.talk.heard || v.empty && v.role != ID || len(v.loose) == 0 {
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

// entry reports whether a field holds a value as a field of a record, and returns the line
// around it.
func (w *View) entry(f *field, offset int, v *value) (string, bool) {
	x := w.x
	if offset >= int(f.quoted) && int(f.quoted) < len(f.text) || f.key.text && f.kind != fields.Text ||
		x.sources[f.source].nested[f.record] {
		return "", false
	}
	to := min(offset+len(v.text), len(f.text))
	if offset == 0 && words.Normal(f.text) == v.normal() {
		return f.text, true
	}
	line, ok := fields.Cell(f.text, offset, to, func(word string) bool { return x.lex.words.Common[word] })
	if !ok {
		return "", false
	}
	switch v.shape {
	case words.Email, words.URL, words.Host, words.Account, words.Phone:
		same := 0
		for _, a := range words.Atoms(line) {
			if a.Shape == v.shape {
				same++
			}
		}
		return line, same < 2
	case words.Other, words.Word1, words.Numeric, words.Day, words.Path:
	}
	return line, true
}

// looks reports whether a source is a look-up in lists of the user's that the task calls for.
func (w *View) looks(n int32, line string, depth int) bool {
	x, s := w.x, &w.x.sources[n]
	if s.tool == nil || !s.tool.Read || s.floor > Prose || s.many || x.outside(s) || depth == 0 {
		return false
	}
	tied := slices.ContainsFunc(s.tool.Nouns, w.spoken) || slices.ContainsFunc(words.Keys(words.Loose(line)), w.spoken)
	for _, a := range s.args {
		val := x.newValue(a, Object)
		if o, _, err := w.origin(val, 1); err != nil || o == 0 || o > Prose {
			return false
		} else if o == Prose {
			handed, _, err := w.held(val, w.delegatedField)
			if err == nil && !handed {
				handed, _, err = w.lookedUp(val, depth-1)
			}
			if err != nil || !handed {
				return false
			}
			tied = true
		}
		tied = tied || slices.ContainsFunc(val.loose, w.spoken)
	}
	return tied
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

// spoken reports whether the user said a word that tells one thing from others, or a text that
// the task was handed to has it.
func (w *View) spoken(word string) bool {
	x := w.x
	if !x.tells(word) {
		return false
	}
	if found, _ := x.user.loose.Has([]string{word}); found || x.user.stems[x.lex.words.Stem(word)] {
		return true
	}
	yes, _, _ := w.held(x.newValue(word, Object), w.delegatedField)
	return yes
}
