package daemon

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
)

// Operator is the person who answers approvals with the pairing secret.
type Operator struct {
	// User is the account of that person, by name or number, where it is another
	// than the daemon's: then nothing that the daemon starts can read the secret or
	// use it, since the approval socket serves that account and root alone. "" means
	// the daemon's own.
	User string `toml:"user"`
}

// UID returns the operator's uid, or nil where it is the daemon's own.
func (o Operator) UID() (*int, error) {
	if o.User == "" {
		return nil, nil
	}
	id := o.User
	if u, err := user.Lookup(o.User); err == nil {
		id = u.Uid
	}
	uid, err := strconv.Atoi(id)
	if err != nil || uid < 0 {
		return nil, fmt.Errorf("%s: there is no such user", o.User)
	}
	return &uid, nil
}

// ofItsOwn refuses an operator whose account is the one this process runs as.
func (o Operator) ofItsOwn() (*int, error) {
	uid, err := o.UID()
	if err == nil && uid != nil && *uid == os.Geteuid() {
		return nil, fmt.Errorf("operator.user: %s is the user that the daemon runs as, expected another, or none", o.User)
	}
	return uid, err
}

// Owns reports whether a file belongs to the user uid.
func Owns(uid int, info fs.FileInfo) bool {
	of, known := owner(info)
	return known && of == uid
}
