//go:build !unix

package main

import "testing"

// makeFifo skips the test: this system has no named pipes in folders.
func makeFifo(t *testing.T, _ string) {
	t.Helper()
	t.Skip("needs a named pipe in a folder")
}
