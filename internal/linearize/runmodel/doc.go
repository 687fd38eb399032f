// Package runmodel tells the rules of runs a second time, short and slow, and checks against them
// what many clients did and saw. It is only for tests, and knows nothing of the code of runs:
// tickets, ids and most of the texts mean nothing to it.
//
// The record says in which order the writes were entered. A history has a legal order if that
// one keeps to real time, if the rules explain each write by it, and if there is a place in it
// for each read, also in real time.
package runmodel
