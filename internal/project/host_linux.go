package project

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// steps bounds how many processes stand between a hook and its host.
const steps = 8

// between are the programs that a host starts a hook with.
var between = map[string]bool{
	"sh": true, "dash": true, "bash": true, "busybox": true, "zsh": true, "timeout": true, "env": true,
}

// HostOf returns the folder that the host of a hook stands in, and its arguments: of the first process
// above that is not a shell. It returns "" and nil if that cannot be told.
func HostOf(hook int) (stands string, args []string) {
	pid := parent(hook)
	for range steps {
		if pid <= 1 {
			return "", nil
		}
		at := "/proc/" + strconv.Itoa(pid)
		exe, err := os.Readlink(at + "/exe")
		if err != nil || !between[filepath.Base(exe)] {
			stands, _ = os.Readlink(at + "/cwd")
			line, _ := os.ReadFile(at + "/cmdline")
			return stands, strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		}
		pid = parent(pid)
	}
	return "", nil
}

// parent is the process that started another; 0 if that cannot be told.
func parent(pid int) int {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(text[max(0, bytes.LastIndexByte(text, ')')):])) // ")", state, parent
	if len(f) < 3 {
		return 0
	}
	up, _ := strconv.Atoi(f[2])
	return up
}
