// Package fold reads what holds of a run off its log. [State.Apply] takes one event after the
// other, each once, and checks it against those before it; the projections (tip, status, notes,
// gaps, preferences, capabilities, loop trace) read what it kept. Nothing here is stored, does
// input or output, or looks at a clock.
//
// Applying the same events gives the same state. An event that contradicts an earlier one is an
// [ErrCorrupt]: the log is not what this program wrote, and no run goes on from it.
package fold
