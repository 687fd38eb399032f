// Package reason decides about what a model wants.
//
// [Decide] is the heart: one [Request] in, one [Decision] out, without a store, a
// clock or a goroutine. It puts the proposal into canonical form and holds it
// against its tool's schema; keeps it away from the protected places; asks the
// gates of every triggered skill by priority, again on the result whenever one
// rewrote something; holds the final action against the invariants; and combines
// what was said. A denial wins over an ask, an ask over an allow, and silence,
// doubt and failure are denials. So the action that is allowed is one that every
// gate has judged as it stands.
//
// Anyone who only judges actions needs [LoadRules] and Decide and nothing else:
// deciding needs no model. Package model asks one.
package reason
