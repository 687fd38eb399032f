// Package answering is what people do at a record: they look at cards and answer them, with the
// pairing secret of the operator. [Desk] works at a record that this process holds, and at the daemon
// that holds it.
package answering
