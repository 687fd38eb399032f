package draft

import (
	"slices"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
)

// stakes are the classes of what is at stake, whatever the verb: a door that is opened and an alarm that
// is switched off let somebody in, a budget is spent, and what is reset, withdrawn or shut is over.
func (d *drafter) stakes(verb string, c lexicon.Class) lexicon.Class {
	var out lexicon.Class
	if c&(lexicon.Create|lexicon.Update|lexicon.Run) != 0 && c&(lexicon.Comm|lexicon.Delete) == 0 &&
		(slices.ContainsFunc(d.toks, secures) || slices.ContainsFunc(d.toks[:max(0, len(d.toks)-1)], locks)) {
		out |= lexicon.Grant
	}
	if slices.ContainsFunc(d.params, priced) || in(verb, "release") && d.takes("amount") {
		out |= lexicon.Pay
	}
	shut := slices.ContainsFunc(d.doc, func(w string) bool { return in(w, "close closes shut") }) &&
		slices.ContainsFunc(d.toks, func(w string) bool { return in(w, "store shop restaurant branch") })
	if shut || in(verb, "reset withdraw") && c&lexicon.Grant == 0 {
		out |= lexicon.Delete
	}
	return out
}

// secures reports whether a word names what keeps people out, or sees them.
func secures(w string) bool {
	return in(w, "alarm alarms door doors gate gates camera cameras key keys keycard keycards") ||
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
