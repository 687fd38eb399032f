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

// adopt makes this process the parent of every orphan that its tools leave, at
// whatever distance. So what a tool started goes on to be known as such by its
// ancestors, though it has left its session and its parents have ended.
func adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// buryEvery is the time between two looks for adopted children that have ended.
// Anyone who waits for a child of their own does so within it.
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

// reap ends the children that had ended already at the last look and that nobody
// has waited for since, and returns those that have ended now, by number and
// start.
func reap(before map[int]string) map[int]string {
	ended := map[int]string{}
	entries, _ := os.ReadDir("/proc") // without it there is nothing to see
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		start, ok := endedChild(pid)
		switch {
		case !ok:
		case before[pid] == start:
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // ECHILD: somebody was faster
		default:
			ended[pid] = start
		}
	}
	return ended
}

// endedChild reports whether a process is a child of this one that has ended, and
// when it began.
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
