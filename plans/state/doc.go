// Package state is where a run stands in its plan: the engine state that every node keeps.
//
// A [State] is one of four. [Init] has not begun. [Running] knows which step instances are
// completed, which loop it is in, and which step is pending. [Blocked] is the same with the
// reason why an attempt did not pass. [Complete] is over. A state holds no truth of its own:
// it is enough to go on from, and [Check] tells whether it can be at all.
//
// The package also holds the closed set of reasons why an attempt does not pass. One [Reason]
// feeds both ways to record it: the [Blocker] that a blocked node shows, and the [Gap] that
// remains where a run went on in spite of it. A mode changes what happens, never what a reason
// means.
//
// The JSON of a state is that of the seed's execution snapshot; [Encode] writes it canonically,
// and [Decode] takes nothing that [Encode] would not write in the same sense.
package state
