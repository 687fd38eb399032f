// Package cortextest is for tests of programs that use Cortex. [Machine] is a computer with
// a disk in memory: a test cuts its power, fills its disk, and starts the program's engine
// again on what is left. [Clock] is its clock, which a test sets. [Script] is a model that
// plays replies. [Ledger] knows from outside what an engine said and did, and holds that
// against the record. [Simulate] lives through weeks with a program's own rules and tools,
// drawn from a seed.
//
// The engine's own campaigns are tests in this folder and stand on the same parts. No program
// links this package.
package cortextest
