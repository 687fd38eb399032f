// Package teach guesses what people meant who wrote something else in a rule file, and
// says what would be right: a bracket that is missing, an operator between its arguments,
// a word of another language.
//
// It looks at text and forms alone, and knows nothing of a rulebook. A guess is only ever
// part of an error message.
package teach
