package shelljudge

import (
	"encoding/binary"
	"fmt"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// The bounds of one run. Beyond them system calls fail, so that loops end.
const (
	maxExecs  = 48
	maxEvents = 1000
)

// shells are the images that count as a shell: those of [Shells], what was forked
// from them, and /bin/sh.
var shells = map[string]bool{"shell": true, "sh": true, "bash": true, "dash": true, "busybox": true, "mksh": true,
	"zsh": true}

// watcher turns notices into the events of one run.
type watcher struct {
	root   string // of the sandbox, seen from outside
	events []Event
	images map[uint32]string // programs by process; a process that is missing is the child of a shell
	tried  map[string]bool   // what was not executed; a shell then looks whether it is a script
	seen   int
	execs  int
	cut    bool
}

// note decodes a notice and adds what it says. The error is that of the process.
func (w *watcher) note(n *notice) unix.Errno {
	c, ok := watched[int(n.NR)]
	if !ok {
		return 0
	}
	if w.seen++; w.seen > maxEvents {
		w.cut = true
		return unix.EPERM
	}
	named := ""
	if c.path >= 0 {
		named = text(n.PID, n.Args[c.path])
	}
	if c.sort == Open && library(named) && n.Args[c.flags]&unix.O_ACCMODE == unix.O_RDONLY {
		return 0
	}
	dir := "/"
	if got, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", n.PID)); err == nil {
		dir = got
	}
	e := Event{Sort: c.sort, Call: c.name, PID: n.PID, Dir: dir, Image: w.images[n.PID]}
	if e.Image == "" {
		e.Image = "shell"
	}
	e.Shell = shells[e.Image]
	if c.path >= 0 {
		e.Path = w.resolve(n, dir, c.dir, named)
	}
	switch c.sort {
	case Exec:
		return w.exec(n, c, e)
	case Open:
		if named == "" {
			return 0 // always fails
		}
		_, err := os.Lstat(w.root + e.Path)
		e.Missing = err != nil
		if e.Sort = w.openSort(n, c, e.Path); e.Sort == Read && w.tried[fmt.Sprint(n.PID, e.Path)] {
			return 0
		}
	case Kill:
		switch unix.Signal(n.Args[1]) {
		case 0, unix.SIGCHLD, unix.SIGCONT: // how shells look after their own jobs
			return 0
		}
		e.Path = fmt.Sprint("with ", n.Args[1])
	case Net:
		var addr [16]byte
		e.Path = fmt.Sprintf("%x", memory(n.PID, n.Args[1], addr[:]))
	}
	w.events = append(w.events, e)
	if c.path2 >= 0 {
		e.Path = w.resolve(n, dir, c.dir2, text(n.PID, n.Args[c.path2]))
		w.events = append(w.events, e)
	}
	return 0
}

// exec notes a program that is there; shells try names that are not.
func (w *watcher) exec(n *notice, c call, e Event) unix.Errno {
	info, err := os.Stat(w.root + e.Path)
	w.tried[fmt.Sprint(n.PID, e.Path)] = true
	if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
		return 0
	}
	if w.execs++; w.execs > maxExecs {
		w.cut = true
		return unix.EPERM
	}
	if e.Args = vector(n.PID, n.Args[c.argv]); e.Args == nil { // it was killed meanwhile
		w.cut = true
		return 0
	}
	w.images[n.PID] = path.Base(e.Path)
	if w.images[n.PID] == "busybox" && len(e.Args) > 1 && e.Args[1] != "ash" && e.Args[1] != "sh" {
		w.images[n.PID] = "applet"
	}
	w.events = append(w.events, e)
	return 0
}

func (w *watcher) openSort(n *notice, c call, file string) Sort {
	flags := int(n.Args[c.flags])
	if flags&(unix.O_WRONLY|unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC|unix.O_APPEND) != 0 {
		return Write
	}
	if info, err := os.Stat(w.root + file); flags&unix.O_DIRECTORY != 0 || err == nil && info.IsDir() {
		return List
	}
	return Read
}

// resolve returns the path that the process means. No link in the sandbox leads
// from one folder that matters to another, so .. can be taken from the text.
func (w *watcher) resolve(n *notice, dir string, arg int, name string) string {
	if strings.HasPrefix(name, "/") {
		return path.Clean(name)
	}
	if arg >= 0 && int32(n.Args[arg]) != unix.AT_FDCWD {
		if got, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", n.PID, int32(n.Args[arg]))); err == nil {
			dir = got
		}
	}
	return path.Join(dir, name)
}

// memory reads from a process that waits for us, as far as it can be read.
func memory(pid uint32, addr uint64, buf []byte) []byte {
	local := []unix.Iovec{{Base: &buf[0]}}
	local[0].SetLen(len(buf))
	n, err := unix.ProcessVMReadv(int(pid), local, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(buf)}}, 0)
	if err != nil {
		return nil
	}
	return buf[:n]
}

const page = 4096

// text reads a string, page by page: the page after its end may not be there.
func text(pid uint32, addr uint64) string {
	var b strings.Builder
	var buf [page]byte
	for b.Len() < 1<<16 {
		got := memory(pid, addr, buf[:page-addr%page])
		if end := strings.IndexByte(string(got), 0); end >= 0 {
			b.Write(got[:end])
			break
		}
		if len(got) == 0 {
			break
		}
		b.Write(got)
		addr += uint64(len(got))
	}
	return b.String()
}

// vector reads the strings of an argument list.
func vector(pid uint32, addr uint64) []string {
	var out []string
	var buf [128]byte
	for addr != 0 && len(out) < 512 {
		got := memory(pid, addr, buf[:min(uint64(len(buf)), page-addr%page)])
		if len(got) == 0 { // it was killed meanwhile
			break
		}
		for ; len(got) >= 8; got = got[8:] {
			at := binary.NativeEndian.Uint64(got)
			if at == 0 {
				return out
			}
			out = append(out, text(pid, at))
			addr += 8
		}
		if len(got) != 0 || addr%8 != 0 {
			break
		}
	}
	return out
}
