// Package approval defines what the engine asks people and how they answer: the [Approval]
// with its slots, states and second digest, and the [Posting] of its card in a chat. An
// approval changes its state only through [Move], inside the journal's single writer.
package approval
