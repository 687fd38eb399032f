// Package lexicon holds the words of a language as data: which verbs ask for which
// class of action, which nouns mean the same thing, how text tells its reader to act,
// and how it speaks to an agent about its task.
//
// A language is a file of definitions in the notation; English is built in. A file is
// data and cannot run anything: word lists, and patterns over words with bounded gaps.
// Matching costs time in the number of words. Everything is checked at load, with the
// place of each mistake.
package lexicon
