package act

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// reap waits for cmd and calls over once it has ended. Until over returns the
// process stays a zombie, so that the kernel cannot reuse its pid or its group's.
func reap(cmd *exec.Cmd, over func()) error {
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	over()
	return cmd.Wait()
}

// kill ends a command: its group, and descendants that left the group (setsid)
// while their parents live. [killHolders] finds earlier orphans, if they hold the
// output open.
func kill(leader int) {
	strays := descendants(leader)
	killGroup(leader)
	for _, p := range strays {
		p.kill()
	}
}

// killHolders ends every process besides our own that has one of the pipes open.
func killHolders(pipes []*os.File) {
	var names []string
	for _, f := range pipes {
		if info, err := f.Stat(); err == nil {
			if s, ok := info.Sys().(*syscall.Stat_t); ok {
				names = append(names, fmt.Sprintf("pipe:[%d]", s.Ino))
			}
		}
	}
	for _, p := range processes() {
		if p.holds(names) {
			p.kill()
		}
	}
}

// proc is an entry of the process table. The start time detects a reused pid.
type proc struct {
	pid, parent int
	start       string
}

// kill ends the process, but not one that reuses its pid: it opens the handle
// before it checks the start time.
func (p proc) kill() {
	h, err := os.FindProcess(p.pid)
	if err != nil {
		return
	}
	if now, ok := lookUp(p.pid); ok && now.start == p.start {
		_ = h.Kill() // it may have ended
	}
	_ = h.Release()
}

// holds reports whether the process has a file of one of these names open. It is
// false for processes that run our own program: we hold the other ends, and so does
// a child of another goroutine between fork and exec.
func (p proc) holds(names []string) bool {
	dir := filepath.Join("/proc", strconv.Itoa(p.pid))
	if exe, err := os.Readlink(filepath.Join(dir, "exe")); err != nil || exe == ownProgram() {
		return false
	}
	files, _ := os.ReadDir(filepath.Join(dir, "fd")) // none where it has ended or is not ours
	for _, f := range files {
		if name, err := os.Readlink(filepath.Join(dir, "fd", f.Name())); err == nil && slices.Contains(names, name) {
			return true
		}
	}
	return false
}

func ownProgram() string {
	exe, _ := os.Readlink("/proc/self/exe")
	return exe
}

// descendants returns the processes below leader, without it.
func descendants(leader int) []proc {
	children := map[int][]proc{}
	for _, p := range processes() {
		children[p.parent] = append(children[p.parent], p)
	}
	out := slices.Clone(children[leader])
	for i := 0; i < len(out); i++ {
		out = append(out, children[out[i].pid]...)
	}
	return out
}

func processes() []proc {
	entries, _ := os.ReadDir("/proc") // without it there is no group to look beyond
	var out []proc
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, ok := lookUp(pid); ok {
			out = append(out, p)
		}
	}
	return out
}

// lookUp reads parent and start from /proc/PID/stat. The program's name precedes
// them in brackets and may hold any character, so count from its end.
func lookUp(pid int) (proc, bool) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return proc{}, false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const parent, start = 1, 19
	if len(fields) <= start {
		return proc{}, false
	}
	up, err := strconv.Atoi(string(fields[parent]))
	return proc{pid, up, string(fields[start])}, err == nil
}
