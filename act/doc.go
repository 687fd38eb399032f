// Package act is the only code that changes the world, and it runs nothing but
// permits.
//
// A [Permit] is minted by [Dispatcher.Begin], and only after a [Recorder] (the
// engine is one) has said that the intent is durable: that there is a recorded
// allow over exactly these bytes, that its grant is consumed, and that anyone who
// reads the record after a crash will find that something had begun. A permit
// works once. [Dispatcher.Dispatch] looks its tool up in a [Registry], hands the
// actuator exactly the action that was allowed, and records a [Receipt] before
// anybody hears of it. There is no other way to an actuator: a blocked action is
// not a value that can be dispatched (weaknesses W2, W3 and W7 of the ancestor).
//
// What came of an action goes back as the next signal, made by
// [Registry.Feedback]: the model that asked for it reads the output as its next
// turn.
//
// Three actuators are here. [Reply] speaks to the one the signal came from,
// [System] answers a closed set of harmless questions about the engine, and
// [Shell] runs one command line. Whatever else should be possible is a [Tool]
// that the embedder registers.
package act
