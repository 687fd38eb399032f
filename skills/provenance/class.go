package provenance

import "github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"

// Class is a set of the kinds of action that the rules tell apart.
type Class = lexicon.Class

// The classes. A tool has one or more of them; a read has none.
const (
	Comm   = lexicon.Comm   // tells somebody something
	Pay    = lexicon.Pay    // moves money
	Book   = lexicon.Book   // reserves
	Create = lexicon.Create // makes something new
	Update = lexicon.Update // changes something
	Delete = lexicon.Delete // takes something away
	Grant  = lexicon.Grant  // gives somebody access
	Run    = lexicon.Run    // starts a program
)

// ParseClass returns the class of one name, such as "pay".
func ParseClass(name string) (Class, error) { return lexicon.ParseClass(name) }

// Role says what an argument steers. The zero Role is not known: it counts as an
// object in a read and as strong in an effect.
type Role = lexicon.Role

// The roles. Those from Principal to Code are strong: they decide who gets what, and where.
const (
	NoRole     = lexicon.NoRole
	Principal  = lexicon.Principal  // who gets it: account, address, user
	Net        = lexicon.Net        // a host or URL
	Secret     = lexicon.Secret     // a password or key
	Permission = lexicon.Permission // what somebody may do
	Code       = lexicon.Code       // a program or command
	ID         = lexicon.ID         // of the thing changed or destroyed
	Object     = lexicon.Object     // what the action is about
	Time       = lexicon.Time       // when
	Amount     = lexicon.Amount     // how much
	Content    = lexicon.Content    // text that is passed on
	Flag       = lexicon.Flag       // a switch
)

// ParseRole returns the role of a name, such as "principal".
func ParseRole(name string) (Role, error) { return lexicon.ParseRole(name) }
