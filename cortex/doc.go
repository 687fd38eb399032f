// Package cortex is the engine: what a daemon embeds to stand between a
// language model and the world.
//
// A [Signal] goes in through [Engine.Submit]. A model proposes an action;
// deterministic gates let it pass, rewrite it, refuse it with a reason, or hold
// it until people approve; an actuator runs exactly what was allowed; what came
// of it goes back to the model as the next signal. Programs that run their own
// tools take the same road in three calls: [Engine.Decide], [Engine.Begin] and
// [Permit.Finish].
//
// Everything is a record in one hash-chained journal before it is acted on:
// signals, decisions, approvals, intents, receipts. State is nothing but those
// records and indexes over them, so a restart, [Engine.Explain] and
// [Engine.Replay] all read the same truth.
//
// The zero [Options] are the careful ones: in memory, without rules (so that
// everything is denied) and without a choice of how effects happen: nothing is
// run, and [Engine.Begin] gives no permit until Live, Dry or Observe is set.
package cortex
