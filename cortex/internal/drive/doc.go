// Package drive goes on with runs: for the root signal of each run that is due it calls the
// program's [Driver], which folds the run's log, looks what is due, and takes steps with
// [Run.Take]. A run that waits is at rest: nothing is kept of it in memory and no signal of it is
// open. Whatever it waits for wakes it in its own write, see [record.Wake].
//
// A step goes the way of every action: decision, permit, intent, act, receipt. How each try of a
// step stands is on record beside its newest decision, so that a step is taken up where an earlier
// process has left it, and never twice.
package drive
