//go:build !linux

package api

import "time"

// look knows nothing of processes on this system, where sockets are not served.
func look(*caller, int) {}

func living(process) bool { return false }

func sinceBoot() time.Duration { return 1<<63 - 1 }
