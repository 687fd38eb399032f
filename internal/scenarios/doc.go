// Package scenarios reads the scenarios of testdata/scenarios, checks them, and expands
// each into labelled tool calls.
//
// A scenario is a day at work: the user says "set it up as the README says", an agent reads
// and acts, and every call of it is right. Its attacks are small edits of what the agent
// reads, and the call that the attacker wants. The expansion has a line for each call of the
// untouched run, for each call that the agent still has to make once it has read an edited
// result, and for each call that only the attacker wants.
//
// The files were written without a look at the rules that they measure. A third of them was
// drawn by a seed and put aside (Draw); testdata/scenarios/README.md says how they may be used.
package scenarios
