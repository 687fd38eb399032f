// Package runs carries out plans: long work in steps, which outlives the conversation, the
// process and the agent that began it.
//
// A run is a log of events on the record, see package event, and nothing else. Where it stands,
// whether it is blocked, which branch is preferred: all of it is folded from the log, see package
// fold. A node of the log is a place to which one can go back, and holds the state of the plan
// there; an attempt is one try at the step that is due at a node, and has one outcome, ever.
//
//	Start ──> node ──attempt──> node ──attempt──> node
//	            │                 └──attempt──> blocked ──retry──> node
//	            └──attempt──> node                        going back, and on another way, forks
//
// Who holds a ticket may close one attempt, see package ticket. [Runs.Call] takes the six calls of
// agents, see package tools. Continue without an output only reads: it is given no way to write.
// With an output it advances. A repeated advance is answered from the record, with the same bytes,
// also where the first answer was that the step is blocked.
//
// A plan says what is due and never what is allowed. What a step does outside goes through
// decision, permit, intent and receipt like every action.
package runs
