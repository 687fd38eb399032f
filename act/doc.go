// Package act is the only code with side effects on the world, and it runs only
// permits.
//
// [Dispatcher.Begin] mints a [Permit] only after a [Recorder] (the engine is one)
// has made the intent durable. The record then holds an allow over exactly these
// bytes, the grant is consumed, and recovery after a crash will find the intent. A
// permit works once. [Dispatcher.Dispatch] looks its tool up in a [Registry], gives
// the actuator exactly the allowed action, and records a [Receipt] before it returns
// it. There is no other path to an actuator: a blocked action is not a value that
// can be dispatched (weaknesses W2, W3 and W7 of the ancestor).
//
// The result of an action goes back as the next signal, made by
// [Registry.Feedback]: the model that proposed it reads the output as its next
// turn.
//
// The package has three actuators. [Reply] answers the sender of the signal,
// [System] answers a closed set of harmless questions about the engine, and
// [Shell] runs one command line. Embedders register further ones as a [Tool].
package act
