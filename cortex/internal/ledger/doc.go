// Package ledger is the one way in which decisions, approvals, intents and receipts come on
// record. A [Ledger] gathers what a decision depends on, lets package reason decide, and writes
// the outcome inside the journal's single writer, where everything that must hold is checked
// once more: an allow is used once, an approval is used once, and nothing that was read has
// changed.
package ledger
