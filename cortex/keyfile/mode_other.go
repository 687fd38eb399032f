//go:build !unix

package keyfile

import "io/fs"

// unsafeMode is false: this system keeps who may read a file elsewhere.
func unsafeMode(fs.FileMode) bool { return false }

// syncFolder does nothing: this system has no folders to sync.
func syncFolder(string) error { return nil }
