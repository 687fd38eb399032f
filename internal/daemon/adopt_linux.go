package daemon

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of every orphan among its descendants. So a
// process that a tool started can still be recognised by its ancestors after it has
// left its session and its parents have ended.
func adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// buryEvery is the interval between searches for adopted children that have ended.
// Code that waits for its own child must do so within it.
const buryEvery = time.Minute

// bury reaps adopted children until ctx ends.
func bury(ctx context.Context) {
	t := time.NewTicker(buryEvery)
	defer t.Stop()
	var before map[int]string
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			before = reap(before)
		}
	}
}

// reap waits for the children that had already ended at the last search and are
// still zombies, and returns those that have ended now, by pid and start.
func reap(before map[int]string) map[int]string {
	ended := map[int]string{}
	entries, _ := os.ReadDir("/proc") // without it there is nothing to find
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		start, ok := endedChild(pid)
		switch {
		case !ok:
		case before[pid] == start:
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // ECHILD: reaped already
		default:
			ended[pid] = start
		}
	}
	return ended
}

// endedChild reports whether a process is an ended child of this one, and when it
// started.
func endedChild(pid int) (start string, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	const state, parent, began = 0, 1, 19 // behind the name, which may hold anything
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(f) <= began || string(f[state]) != "Z" || string(f[parent]) != strconv.Itoa(os.Getpid()) {
		return "", false
	}
	return string(f[began]), true
}
