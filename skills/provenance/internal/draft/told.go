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
		makes, reads := d.does(w) != 0, d.looks(w)
		if !makes && !reads && (!d.l.Determiners[d.doc[1]] || d.looks(d.toks[0])) {
			break // "Unit with its keys"; "Notes that the team pinned" of list_notes
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
		next := ""
		if i+1 < len(d.doc) {
			next = d.doc[i+1]
		}
		joined := i > 0 && in(d.doc[i-1], "and then") || d.foreignDoc && d.behindAnd(i)
		if d.undergone(i) {
			if c := d.l.Stems[d.l.Stem(w)]; c == lexicon.Pay {
				out |= c
			} else {
				out |= c & (lexicon.Comm | lexicon.Delete)
			}
		}
		if !first && !joined || next == "of" {
			continue
		}
		for _, v := range forms(w) {
			if d.looks(v) && !(d.does(v) != 0 && v != w && !d.opens(i)) ||
				d.l.Ambiguous[v] && (in(v, "return ask") || !in(next, "a an the it them")) {
				break
			}
			switch c := d.does(v); {
			case c == lexicon.Pay || c == lexicon.Grant || v == "pay":
				out |= c // "and pay it", "then pays"
			case d.foreignDoc || next != "" && d.l.Verbs[v] != 0: // not "per warehouse and bin"
				out |= c &^ (lexicon.Pay | lexicon.Grant)
			}
		}
	}
	if named && len(d.doc) > 0 && slices.ContainsFunc(forms(d.doc[0]), func(v string) bool {
		return in(v, "remove delete erase wipe destroy purge discard")
	}) {
		out |= lexicon.Delete // whatever the name says: document_tidy "Removes documents"
	}
	return out
}

// opens reports whether what follows a verb is a thing to read: "opens a web page".
func (d *drafter) opens(i int) bool {
	return slices.ContainsFunc(d.doc[i+1:min(i+4, len(d.doc))], func(w string) bool {
		return d.l.Sources[d.l.Stem(w)] != 0 || in(w, "web file site")
	})
}

// behindAnd reports whether a word stands behind an "and" of another language, and an article or pronoun at most.
func (d *drafter) behindAnd(i int) bool {
	for j := i - 1; j >= max(0, i-2); j-- {
		if in(d.doc[j], "und et y e en i a och og") {
			return true
		}
		if !d.l.Stops[d.doc[j]] && !in(d.doc[j], "la le lo les los las il die das sie es") {
			return false
		}
	}
	return false
}

// undergone reports whether a word says what is done to something, and no clause about it: "the older one is
// removed", but not "whether it is removed".
func (d *drafter) undergone(i int) bool {
	switch {
	case i < 2 || d.doc[i] == "returned": // what the tool answers
		return false
	case d.doc[i-1] == "after" && strings.HasSuffix(d.doc[i], "ing"),
		d.doc[i-1] == "it" && strings.HasSuffix(d.doc[i], "ed"):
		return true // "the balance after charging the card", "the number of files it deleted"
	case !in(d.doc[i-1], "is are gets") || !strings.HasSuffix(d.doc[i], "ed"):
		return false
	}
	return !slices.ContainsFunc(d.doc[:i], func(w string) bool {
		return in(w, "whether if that which who what how when where why until once after nothing not no never")
	})
}

// shows reports whether a description only tells what there is to see: it begins with a verb that
// reads, says what it is that one gets ("Free times of the hall", "What is on the shelf"), or begins
// with a word of the name and "of", and neither it nor the name has an effect.
func (d *drafter) shows() bool {
	if len(d.doc) < 2 || d.deeds(false) != 0 || slices.ContainsFunc(d.toks, d.acts) || d.sets(d.toks[len(d.toks)-1]) {
		return false
	}
	if slices.ContainsFunc(d.params, func(p Param) bool {
		return d.l.Receivers[strings.ToLower(p.Name)] && !(p.Name == "to" && d.spans())
	}) {
		return false // it shows something to somebody
	}
	first := d.doc[0]
	if d.addresses() {
		return false
	}
	if d.tells() {
		return true
	}
	asks := in(first, "what who which where when how")
	if reads := slices.ContainsFunc(forms(first), func(w string) bool {
		return d.looks(w) && !asks && !(d.does(w) != 0 && d.given())
	}); reads && (slices.ContainsFunc(d.toks, d.named) || d.looksUp()) {
		return true
	}
	for i := 0; i+1 < min(3, len(d.doc)); i++ {
		does := i > 0 && d.does(first) != 0
		if d.doc[i+1] == "of" && slices.Contains(d.toks, d.doc[i]) && !does {
			return true
		}
	}
	return (asks || d.thing()) && d.looksUp()
}

// addresses reports whether a description names a thing that goes to people, or opens something for them: "Messages to
// guests", "Door code for guests". What begins with a verb that only reads does not.
func (d *drafter) addresses() bool {
	if len(d.doc) == 0 || slices.ContainsFunc(forms(d.doc[0]), d.looks) || d.looks(d.toks[0]) && len(d.toks) > 1 {
		return false
	}
	for i, w := range d.doc[:min(5, len(d.doc))] {
		to := w == "to" || w == "for" && slices.ContainsFunc(d.doc[:i], d.secures)
		if in(w, "für para pour per voor dla pro för til") && slices.ContainsFunc(d.doc[:i], d.secures) {
			return true
		}
		if i > 0 && to && slices.ContainsFunc(d.doc[i+1:min(i+4, len(d.doc))], d.person) {
			return true
		}
	}
	return false
}

// person reports whether a word is one for people, or for somebody who gets something.
func (d *drafter) person(w string) bool {
	w = strings.TrimSuffix(w, "s")
	return d.l.People[w] || d.l.Roles[w] == lexicon.Principal
}

// receives reports whether the words of a parameter say that it is somebody, or where something goes: to_id, winner_no.
func (d *drafter) receives(words []string) bool {
	return len(words) > 1 && words[0] == "to" || slices.ContainsFunc(words, func(w string) bool {
		return w != "to" && d.person(w) && !d.l.Accounts[w] || in(w, "target dest destination winner assignee payee")
	})
}

// tells reports whether a description begins with a verb that only reads, "Returns", "Compares", or the
// name is of several things and nothing else.
func (d *drafter) tells() bool {
	first, last := d.doc[0], d.toks[len(d.toks)-1]
	if first == "returns" || d.looks(first) && d.does(first) == 0 && !in(first, "what who which where when how") {
		return (d.does(d.toks[0]) == 0 || d.l.ReadNouns[last]) && (slices.ContainsFunc(d.toks, d.named) || d.looksUp())
	}
	if first == last && strings.HasSuffix(first, "s") && d.does(first) == 0 {
		return d.looksUp() // loyalty_points "Points that somebody has collected"
	}
	return len(d.toks) == 1 && strings.HasSuffix(last, "s") && !d.acts(first) && (len(d.params) == 0 || d.looksUp())
}

// acts reports whether a word of the name is a verb that has an effect.
func (d *drafter) acts(w string) bool {
	return slices.ContainsFunc(forms(w), func(v string) bool {
		return d.does(v) != 0 && !d.looks(v) && !d.l.Ambiguous[v] && !d.l.ToolNouns[v]
	})
}

func (d *drafter) named(w string) bool {
	return slices.Contains(d.doc, w) || slices.Contains(d.doc, w+"s")
}

// thing reports whether a description names a thing and says which: "Text of an attachment", "Calls
// of a day", "Notes that the team pinned". What begins with a verb tells what is done.
func (d *drafter) thing() bool {
	first := d.doc[0]
	if slices.ContainsFunc(forms(first), func(v string) bool { return d.does(v) != 0 }) {
		many := strings.HasSuffix(first, "s") && !d.acts(first)
		return d.doc[1] == "of" || many && d.l.Links[d.doc[1]]
	}
	if d.l.Directives[first] {
		return false
	}
	for i, w := range d.doc[:min(4, len(d.doc))] {
		if i > 0 && (d.l.Links[w] || in(w, "data details record profile overview history")) {
			return true // "Client master data incl. notes"
		}
		article := in(w, "a an the all one last latest recent new")
		if d.acts(w) || i == 0 && d.l.Determiners[w] && !article || i == 1 && d.l.Determiners[w] {
			return false // "Queue a letter"
		}
	}
	return len(d.doc) <= 3 && len(d.params) == 1 && !d.l.Many[d.doc[1]] &&
		slices.ContainsFunc(d.doc, d.l.Known) // "Patient record"; of another language nothing is known
}

// looksUp reports whether all that the tool takes, and it takes something, says what is looked for: no
// text, sum of money, address or switch. A person, a code and a span of time may be looked up.
func (d *drafter) looksUp() bool {
	return len(d.params) > 0 && len(d.params) <= 4 && !slices.ContainsFunc(d.params, func(p Param) bool {
		switch role(d.l, p) {
		case lexicon.Object, lexicon.ID, lexicon.Time, lexicon.NoRole:
			return false
		case lexicon.Amount:
			return in(p.Name, "amount price sum value money fee salary rate percent balance")
		case lexicon.Code:
			return p.Name != "code" || slices.ContainsFunc(d.doc, func(w string) bool {
				return in(w, "run runs command script program")
			})
		case lexicon.Principal:
			return !in(p.Name, "person customer member client user owner guest contact group account") &&
				!(p.Name == "to" && d.spans())
		case lexicon.Net, lexicon.Secret, lexicon.Permission, lexicon.Content, lexicon.Flag:
		}
		return !in(p.Name, "query text term search words domain site host")
	})
}

// spans reports whether a tool takes the start of a span of time.
func (d *drafter) spans() bool {
	return slices.ContainsFunc(d.params, func(p Param) bool { return in(p.Name, "from start after since") })
}
