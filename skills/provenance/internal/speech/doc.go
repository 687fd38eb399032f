// Package speech reads a message of the user: which words are the user's own, what they
// ask for, what they forbid, and whether they hand the task to a source.
package speech
