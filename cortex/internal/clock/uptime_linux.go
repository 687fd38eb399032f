package clock

import (
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// MachineUptime reads the clock that runs from the start of the machine, sleep included,
// and that cannot be set. It also names that start.
func MachineUptime() func() (boot string, up time.Duration) {
	boot := sync.OnceValue(func() string {
		id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // without it, every run is a start of its own
		return strings.TrimSpace(string(id))
	})
	return func() (string, time.Duration) {
		var t unix.Timespec
		if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
			return "", 0
		}
		return boot(), time.Duration(t.Nano())
	}
}
