// Package ledger records decisions, approvals, intents and receipts; nothing else does. A
// [Ledger] gathers what a decision depends on, lets package reason decide, and writes the
// outcome inside the journal's single writer, which checks once more everything that must
// hold: an allow is used once, an approval is used once, and nothing that was read has
// changed.
package ledger
