// Package engine is the engine behind package cortex, over any store: a program that imports it
// links no database.
//
// An [Engine] is made of packages of its own. Package ledger records decisions,
// approvals, intents and receipts, each checked inside the journal's single writer.
// Package session answers signals: it asks models, lets the ledger judge what they
// propose, and continues when people have answered. Package policy holds the rules in force,
// package history what happened before, package clock the time. What is on record is named
// in package record, approvals in package approval. Packages integrity and retention show
// that the record is whole, and remove what is old.
package engine
