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
	// User is that person's account, by name or number, if it differs from the
	// daemon's. Then processes that the daemon starts cannot read or use the secret,
	// because the approval socket serves only that account and root. "" means the
	// daemon's own.
	User string `toml:"user"`
}

// UID returns the operator's uid, or nil if it is the daemon's own.
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
		return nil, fmt.Errorf("%s: no such user", o.User)
	}
	return &uid, nil
}

// ofItsOwn returns an error if the operator's account is the one of this process.
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
