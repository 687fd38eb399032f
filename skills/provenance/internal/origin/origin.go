// Package origin holds the origins of values, and which of two is worse.
package origin

// Origin says where a value came from. The constants stand in order from best to worst:
// of a value that is put together from parts, the part with the greatest Origin counts.
// The zero Origin means that it is not known; it goes with an [Unknown] error.
type Origin uint8

// The origins. A host variant is an address that stands nowhere as a whole, on a host
// that was found so.
const (
	User       Origin = iota + 1 // stands in the user's words
	Rule                         // a rule, or an embedder's system prompt, set it
	Trusted                      // stands in a field that is declared trusted
	Record                       // equals an entire structured field of a result
	Model                        // stands nowhere
	Opaque                       // stands nowhere, after something that could not be read
	RecordHost                   // an address on a host that is Record
	Prose                        // stands in the text of a result
	ProseHost                    // an address on a host that is Prose
	Zone                         // stands in text that tells its reader to act
	ZoneHost                     // an address on a host that is Zone
	Alien                        // stands in text that speaks to the agent about its task
	AlienHost                    // an address on a host that is Alien
)

// origins holds the names in the rule language.
var origins = [...]string{"unknown", "user", "rule", "trusted", "record", "model", "opaque", "record-host",
	"prose", "prose-host", "zone", "zone-host", "alien", "alien-host"}

// String returns the name in the rule language, such as "record-host"; "unknown" for
// the zero Origin.
func (o Origin) String() string {
	if int(o) < len(origins) {
		return origins[o]
	}
	return origins[0]
}

// All returns all origins from best to worst.
func All() []Origin {
	out := make([]Origin, 0, len(origins)-1)
	for o := User; o <= AlienHost; o++ {
		out = append(out, o)
	}
	return out
}

// Worst returns the worse of two origins. An unknown one is worse than all that are
// known, but for the alien ones: what is alien in part is alien.
func Worst(a, b Origin) Origin {
	switch {
	case a >= Alien || b >= Alien:
		return max(a, b)
	case a == 0 || b == 0:
		return 0
	}
	return max(a, b)
}

// Plain returns an origin without its host variant: ProseHost is Prose.
func (o Origin) Plain() Origin {
	switch o {
	case RecordHost:
		return Record
	case ProseHost:
		return Prose
	case ZoneHost:
		return Zone
	case AlienHost:
		return Alien
	case User, Rule, Trusted, Record, Model, Opaque, Prose, Zone, Alien:
	}
	return o
}

// Rank orders what a value was found as: the first that matches counts. A record that
// the session wrote itself is as good as nothing.
func (o Origin) Rank() int {
	if o == Model {
		return int(Record) // in place of the record that it was found in
	}
	return int(o)
}
