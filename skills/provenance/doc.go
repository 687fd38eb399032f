// Package provenance answers where a value came from, and whether the user wanted
// what the agent is about to do.
//
// A model cannot tell an instruction from a quotation. Rules often can, if they know
// what a tool does, which argument steers it, where that argument's value came from,
// and whether the user asked for this kind of action or pointed at the source.
//
// An [Index] is one session: its owner enters each message of the user, each call and
// each result as it arrives, in the order of the record. Entering costs time in the
// length of what is entered. [Index.For] gives a [View] on one proposed action; the
// questions of the rule language are its methods. A question costs time in the length
// of the value, not of the session; what the user pointed at in a result, the days that
// it names and the addresses and paths in it are found out once, when first asked about.
//
// An answer has three values. Where something was dropped, could not be read or was
// never heard, the error is [Unknown], which counts against the action as in every
// clause. One principle decides what is not said elsewhere: what is folded, decoded,
// guessed, dropped or unreadable can only lower an origin, never raise it.
//
// The package reads no clock, no file and no network. The same entries in the same
// order give the same answers. Words and patterns come from a [Lexicon], which is
// data; an Index is not safe for concurrent use.
package provenance
