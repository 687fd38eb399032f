// Package record names what stands in an engine's journal: the kinds of record, the tables
// that index them, and how both are read and written. Everything in the tables can be
// rebuilt from the records.
//
// Two caches stand in front of a store: [OpenTables] keeps the tables of what is open in
// memory, and [VersionCache] the versions that every decision asks for.
package record
