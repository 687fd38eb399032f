// Package capabilities lets a model call a tested plan as a tool. The plan is judged as a whole before
// its first step, and each step again when it is due.
//
// A capability is read by package form and entered in the registry, a log in the record. A version that
// a person has put on trial or in force becomes a tool of the engine. Its start goes through stages, as
// gates before every rule: the plan is pinned, then compatibility, preconditions, score and policy, and
// then each step is judged by the rules in force, as if the earlier steps had been done. A denial refuses
// the plan before anything happens. All asks stand on one card, each with the bytes of its step.
//
// The start itself changes nothing. Its actuator enters the run in a log of its own, and the engine
// drives it: steps are ordinary actions of the session that asked, with decisions, permits, intents and
// receipts of their own. On a failure, a refusal or a broken budget the run stops and makes up for what it
// did, newest first.
package capabilities
