// Package origin lets rules ask where a value came from, and whether the user wanted
// the action.
//
// It stands between package provenance, which knows texts and nothing of rules, and the
// conditions of rule files: it says what a deftool declares in the words of provenance,
// feeds a session's entries to an index, and gives the questions names, types, prices and
// documentation. An index is made when a rule first asks, and kept with the session; rules
// that never ask cost nothing.
package origin
