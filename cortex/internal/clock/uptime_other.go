//go:build !linux

package clock

import "time"

// machineUptime is nil: here time is what the wall clock says.
func machineUptime() func() (boot string, up time.Duration) { return nil }
