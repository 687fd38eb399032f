// Package draft guesses what a tool does from its name, its description and its parameters,
// by the words of a lexicon, so that a person has something to review.
package draft

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
)

// Param is one parameter of a tool, as its schema has it.
type Param struct {
	Name, Doc string
	Type      string // of JSON schema: "string", "integer", "boolean"
}

// Draft is what a tool's name, description and parameters suggest. Every part of it is a
// guess.
type Draft struct {
	Verb    string // the verb in the name; "" if it has none
	Read    bool
	Classes lexicon.Class // of an effect
	Nouns   []string      // the other words of the name, in small letters
	Roles   map[string]lexicon.Role
}

// Of drafts the declaration of a tool. An unknown verb is an effect.
func Of(l *lexicon.Lexicon, name, doc string, params []Param) Draft {
	d := drafter{l: l, toks: joined(l, lexicon.Split(name)), doc: docWords(l, doc), params: params}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		d.space = slices.DeleteFunc(lexicon.Split(name[:dot]), d.orders)
	}
	if len(d.toks) == 0 {
		d.toks = []string{name} // no letter and no digit: a word of no language
	}
	d.tongues()
	t := Draft{Roles: map[string]lexicon.Role{}}
	verb, read, known := d.told()
	if verb == "" {
		verb, read, known = d.verb(len(params) > 0)
	}
	if i := slices.IndexFunc(d.toks, d.changes); read && i >= 0 && d.foreign(verb) {
		verb, read = d.toks[i], false // in another language: bul_ve_sil finds, and deletes
	}
	if read && (d.does(verb) != 0 && slices.ContainsFunc(d.toks, secures) || d.reveals()) {
		read = false // open_gate, vault_read "Read a secret"
	}
	said := d.deeds(known && !read && l.Verbs[verb] != 0)
	switch {
	case known && !read:
		t.Classes = d.does(verb) | said
	case said != 0: // whatever the name says
		t.Classes = said
	case !known && !d.shows():
		t.Classes = lexicon.Run
	}
	if t.Classes&^lexicon.Run == 0 && d.addresses() {
		t.Classes |= lexicon.Comm
	}
	if t.Classes == 0 && d.reveals() {
		t.Classes = lexicon.Grant
	}
	t.Verb, t.Read = verb, t.Classes == 0
	for _, w := range d.toks {
		if w != verb && !l.NotNouns[w] && !slices.Contains(t.Nouns, w) {
			t.Nouns = append(t.Nouns, w)
		}
	}
	if !t.Read {
		t.Classes = d.narrow(verb, t.Classes, t.Nouns)
		for _, w := range d.space {
			t.Classes |= l.Does(w, false) & lexicon.Pay // refund.order
		}
		if d.final() {
			t.Classes |= lexicon.Delete // what was before is lost
		}
		if slices.ContainsFunc(params, func(p Param) bool { return d.any(lexicon.Split(p.Name), l.Accounts) }) {
			t.Classes |= lexicon.Pay // whatever its name says, money goes to an account
		}
		if t.Classes |= d.stakes(verb, t.Classes); t.Classes == 0 {
			t.Classes = lexicon.Update
		}
	}
	for _, p := range params {
		r := role(l, p)
		switch {
		case t.Read && r == lexicon.Amount:
			r = lexicon.Object // how much is read moves nothing
		case r == lexicon.ID && t.Classes&(lexicon.Comm|lexicon.Grant|lexicon.Pay) != 0 &&
			(d.any(lexicon.Split(p.Name), d.l.People) || t.Classes&lexicon.Delete == 0 && d.receives(lexicon.Split(p.Name))):
			r = lexicon.Principal // the id of a person who is told, given or paid something
		case p.Name == "code" && slices.ContainsFunc(d.toks, secures):
			r = lexicon.Secret // it opens the door
		case in(p.Name, "number nummer numero numéro numer") && (rings(verb) || slices.ContainsFunc(d.toks, rings)):
			r = lexicon.Principal
		case r == lexicon.Amount && p.Type == "string" && (in(p.Name, "value nombre") || t.Classes&lexicon.Grant != 0):
			r = lexicon.NoRole // a word: a new password, the level of a right, a name in Spanish
		case r == lexicon.Code && !t.Read && t.Classes&lexicon.Run == 0:
			r = lexicon.ID // the code of a booking
		case r == lexicon.Principal && t.Classes&(lexicon.Comm|lexicon.Grant) == 0 && strings.HasPrefix(p.Name, "room"):
			r = lexicon.Object // in which nothing is told: a place
		}
		if r == lexicon.NoRole && p.Type == "string" && t.Classes&lexicon.Run != 0 && d.codes() {
			r = lexicon.Code // "Run a line on the console"
		}
		t.Roles[p.Name] = r
	}
	return t
}

// orders reports whether a word before the dot of a name is its verb, and no thing: delete.message.
func (d *drafter) orders(w string) bool {
	return d.l.Does(w, false) != 0 && !d.l.NounFirst[w] && !d.l.ToolNouns[w] && !d.l.Ambiguous[w]
}

// changes reports whether a word of the name is a verb that has an effect, and reads nothing.
func (d *drafter) changes(w string) bool {
	return d.does(w) != 0 && !d.looks(w) && !slices.Contains(d.space, w) && !d.noun(w)
}

// reveals reports whether what a tool reads opens something: its name or the start of its description says a secret,
// and not that it lists or checks some.
func (d *drafter) reveals() bool {
	said := append(d.doc[:min(4, len(d.doc)):min(4, len(d.doc))], d.toks...)
	return slices.ContainsFunc(said, func(w string) bool {
		return in(w, "secret credential credentials password passcode apikey clave contraseña passwort "+
			"kennwort senha hasło heslo") ||
			in(w, "parola şifre sifre wachtwoord lösenord")
	}) && !slices.ContainsFunc(said, func(w string) bool {
		return in(w, "list lists search find names "+
			"policy status check checks")
	})
}

// rings reports whether a word speaks of what goes to the number of a telephone.
func rings(w string) bool { return in(w, "fax phone ring dial call calls sms text") }

// codes reports whether a description speaks of a program.
func (d *drafter) codes() bool {
	return slices.ContainsFunc(d.doc, func(w string) bool { return d.l.Roles[w] == lexicon.Code })
}

type drafter struct {
	l                       *lexicon.Lexicon
	toks                    []string
	space                   []string // those before the last dot of the name that are things: invitados.llamada
	doc                     []string
	params                  []Param
	foreignName, foreignDoc bool // whether words of another language than English stand in its name, its description
}

// foreign reports whether a word may be of another language: a word of the name is not if English has it.
func (d *drafter) foreign(w string) bool {
	if slices.Contains(d.toks, w) {
		return d.foreignName && !d.l.Known(w)
	}
	return d.foreignDoc
}

func (d *drafter) does(w string) lexicon.Class { return d.l.Does(w, d.foreign(w)) }

func (d *drafter) looks(w string) bool { return d.l.Looks(w, d.foreign(w)) }

// tongues finds out whether a name and a description are of another language than English.
func (d *drafter) tongues() {
	foreign, english := 0, 0
	for _, w := range d.doc {
		switch {
		case in(w, "the an and to by with are from this"):
			english++
		case d.l.Stops[w], d.l.Links[w] && !d.l.Known(w), strings.ContainsFunc(w, func(r rune) bool { return r >= 0x80 }):
			foreign++
		}
	}
	d.foreignDoc = foreign > english || english == 0 && len(d.doc) > 2 && !slices.ContainsFunc(d.doc, d.l.English)
	d.foreignName = d.foreignDoc || len(d.doc) == 0 && !slices.ContainsFunc(d.toks, func(w string) bool {
		return d.l.Known(w) || d.l.ToolVerbs[w] != 0
	})
}

// joined makes one word of two that are one verb together: check_in is a checkin.
func joined(l *lexicon.Lexicon, toks []string) (out []string) {
	for i := 0; i < len(toks); i++ {
		if i+1 < len(toks) && l.ToolVerbs[toks[i]+toks[i+1]] != 0 {
			out = append(out, toks[i]+toks[i+1])
			i++
			continue
		}
		out = append(out, toks[i])
	}
	return out
}

func docWords(l *lexicon.Lexicon, doc string) []string {
	var out []string
	for _, t := range l.Tokens(doc) {
		if t.Word {
			out = append(out, t.Key)
		}
	}
	return out
}

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
