//go:build !linux

package main

// offline is the program; its cage needs Linux.
func offline() { main() }
