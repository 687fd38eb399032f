// Package record names what stands in an engine's journal: the kinds of record, the tables
// that index them, and how both are read and written. Everything in the tables can be
// rebuilt from the records.
//
// Each kind of record has a type that writes and reads its body (an [Entry]) and a line
// that sums it up ([Summary]). Each table is a constant whose type says what its keys are
// made of ([Table1], [Table2], [Table3]).
//
// Two caches stand in front of a store: [OpenTables] keeps the tables of what is open in
// memory, and [Lately] what calls ask for again and again.
package record
