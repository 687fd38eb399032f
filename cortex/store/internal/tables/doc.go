// Package tables holds Pebble, the second of the two places in which a store keeps
// everything: how its database is opened, what file system it is given, and how far it has
// taken in the log. Pebble runs without a write-ahead log and is never ahead of package wal.
package tables
