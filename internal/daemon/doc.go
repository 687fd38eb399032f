// Package daemon runs an engine for many clients: it reads the operator's
// configuration, opens the record and the sockets, watches the rule files, reports
// its status to systemd, and stops without losing acknowledged work.
//
// A [Config] comes from a strict TOML file: a misspelt key is an error with its line,
// and all errors are reported at once. [Run] returns an error if the daemon cannot
// start, and then leaves nothing half started behind. Every load accepts rule files
// only from places that no user but the daemon's and root can change. If a reload
// fails, the old rules stay in force.
package daemon
