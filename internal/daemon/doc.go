// Package daemon runs an engine for many clients: it reads the operator's
// configuration, opens the record and the sockets, watches the rule files, tells
// systemd how it stands, and stops without losing what it has acknowledged.
//
// A [Config] comes from a TOML file that is strict: a misspelt key is an error
// with its line, and everything that is wrong is said at once. [Run] starts, or
// says why it does not; nothing half started is left behind. Rule files are taken
// only from places that nobody but the daemon's user and root can change, at
// every load. A reload that fails keeps what runs.
package daemon
