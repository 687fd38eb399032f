package draft

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
)

// stakes are the classes of what is at stake, whatever the verb: a door that is opened and an alarm that
// is switched off let somebody in, a budget is spent, and what is reset, withdrawn or shut is over.
func (d *drafter) stakes(verb string, c lexicon.Class) lexicon.Class {
	var out lexicon.Class
	if c&(lexicon.Create|lexicon.Update|lexicon.Run) != 0 && c&lexicon.Delete == 0 &&
		(slices.ContainsFunc(d.toks, d.secures) || slices.ContainsFunc(d.toks[:max(0, len(d.toks)-1)], locks)) {
		out |= lexicon.Grant
	}
	if in(verb, "renew upgrade switch extend") && slices.ContainsFunc(d.toks, func(w string) bool {
		return in(w, "subscription plan licence license domain membership policy contract tariff")
	}) {
		out |= lexicon.Pay // for another term
	}
	if slices.ContainsFunc(d.params, d.priced) || d.costs() || in(verb, "release") && d.takes("amount") {
		out |= lexicon.Pay
	}
	if d.any(d.doc[:min(8, len(d.doc))], d.l.Rights) && in(verb, "give make set assign change add") {
		out |= lexicon.Grant // make_trainer "Give a member the trainer role"
	}
	switch {
	case verb == "release" && !d.handsOut():
		out |= lexicon.Comm | lexicon.Update
	case in(verb, "release loan lend") && (c|out)&lexicon.Pay == 0,
		slices.ContainsFunc(d.params, d.entitles) && d.someone():
		out |= lexicon.Grant
	}
	if c&lexicon.Book != 0 && slices.ContainsFunc(d.params, d.sells) {
		out |= lexicon.Pay
	}
	shut := slices.ContainsFunc(d.doc, func(w string) bool { return in(w, "close closes shut") }) &&
		slices.ContainsFunc(d.toks, func(w string) bool { return in(w, "store shop restaurant branch") })
	if slices.ContainsFunc(d.toks, parts) {
		out |= lexicon.Delete // it does not come back
	}
	if shut || in(verb, "reset withdraw") && c&lexicon.Grant == 0 {
		out |= lexicon.Delete
	}
	return out
}

// reveals reports whether what a tool reads opens something: its name or the start of its description says a secret,
// and not that it lists or checks some.
func (d *drafter) reveals() bool {
	said := append(d.doc[:min(4, len(d.doc)):min(4, len(d.doc))], d.toks...)
	return slices.ContainsFunc(said, d.l.Secrets.Has) && !slices.ContainsFunc(said, func(w string) bool {
		return in(w, "list lists search find names policy status check checks")
	})
}

// entitles reports whether a parameter says what somebody may do from then on.
func (d *drafter) entitles(p Param) bool {
	return p.Type != "boolean" && slices.ContainsFunc(lexicon.Split(p.Name), d.l.Entitles.Has)
}

// someone reports whether a tool takes somebody, or makes a way in for anybody: a link, a token.
func (d *drafter) someone() bool {
	return slices.ContainsFunc(d.params, func(p Param) bool { return role(d.l, p) == lexicon.Principal }) ||
		slices.ContainsFunc(d.toks, func(w string) bool { return in(w, "share link token tokens key keys invite") })
}

// handsOut reports whether what is released is a thing or a hold on one, and no text that others may read from then on.
func (d *drafter) handsOut() bool {
	return !slices.ContainsFunc(append(d.doc, d.toks...), func(w string) bool {
		return in(w, "report reports result results grade grades card cards version app article string strings note notes")
	})
}

// sells reports whether a parameter is somebody who sells something: an order there costs money.
func (d *drafter) sells(p Param) bool {
	return slices.ContainsFunc(lexicon.Split(p.Name), d.l.Sellers.Has)
}

// costs reports whether a description says that money is due.
func (d *drafter) costs() bool {
	for i, w := range d.doc {
		if d.l.Costs[w] || in(w, "must will") && i+1 < len(d.doc) && in(d.doc[i+1], "buy pay") {
			return true
		}
	}
	return false
}

// parts reports whether a word says that somebody parts with a thing.
func parts(w string) bool { return in(w, "auction sell sale scrap donate dispose disposal shred") }

// secures reports whether a word names what keeps people out, or sees them: door, tuercode, passwords.
func (d *drafter) secures(w string) bool {
	return d.l.Secures.Has(w) || d.l.Secrets.Has(w) || d.l.Secrets[strings.TrimSuffix(w, "s")]
}

// locks is secures for a word that is a verb where a name ends with it: period_lock.
func locks(w string) bool { return in(w, "lock locks") }

// priced reports whether a parameter is a number that says what something may cost.
func (d *drafter) priced(p Param) bool {
	return in(p.Type, "number integer") && slices.ContainsFunc(lexicon.Split(p.Name), d.l.Prices.Has)
}
