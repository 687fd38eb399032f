package draft

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
)

// narrow fits the classes of a verb to the nouns of the tool: it leaves out those that the
// nouns speak against, and adds paying and granting where they speak for it.
func (d *drafter) narrow(verb string, c lexicon.Class, nouns []string) lexicon.Class {
	people := d.any(nouns, d.l.People)
	money := d.any(nouns, d.l.Money) || !people && d.speaksOfMoney()
	switch {
	case !money && in(verb, "send transfer move give return order schedule update make create put fund top raise push "+
		"subscribe"):
		c &^= lexicon.Pay
	case money:
		c |= lexicon.Pay
	}
	if c&lexicon.Pay != 0 && in(verb, "send post write submit publish") {
		c &^= lexicon.Comm
	}
	if verb == "write" && slices.ContainsFunc(nouns, func(w string) bool {
		return in(w, "file files document disk drive notebook path folder directory sheet cell row table")
	}) {
		c &^= lexicon.Comm // a file is told nothing
	}
	c = d.grants(verb, c, people || d.any(nouns, d.l.Rights))
	if verb == "share" {
		c &^= lexicon.Comm
	}
	if in(verb, "book reserve") {
		c &^= lexicon.Create // it commits the user, so a wish to add something is none for it
	}
	if verb == "close" && d.any(nouns, d.l.Cases) {
		return lexicon.Update
	}
	if in(verb, "stop pause") {
		return c&^lexicon.Delete | lexicon.Update // it may be started again
	}
	if verb == "sign" && len(d.doc) > 1 && d.doc[1] == "up" {
		return lexicon.Book // for a course or a turn
	}
	if in(verb, "buy purchase") {
		return lexicon.Pay | lexicon.Book // a ticket is booked by buying it
	}
	if c&lexicon.Pay != 0 && in(verb, "transfer pay send wire refund donate deposit withdraw move") {
		return lexicon.Pay
	}
	if d.keeps() && c&lexicon.Delete != 0 {
		return c&^lexicon.Delete | lexicon.Update
	}
	if !people && c&^lexicon.Delete != 0 && (verb == "block" || slices.Contains(d.doc[:min(1, len(d.doc))], "block")) {
		c &^= lexicon.Delete // a time, for others
	}
	if in(verb, "remove delete cancel drop close clear revoke refund return") {
		c &^= lexicon.Update
	}
	return c
}

// speaksOfMoney reports whether a description begins with a word for money, and not for none: "without payment".
func (d *drafter) speaksOfMoney() bool {
	for i, w := range d.doc[:min(8, len(d.doc))] {
		none := i > 0 && in(d.doc[i-1], "no not without free ohne keine sans sin senza sem zonder geen bez utan uden uten")
		if !none && d.any([]string{w}, d.l.Money) {
			return true
		}
	}
	return false
}

// final reports whether a description says that the effect cannot be undone.
func (d *drafter) final() bool {
	for i, w := range d.doc {
		if in(w, "final irrevocable irreversible permanently forever") ||
			in(w, "irrévocable endgültig unwiderruflich definitivo nieodwracalne") ||
			in(w, "cannot can't") && i+2 < len(d.doc) && in(d.doc[i+2], "taken undone reversed recalled") ||
			w == "no" && i+1 < len(d.doc) && in(d.doc[i+1], "bin undo") {
			return true
		}
	}
	return false
}

// keeps reports whether a description says that the thing stays: "The product itself stays".
func (d *drafter) keeps() bool {
	return slices.ContainsFunc(d.doc, func(w string) bool {
		return in(w, "stay stays remains restored reopened zostaje bleibt reste queda rimane blijft")
	})
}

// grants settles whether an effect grants. A verb that grants in many words with people
// ("add a member") does so where the nouns name people or rights, and one that changes
// ("set the role") where they name rights.
func (d *drafter) grants(verb string, c lexicon.Class, whom bool) lexicon.Class {
	switch {
	case in(verb, "add give let include assign approve make accept"):
		c &^= lexicon.Grant
		if whom {
			c |= lexicon.Grant
		} else if c == 0 {
			c = lexicon.Update
		}
	case c&(lexicon.Create|lexicon.Update) != 0 && c&lexicon.Delete == 0 && d.any(d.toks, d.l.Rights):
		c |= lexicon.Grant
	}
	return c
}

// any reports whether one of the words is in a set, as it stands or without its s.
func (d *drafter) any(words []string, set lexicon.Set) bool {
	return slices.ContainsFunc(words, func(w string) bool { return set[w] || set[strings.TrimSuffix(w, "s")] })
}

func in(word, list string) bool { return slices.Contains(strings.Fields(list), word) }
