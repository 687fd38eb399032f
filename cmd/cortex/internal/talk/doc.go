// Package talk is what `cortex repl` does: it takes forms from the command line, from
// standard input or from a person at a terminal, has a daemon evaluate them, and
// prints what they came to.
//
// For programs a result is one line. For people it is what the form has to say. At a
// terminal there are history, completion and an interrupt, the prompt says how the
// daemon stands, and before it is shown what happened meanwhile: cards that were
// opened or answered elsewhere, and what became of those that this person asked for.
package talk
