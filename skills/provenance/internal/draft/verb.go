package draft

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
)

// verb finds the verb in a name, or else the first in the description, and whether it
// only reads. A leading noun is skipped: mail_list lists.
func (d *drafter) verb(params bool) (verb string, read, known bool) {
	l, toks := d.l, d.toks
	if n := len(toks); n > 1 {
		first, last := toks[0], toks[n-1]
		switch {
		case d.does(first) != 0 && in(toks[1], "read unread seen"):
			return first, false, true // mark_read
		case d.looksUp() && d.deeds(false) == 0 &&
			(in(last, "history preview") || in(last, "report reports") && d.does(first) == 0):
			return last, true, true
		}
	}
	if len(toks) > 1 && (l.NounFirst[toks[0]] || l.ToolNouns[toks[0]] || d.takes(toks[0])) && !l.VerbFirst[toks[0]] {
		for _, w := range toks[1:] {
			if d.looks(w) || d.does(w) != 0 && !l.NounFirst[w] && !d.noun(w) {
				return w, d.looks(w), true
			}
		}
		if last := toks[len(toks)-1]; l.ReadNouns[last] && !d.sets(last) && !d.addresses() {
			return last, true, true
		}
		if l.Ambiguous[toks[0]] && d.shows() {
			return "", false, false // file_text "Text of a file"
		}
	}
	if verb := d.last(); verb != "" {
		return verb, false, true
	}
	if len(toks) > 1 && l.NounFirst[toks[0]] && d.looks(toks[0]) && len(d.doc) > 0 &&
		d.does(d.doc[0]) != 0 && !d.looks(d.doc[0]) {
		return d.doc[0], false, true // review_post: "publish a review"
	}
	for i, w := range toks {
		if i == 0 && d.does(w) == 0 &&
			slices.ContainsFunc(toks[1:min(3, len(toks))], func(x string) bool { return d.looks(x) }) {
			continue
		}
		switch {
		case (i == 1 || i == 2) && d.looks(w) && d.does(toks[0]) == 0:
			return w, true, true
		case d.looks(w) && (i == 0 || l.Prefixes[toks[i-1]]):
			if verb := d.retold(); i == 0 && verb != "" {
				return verb, false, true
			}
			return w, true, true
		case d.does(w) != 0 && (i == 0 || i <= 2 && !d.looks(toks[0])) && !(i > 0 && d.noun(w)) &&
			!slices.Contains(d.space, w):
			return w, false, true
		}
	}
	if n := len(toks); n > 0 && l.ReadNouns[toks[n-1]] {
		return toks[n-1], true, !d.sets(toks[n-1]) && !d.addresses()
	}
	if d.shows() {
		return "", false, false
	}
	for _, w := range d.doc[:min(12, len(d.doc))] {
		for _, b := range forms(w) {
			switch {
			case d.looks(b) || w == "returns": // a description does not make a read
				return "", false, false
			case d.does(b) != 0:
				return b, false, true
			}
		}
	}
	if len(d.space) > 0 && d.does(toks[0]) != 0 {
		return toks[0], false, true // mail.customer
	}
	if len(toks) >= 2 && params {
		return toks[0], false, false // an unknown verb: an effect of its own kind
	}
	return "", false, false
}

// retold returns the verb of an effect behind the first word of the name that the description has as a verb, too,
// where that first word may be a thing: report_release "Signs and releases the report", estimate_change "Applies to
// change it". It is "" if there is none.
func (d *drafter) retold() string {
	if in(d.toks[0], "get list find fetch search show read view") {
		return ""
	}
	for _, v := range d.toks[1:] {
		if d.does(v) != 0 && !d.looks(v) {
			for i, w := range d.doc {
				of := i+1 < len(d.doc) && d.doc[i+1] == "of"
				if slices.Contains(forms(w), v) && !of && (i == 0 || in(d.doc[i-1], "to and then")) {
					return v
				}
			}
		}
	}
	return ""
}

// takes reports whether a word of the name is a parameter, or stands before a dot, and so is a thing: shift_assign
// takes a shift.
func (d *drafter) takes(word string) bool {
	return slices.Contains(d.space, word) || slices.ContainsFunc(d.params, func(p Param) bool {
		return slices.Contains(lexicon.Split(p.Name), word)
	})
}

// noun reports whether a word of the name is a thing that one gets, and no verb: attachment_text "Text
// of an attachment".
func (d *drafter) noun(w string) bool {
	return d.l.ToolNouns[w] || d.l.Ambiguous[w] && d.does(w)&^(lexicon.Comm|lexicon.Create) == 0 && d.shows()
}

// sets reports whether a tool takes what its name ends with, and what that is of: it sets it.
func (d *drafter) sets(noun string) bool {
	return len(d.params) > 1 && slices.ContainsFunc(d.params, func(p Param) bool {
		return strings.EqualFold(p.Name, noun)
	})
}

// last returns the verb of an effect that stands last in a name, behind words that are not verbs there:
// standing_order_end, list_export. It is "" if there is none.
func (d *drafter) last() string {
	l, n := d.l, len(d.toks)
	if n < 2 || l.Prefixes[d.toks[0]] || l.VerbFirst[d.toks[0]] {
		return ""
	}
	first, verb := d.toks[0], d.toks[n-1]
	noun := l.NounFirst[first] || d.takes(first) || d.does(first) == 0 && !d.looks(first) ||
		d.looks(first) && l.Ambiguous[first]
	if !noun || d.does(verb) == 0 || l.Ambiguous[verb] || d.looks(verb) {
		return ""
	}
	return verb
}

// orders reports whether a word before the dot of a name is its verb, and no thing: delete.message.
func (d *drafter) orders(w string) bool {
	return d.l.Does(w, false) != 0 && !d.l.NounFirst[w] && !d.l.ToolNouns[w] && !d.l.Ambiguous[w]
}

// changes reports whether a word of the name is a verb that has an effect, and reads nothing.
func (d *drafter) changes(w string) bool {
	return d.does(w) != 0 && !d.looks(w) && !slices.Contains(d.space, w) && !d.noun(w)
}
