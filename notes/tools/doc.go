// Package tools is what a model may do with notes: look at one, add, edit, move and remove, and go back
// to an earlier version. Each is a tool like any other, behind gates, approvals and permits. What is
// private does not exist for them.
//
// The key of an intent is the key of its change in the log, so trying an intent again changes nothing
// twice, and the log says afterwards whether the change was made.
package tools
