package draft

import (
	"slices"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
)

// stakes are the classes of what is at stake, whatever the verb: a door that is opened and an alarm that
// is switched off let somebody in, a budget is spent, and what is reset, withdrawn or shut is over.
func (d *drafter) stakes(verb string, c lexicon.Class) lexicon.Class {
	var out lexicon.Class
	if c&(lexicon.Create|lexicon.Update|lexicon.Run) != 0 && c&lexicon.Delete == 0 &&
		(slices.ContainsFunc(d.toks, secures) || slices.ContainsFunc(d.toks[:max(0, len(d.toks)-1)], locks)) {
		out |= lexicon.Grant
	}
	if in(verb, "renew upgrade switch extend") && slices.ContainsFunc(d.toks, func(w string) bool {
		return in(w, "subscription plan licence license domain membership policy contract tariff")
	}) {
		out |= lexicon.Pay // for another term
	}
	if slices.ContainsFunc(d.params, priced) || d.costs() || in(verb, "release") && d.takes("amount") {
		out |= lexicon.Pay
	}
	if d.any(d.doc[:min(8, len(d.doc))], d.l.Rights) && in(verb, "give make set assign change add") {
		out |= lexicon.Grant // make_trainer "Give a member the trainer role"
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

// secures reports whether a word names what keeps people out, or sees them.
func secures(w string) bool {
	return in(w, "safe alarm alarms door doors gate gates camera cameras key keys keycard keycards") ||
		in(w, "secret secrets credential credentials password passwords passcode passcodes mfa sso") ||
		in(w, "alarma puerta cerradura llave llaves porte serrure clef clé clefs clés tür schloss schlüssel")
}

// locks is secures for a word that is a verb where a name ends with it: period_lock.
func locks(w string) bool { return in(w, "lock locks") }

// priced reports whether a parameter is a number that says what something may cost.
func priced(p Param) bool {
	return in(p.Type, "number integer") && slices.ContainsFunc(lexicon.Split(p.Name), func(w string) bool {
		return in(w, "budget price fee discount prix preis rabatt precio descuento preço desconto prezzo sconto prijs cena")
	})
}
