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
	if read && (d.does(verb) != 0 && slices.ContainsFunc(d.toks, d.secures) || d.reveals()) {
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
		case p.Name == "code" && slices.ContainsFunc(d.toks, d.secures):
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
