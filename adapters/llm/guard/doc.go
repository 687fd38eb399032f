// Package guard puts an engine between a model and the tools of a Go program.
//
// A program gives [New] its engine, a model client and its tools, and speaks through
// [Guard.Say]. The model answers in words or with tool calls. Every call becomes an
// action of its own: the engine decides on it, and records the decision; only under a
// permit the tool runs, with exactly the bytes that were allowed; the receipt is recorded
// before the model hears of the result. Every call gets its result message, in the order
// of the calls: what the tool returned, why the call was not run, or that people have to
// answer first. An answer in words is an action too, on the tool reply.
//
// What the user says is recorded as the user's words of the session, before the model
// hears it, and what tools return as their results: rules about the origin of values go by
// both, and by the program's system prompt.
//
// A [Chat] is the conversation, and the program's own to keep. It may be saved at any
// moment, and be taken up by another process, also one that begins again at the user's
// first words: a call is known by its id in the session's record. What has run does not
// run again, its recorded result stands; what was asked is not asked twice; and of what
// was under way when the process died, the model hears that the outcome is not known.
//
// The guard refuses some calls before it asks the engine, because they name no action: the
// answer was cut off, the arguments are not one JSON object or have a key twice, or the
// program does not have the tool.
//
// Programs with a model client and a loop of their own hand each call to [Guard.Call].
package guard
