package api

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ticks is how many ticks of /proc a second has; the kernel tells user space 100 whatever
// it counts in itself.
const ticks = 100

// steps bounds how many processes stand between a hook and its host: a shell, timeout and
// the like.
const steps = 8

// between are the programs that a host starts a hook with.
var between = map[string]bool{
	"sh": true, "dash": true, "bash": true, "busybox": true, "zsh": true, "timeout": true, "env": true,
}

// look fills in what /proc says of a process, and of the one that started it as a hook.
func look(c *caller, pid int) {
	up, started, err := stat(pid)
	if err != nil {
		return
	}
	c.peer, c.cwd = process{pid, started}, cwd(pid)
	oldest := started
	for range steps {
		at := up
		if up, started, err = stat(at); err != nil || at <= 1 {
			return
		}
		if !between[filepath.Base(exe(at))] {
			c.above, c.aboveCwd, c.since, c.shell = process{at, started}, cwd(at), oldest, shellAbove(up)
			return
		}
		oldest = min(oldest, started)
	}
}

// shellAbove is when the oldest shell among a process and those above it started; 0 if there is none. The first
// process counts as none, since orphans hang from it.
func shellAbove(pid int) (oldest time.Duration) {
	for range 8 * steps {
		if pid <= 1 {
			break
		}
		up, started, err := stat(pid)
		if err != nil {
			break
		}
		if between[filepath.Base(exe(pid))] {
			oldest = started
		}
		pid = up
	}
	return oldest
}

func cwd(pid int) string {
	name, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	return name
}

func exe(pid int) string {
	name, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return name
}

// stat returns a process's parent, and when it started.
func stat(pid int) (parent int, started time.Duration, err error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, err
	}
	rest := string(text[max(0, bytes.LastIndexByte(text, ')')):])
	f := strings.Fields(rest) // ")", state, parent, ...; the 22nd field of all is the 20th behind the name
	if len(f) < 21 {
		return 0, 0, fmt.Errorf("/proc/%d/stat has %d fields behind the name", pid, len(f))
	}
	if parent, err = strconv.Atoi(f[2]); err != nil {
		return 0, 0, err
	}
	n, err := strconv.ParseInt(f[20], 10, 64)
	return parent, time.Duration(n) * (time.Second / ticks), err
}

// living reports whether a process still runs.
func living(p process) bool {
	if p.pid == 0 {
		return false
	}
	_, started, err := stat(p.pid)
	return err == nil && started == p.started
}

// sinceBoot is the time since the machine started, as processes' starts are counted.
func sinceBoot() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 1<<63 - 1 // then nothing that comes later is known to be newer
	}
	return time.Duration(ts.Nano())
}
