// Package binding holds people to what they saw, and runs too: a person confirms the values that the question
// showed. Their digests stand in the receipt of the step. An agent does not change the values afterwards, and
// no step of a tool that rests on the confirmation is taken if they are others all the same.
package binding
