package shelljudge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Kit is what sandboxes are made of, found once.
type Kit struct {
	folder string // of the host, for the stub and the places to mount on
	stub   string
}

// NewKit compiles the stub into a folder that the caller removes.
func NewKit(folder, source string) (*Kit, error) {
	k := &Kit{folder: folder, stub: filepath.Join(folder, "stub")}
	out, err := exec.Command("cc", "-static", "-O1", "-o", k.stub, source).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("compiling the stub: %w\n%s", err, out)
	}
	return k, nil
}

// Shell is one of the shells that lines are run in.
type Shell struct {
	Name string
	argv []string
	sh   string // what /bin/sh is beside it
}

// Shells are the five, as Debian installs them.
var Shells = []Shell{
	{"bash", []string{"/bin/bash", "--noprofile", "--norc", "-c"}, "/usr/bin/bash"},
	{"dash", []string{"/bin/dash", "-c"}, "/usr/bin/dash"},
	{"ash", []string{"/bin/busybox", "ash", "-c"}, "/usr/bin/busybox"},
	{"mksh", []string{"/bin/mksh", "-c"}, "/usr/bin/dash"},
	{"zsh", []string{"/bin/zsh", "-c"}, "/usr/bin/dash"},
}

// realPrograms run others, so a stub would hide what they run.
var realPrograms = []string{
	"/usr/bin/bash", "/usr/bin/dash", "/usr/bin/busybox", "/usr/bin/mksh", "/usr/bin/zsh",
	"/usr/bin/env", "/usr/bin/xargs", "/usr/bin/nohup", "/usr/bin/timeout", "/usr/bin/nice", "/usr/bin/find",
}

// Sandbox runs lines in one shell, one after the other.
type Sandbox struct {
	shell    Shell
	cpu      int
	proc     *exec.Cmd
	socket   int
	listener int
	ended    chan error // of the goroutine that answers system calls

	mu    sync.Mutex
	watch *watcher
	usual map[string]bool // what the shell does for an empty line
	dirty bool
	buf   []byte
}

// linger is how long a line may take.
const linger = 700 * time.Millisecond

// Start makes a sandbox whose processes run on this processor, modulo their number.
// Its program must call [Inside] first of all.
func (k *Kit) Start(shell Shell, cpu int) (*Sandbox, error) {
	root, err := os.MkdirTemp(k.folder, "root")
	if err != nil {
		return nil, err
	}
	p := plan{Root: root, Shell: shell.argv, Sh: shell.sh, Real: realPrograms, Stub: k.stub, Stubs: Stubs, Linger: linger}
	for _, dir := range []string{"/usr/lib", "/usr/lib64", "/lib", "/lib64"} {
		if _, err := os.Lstat(dir); err == nil {
			p.Binds = append(p.Binds, dir)
		}
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "socket")
	s := &Sandbox{shell: shell, cpu: cpu, socket: pair[0], ended: make(chan error, 1), buf: make([]byte, 1<<16)}
	s.proc = exec.Command("/proc/self/exe")
	s.proc.Env = []string{insideVar + "=" + string(text)}
	s.proc.Stderr = os.Stderr
	s.proc.ExtraFiles = []*os.File{theirs}
	s.proc.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	err = onProcessor(cpu, s.proc.Start)
	_ = theirs.Close()
	if err != nil {
		_ = unix.Close(s.socket)
		return nil, fmt.Errorf("a sandbox (user namespaces have to be allowed): %w", err)
	}
	if err := s.connect(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// onProcessor runs f in a thread of its own on one processor. What f starts stays
// there: a system call that is noted costs two switches, and between processors
// those take twice as long.
func onProcessor(cpu int, f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocks, so that the thread ends with f
		var set unix.CPUSet
		set.Set(cpu % runtime.NumCPU())
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			done <- fmt.Errorf("one processor for a sandbox: %w", err)
			return
		}
		done <- f()
	}()
	return <-done
}

// connect takes the listener from inside and begins to answer.
func (s *Sandbox) connect() error {
	rights := make([]byte, unix.CmsgSpace(4))
	n, got, _, _, err := unix.Recvmsg(s.socket, make([]byte, 1), rights, unix.MSG_CMSG_CLOEXEC)
	if n == 0 && err == nil {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		s.listener = -1
		return fmt.Errorf("the sandbox of %s did not come up (%w)", s.shell.Name, err)
	}
	messages, err := unix.ParseSocketControlMessage(rights[:got])
	if err != nil {
		return err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return err
	}
	s.listener = fds[0]
	go func() { s.ended <- onProcessor(s.cpu, s.answer) }()
	return s.measure()
}

// answer notes system calls and lets them go on, until nothing is left that calls.
func (s *Sandbox) answer() error {
	var n notice
	for {
		if ok, err := receive(s.listener, &n); !ok {
			return err
		}
		errno, err := s.note(&n)
		if err != nil {
			return err
		}
		if err := proceed(s.listener, n.ID, errno); err != nil {
			return err
		}
	}
}

// note notes a system call. A process that was killed while it waited can only be
// read in part, and makes the call no more: its call is left out.
func (s *Sandbox) note(n *notice) (unix.Errno, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.watch
	if w == nil {
		return 0, nil
	}
	before := len(w.events)
	errno := w.note(n)
	waits, err := waiting(s.listener, n.ID)
	if !waits {
		w.events, w.cut = w.events[:before], true
	}
	return errno, err
}

// Run runs one line and returns what it did beyond what the shell always does.
func (s *Sandbox) Run(line string) (Run, error) {
	w := &watcher{root: fmt.Sprintf("/proc/%d/root", s.proc.Process.Pid), images: map[uint32]string{},
		tried: map[string]bool{}}
	s.mu.Lock()
	s.watch = w
	s.mu.Unlock()
	out, err := json.Marshal(order{Line: line, Reset: s.dirty})
	if err != nil {
		return Run{}, err
	}
	if _, err := unix.Write(s.socket, out); err != nil {
		return Run{}, fmt.Errorf("asking the sandbox of %s: %w", s.shell.Name, err)
	}
	n, err := unix.Read(s.socket, s.buf)
	for errors.Is(err, unix.EINTR) {
		n, err = unix.Read(s.socket, s.buf)
	}
	if err != nil || n == 0 {
		return Run{}, fmt.Errorf("the sandbox of %s went away at %q (%w)", s.shell.Name, line, err)
	}
	var d done
	if err := json.Unmarshal(s.buf[:n], &d); err != nil {
		return Run{}, err
	}
	if d.Err != "" {
		return Run{}, fmt.Errorf("in the sandbox of %s at %q: %s", s.shell.Name, line, d.Err)
	}
	s.mu.Lock()
	s.watch = nil
	s.mu.Unlock()
	s.dirty = false
	run := Run{Shell: s.shell.Name, Cut: d.Cut || w.cut}
	for _, e := range w.events[started(w.events):] {
		s.dirty = s.dirty || e.Sort == Write && e.Path != "/dev/null" && e.Path != "/dev/tty"
		if !s.usual[usualKey(e)] && !scratch(e) {
			run.Events = append(run.Events, e)
		}
	}
	return run, nil
}

// started returns where the line's own events begin: after the shell was executed.
func started(events []Event) int {
	for i, e := range events {
		if e.Sort == Exec {
			return i + 1
		}
	}
	return len(events)
}

func usualKey(e Event) string { return e.Sort.String() + " " + e.Path }

// measure notes what the shell does for lines that do nothing: the first is empty,
// the others make the C library look for a user and a host, fork, and start other
// shells and the programs that run others.
func (s *Sandbox) measure() error {
	usual := map[string]bool{}
	for _, line := range []string{
		"", ": ~root/ ~nobody/", ": $((1)) `:` | : & :", "[ -n x ]", ": 3</dev/tcp/nowhere/1",
		"sh -c :; bash -c :; dash -c :; mksh -c :; zsh -c :; busybox ash -c :",
		"env :; xargs :; nohup :; timeout 1 :; nice :; find /nowhere",
	} {
		r, err := s.Run(line)
		if err != nil {
			return err
		}
		for _, e := range r.Events {
			if e.Sort != Exec && e.Sort != Kill {
				usual[usualKey(e)] = true
			}
		}
	}
	s.usual = usual
	return nil
}

// Close ends the sandbox and everything in it.
func (s *Sandbox) Close() error {
	_ = unix.Close(s.socket)
	_ = s.proc.Process.Kill()
	err := s.proc.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
	}
	if s.listener >= 0 {
		err = errors.Join(err, <-s.ended, unix.Close(s.listener))
	}
	return err
}
