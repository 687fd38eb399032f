//go:build !linux

package daemon

// noDumps does nothing: the daemon serves on Linux only.
func noDumps() error { return nil }
