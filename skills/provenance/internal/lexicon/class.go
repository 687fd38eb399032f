package lexicon

import (
	"fmt"
	"strings"
)

// Class is a set of the kinds of action that the rules tell apart.
type Class uint16

// The classes. A tool has one or more of them; a read has none.
const (
	Comm   Class = 1 << iota // tells somebody something
	Pay                      // moves money
	Book                     // reserves
	Create                   // makes something new
	Update                   // changes something
	Delete                   // takes something away
	Grant                    // gives somebody access
	Run                      // starts a program
)

var classNames = []string{"comm", "pay", "book", "create", "update", "delete", "grant", "run"}

// String lists the names of a set's classes, "comm pay".
func (c Class) String() string {
	var out []string
	for i, name := range classNames {
		if c&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

// ParseClass returns the class of one name, such as "pay".
func ParseClass(name string) (Class, error) {
	for i, n := range classNames {
		if n == name {
			return 1 << i, nil
		}
	}
	return 0, fmt.Errorf("%q is not a class; the classes are %s", name, strings.Join(classNames, ", "))
}

// Role says what an argument steers. The zero Role is not known: it counts as an
// object in a read and as strong in an effect.
type Role uint8

// The roles. Those from Principal to Code are strong: they decide who gets what, and where.
const (
	NoRole     Role = iota
	Principal       // who gets it: account, address, user
	Net             // a host or URL
	Secret          // a password or key
	Permission      // what somebody may do
	Code            // a program or command
	ID              // of the thing changed or destroyed
	Object          // what the action is about
	Time            // when
	Amount          // how much
	Content         // text that is passed on
	Flag            // a switch
)

var roleNames = []string{"none", "principal", "net", "secret", "permission", "code", "id", "object", "time", "amount",
	"content", "flag"}

// String returns the role's name, such as "principal"; "none" for the zero Role.
func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return roleNames[0]
}

// Strong reports whether an argument of this role decides who gets what, and where.
func (r Role) Strong() bool { return r >= Principal && r <= Code }

// ParseRole returns the role of a name, such as "principal".
func ParseRole(name string) (Role, error) {
	for i, n := range roleNames {
		if n == name && i > 0 {
			return Role(i), nil
		}
	}
	return NoRole, fmt.Errorf("%q is not a role; the roles are %s", name, strings.Join(roleNames[1:], ", "))
}
