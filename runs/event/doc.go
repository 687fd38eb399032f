// Package event says what may stand in the log of a run: fourteen kinds of event, closed.
//
// A log is the only truth about a run. Everything else (which node is the tip, whether the
// run is blocked, what the newest notes are) is read off it by package fold. An event says
// what happened, never what is the case: a gap is not marked as resolved, a later gap names
// it; an output is not changed, a later output supersedes it.
//
// Order is the index of an event in its log and nothing else. Indices begin with 0 and have
// no holes. No event carries a time.
//
// Every event has a dedupe key that is made of stable ids alone. An append that meets a known
// key is a repeat: it writes nothing, and the event that is there answers for it. That is why
// an id that stands in a key is derived, or drawn once and kept.
//
// [Decode] reads one event and checks all that can be checked without its neighbours; what
// needs the log (a parent that exists, a gap that is resolved by a later one) is checked when
// the event is folded.
package event
