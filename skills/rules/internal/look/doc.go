// Package look is what conditions read of a case: the action, the signal, the session,
// facts and the time, by the names that rules give them.
//
// A program of a condition runs with a [View] as its environment, and reads each name
// along a [Path]. What is not there is an error, unless the condition asks whether it is.
package look
