// Package library is what can be started: the workflows of some folders, compiled.
//
// A library is loaded whole and does not change. What is wrong with a file does not hide it: it
// stays in the list with all its errors, and a start of it is told them. Two files with one id
// are both wrong, so that none takes the place of the other.
package library
