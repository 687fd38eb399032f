// Package facts is what rules may look up: the commands a shell line really
// runs, the paths and hosts an action names, its history and its budgets.
//
// Each look-up is a [Function]: named, typed, documented and priced, so that
// package rules can check a condition, and bound its cost, before it ever runs.
// [Core] lists them. Functions whose libraries are heavy live in packages below
// this one and are registered by anyone who wants them.
//
// The functions are thin: package shell below this one reads command lines, hosts
// finds the hosts in them, glob holds paths against patterns, and the table in
// options says what the words of network programs are.
//
// A function is deterministic and sees the [skills.Case] and nothing else: no
// file, no environment, no user database, no clock. What it cannot tell it does
// not guess. A word that only the running shell could resolve is [Unknown],
// which is an error for the clause that reads it, and an error never helps an
// action.
package facts
