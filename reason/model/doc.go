// Package model asks language models what is to be done.
//
// [Thinker.Think] builds a prompt in a fixed order and asks a cascade of providers,
// the next where one fails; or several at once, which have to agree. Policy may
// choose among them, and [Health] keeps failing ones waiting. What comes back is a
// [Candidate]: proposals, or prose, or neither.
//
// [Reflect] is the loop between a model and package reason: why a proposal was
// refused goes back to the model as data, a few times at most. [Scripted] is a
// model played from a file.
package model
