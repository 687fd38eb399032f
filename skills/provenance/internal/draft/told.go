package draft

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
)

// What a name leaves open, its description says: people write "Plan a visit" about visit_plan.
// What either of them leaves in doubt is taken for the stronger effect.

// told finds the word of the name that the description begins with, which is its verb; "" if there
// is none. A verb that reads as well as makes, such as "open", makes where the tool is given what
// to put there.
func (d *drafter) told() (verb string, read, known bool) {
	if len(d.toks) < 2 || len(d.doc) < 2 || d.doc[1] == "of" {
		return "", false, false
	}
	for _, w := range forms(d.doc[0]) {
		if !slices.Contains(d.toks, w) {
			continue
		}
		makes, reads := d.l.Verbs[w] != 0, d.l.Reads[w]
		if !makes && !reads && !d.l.Determiners[d.doc[1]] {
			break // "Unit with its keys"
		}
		return w, reads && !(makes && d.given()), makes || reads
	}
	return "", false, false
}

// forms are what a verb in a description may be in a name: "lists" is "list".
func forms(w string) []string {
	return []string{w, strings.TrimSuffix(w, "s"), strings.TrimSuffix(w, "es")}
}

// given reports whether the tool takes more than what it is about: a text, a time, an amount or
// somebody.
func (d *drafter) given() bool {
	return len(d.params) > 1 && slices.ContainsFunc(d.params, func(p Param) bool {
		switch role(d.l, p) {
		case lexicon.Content, lexicon.Time, lexicon.Amount, lexicon.Principal:
			return true
		case lexicon.NoRole, lexicon.Net, lexicon.Secret, lexicon.Permission, lexicon.Code, lexicon.ID, lexicon.Object,
			lexicon.Flag:
		}
		return false
	})
}

// deeds are the classes of the effects that a description names where verbs stand in one: at its
// start, and behind "and" and "then". "Make a list of readers and send it" has an effect.
// The first of them does not count where the name has a verb of an effect. Whether they pay or grant
// is for the nouns to say.
func (d *drafter) deeds(named bool) lexicon.Class {
	var out lexicon.Class
	for k := range d.l.Idioms {
		if n := d.l.Idioms[k].At(d.doc); d.l.Idioms[k].Class == lexicon.Delete && n > 0 && n <= 3 {
			out |= lexicon.Delete // "Give up a berth"
		}
	}
	for i, w := range d.doc {
		first := i == 0 && !named
		if !first && (i == 0 || d.doc[i-1] != "and" && d.doc[i-1] != "then") || i+1 < len(d.doc) && d.doc[i+1] == "of" {
			continue
		}
		for _, v := range forms(w) {
			if d.l.Reads[v] || d.l.Ambiguous[v] {
				break
			}
			out |= d.l.Verbs[v] &^ (lexicon.Pay | lexicon.Grant)
		}
	}
	return out
}

// shows reports whether a description only tells what there is to see: it begins with a verb that
// reads, or with a word of the name and "of", speaks of what the name does, and neither has an effect.
func (d *drafter) shows() bool {
	if len(d.doc) < 2 {
		return false
	}
	reads := slices.ContainsFunc(forms(d.doc[0]), func(w string) bool {
		return d.l.Reads[w] && !(d.l.Verbs[w] != 0 && d.given())
	})
	for i := 0; i+1 < min(3, len(d.doc)); i++ {
		reads = reads || d.doc[i+1] == "of" && slices.Contains(d.toks, d.doc[i])
	}
	if slices.ContainsFunc(d.params, func(p Param) bool { return d.l.Receivers[strings.ToLower(p.Name)] }) {
		return false // it shows something to somebody
	}
	acts := func(w string) bool {
		return slices.ContainsFunc(forms(w), func(v string) bool {
			return d.l.Verbs[v] != 0 && !d.l.Reads[v] && !d.l.Ambiguous[v]
		})
	}
	named := func(w string) bool { return slices.Contains(d.doc, w) || slices.Contains(d.doc, w+"s") }
	return reads && slices.ContainsFunc(d.toks, named) && d.deeds(false) == 0 && !slices.ContainsFunc(d.toks, acts)
}
