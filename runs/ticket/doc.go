// Package ticket writes and reads tickets: the signed right to close one attempt of a run, and
// no other authority.
//
// A ticket says which attempt, not who: whose run it is must be checked apart. Nothing is
// stored for it. It can be read without a key, by [Parse]; what it says counts once
// [Ticket.Verify] has found its signature good under the current key or the previous one.
//
//	ct1-<label>-<base32>    kind, first record of the log, index of the node's event, attempt, signature
//	st.v1.<json>.<sig>      the seed's three forms, in base64url
//	ack.v1.<json>.<sig>
//	chk.v1.<json>.<sig>
//
// The short form is signed over its label, its payload and the hash of the record that holds
// the node. So a ticket of a copy of the record that went another way fits nowhere. Every
// text that is not exactly what this package would write is refused: no second spelling of a
// ticket is accepted.
package ticket
