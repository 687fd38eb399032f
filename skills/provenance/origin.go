package provenance

import "github.com/opencortex-go/cortex/skills/provenance/internal/origin"

// Origin says where a value came from. The constants stand in order from best to worst:
// of a value that is put together from parts, the part with the greatest Origin counts.
// The zero Origin means that it is not known; it goes with an [Unknown] error.
type Origin = origin.Origin

// The origins. A host variant is an address that stands nowhere as a whole, on a host
// that was found so.
const (
	User       = origin.User       // stands in the user's words
	Rule       = origin.Rule       // a rule, or an embedder's system prompt, set it
	Trusted    = origin.Trusted    // stands in a field that is declared trusted
	Record     = origin.Record     // equals an entire structured field of a result
	Model      = origin.Model      // stands nowhere
	Opaque     = origin.Opaque     // stands nowhere, after something that could not be read
	RecordHost = origin.RecordHost // an address on a host that is Record
	Prose      = origin.Prose      // stands in the text of a result
	ProseHost  = origin.ProseHost  // an address on a host that is Prose
	Zone       = origin.Zone       // stands in text that tells its reader to act
	ZoneHost   = origin.ZoneHost   // an address on a host that is Zone
	Alien      = origin.Alien      // stands in text that speaks to the agent about its task
	AlienHost  = origin.AlienHost  // an address on a host that is Alien
)

// Origins returns all origins from best to worst.
func Origins() []Origin { return origin.All() }

// Worst returns the worse of two origins. An unknown one is worse than all that are
// known, but for the alien ones: what is alien in part is alien.
func Worst(a, b Origin) Origin { return origin.Worst(a, b) }

// Unknown is the error of a question that has no answer: never false, never true.
type Unknown struct {
	Why string // "the session is held in part": for people, without the session's texts
}

// Error says what is missing for an answer.
func (u Unknown) Error() string { return "not known: " + u.Why }
