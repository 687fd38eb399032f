// Package search finds the run that one means, out of what is known of many: the ids, the words of
// the notes and the goal, the workflow, the branch and the commit that runs began on. It is pure: the
// same runs and the same [Query] give the same [Match]es in the same order.
//
// A run is found by [Signal]s. The order of signals is that of the tiers: what a better signal
// finds comes first, and each run comes once. See [Find].
package search
