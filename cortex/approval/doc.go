// Package approval is what people are asked and how they answer: the [Approval] with its
// slots, states and second digest, and the [Posting] of its card in a chat. An approval
// changes its state in one way only, [Move], inside the journal's single writer.
package approval
