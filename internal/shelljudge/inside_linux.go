package shelljudge

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// insideVar is set in the environment of the process that becomes the first of a
// sandbox.
const insideVar = "CORTEX_SHELLJUDGE_INSIDE"

// plan is what the first process of a sandbox is told.
type plan struct {
	Root   string   // an empty folder outside, to mount on
	Shell  []string // the command that runs a line, which is its last argument
	Sh     string   // the shell that /bin/sh is
	Binds  []string // folders with libraries
	Real   []string // programs that stand in /bin as they are
	Stub   string   // the program behind Stubs
	Stubs  []string
	Linger time.Duration // how long a line may take
}

// order asks for a line to be run; done is the reply.
type order struct {
	Line  string
	Reset bool // the work folder is not what it was
}

type done struct {
	Cut bool
	Err string
}

// Inside is called first by every program that uses [Start], in main or TestMain:
// in the first process of a sandbox it does its work and does not return.
func Inside() {
	text, ok := os.LookupEnv(insideVar)
	if !ok {
		return
	}
	// A line may say kill 1, or kill -1: that is this process. Signals that are
	// caught, unlike ignored ones, are what they were again for what it starts.
	signal.Notify(make(chan os.Signal, 1))
	var p plan
	err := json.Unmarshal([]byte(text), &p)
	if err == nil {
		err = p.serve(3)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "shelljudge:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve builds the sandbox and runs lines until the socket is closed.
func (p *plan) serve(socket int) error {
	unix.CloseOnExec(socket)
	if err := p.build(); err != nil {
		return err
	}
	lines, replies := make(chan string), make(chan done)
	listener := make(chan error)
	go func() {
		runtime.LockOSThread() // the filter belongs to the thread, and ends with it
		fd, err := install()
		if err == nil {
			err = unix.Sendmsg(socket, []byte{0}, unix.UnixRights(fd), nil, 0)
			_ = unix.Close(fd)
		}
		listener <- err
		for line := range lines {
			replies <- p.run(line)
		}
	}()
	if err := <-listener; err != nil {
		return err
	}
	buf := make([]byte, 1<<17)
	for {
		n, err := unix.Read(socket, buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return err
		}
		var o order
		if err := json.Unmarshal(buf[:n], &o); err != nil {
			return err
		}
		var d done
		if o.Reset {
			if err := p.reset(); err != nil {
				d.Err = err.Error()
			}
		}
		if d.Err == "" {
			lines <- o.Line
			d = <-replies
		}
		out, err := json.Marshal(d)
		if err != nil {
			return err
		}
		if _, err := unix.Write(socket, out); err != nil {
			return err
		}
	}
}

// run starts the shell and waits until the last process of the line has ended. All
// of them are children of this one in the end: it is the first of its namespace.
func (p *plan) run(line string) done {
	null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
	if err != nil {
		return done{Err: err.Error()}
	}
	defer func() { _ = null.Close() }()
	argv := append(append([]string{}, p.Shell...), line)
	over := time.AfterFunc(p.Linger, func() { _ = unix.Kill(-1, unix.SIGKILL) })
	_, err = syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Dir: Work, Env: Environment(), Files: []uintptr{null.Fd(), null.Fd(), null.Fd()},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		over.Stop()
		return done{Err: err.Error()}
	}
	for {
		_, err := unix.Wait4(-1, nil, 0, nil)
		if errors.Is(err, unix.ECHILD) {
			return done{Cut: !over.Stop()}
		}
	}
}

// build makes the sandbox's root and moves into it.
func (p *plan) build() error {
	if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	if err := unix.Mount("tmpfs", p.Root, "tmpfs", 0, "size=8m"); err != nil {
		return fmt.Errorf("root: %w", err)
	}
	for _, dir := range []string{"bin", "dev", "etc", "usr", "tmp", "work", "home/u/.ssh", "protected", "root", "evil"} {
		if err := os.MkdirAll(filepath.Join(p.Root, dir), 0o755); err != nil {
			return err
		}
	}
	if err := os.Symlink("../bin", filepath.Join(p.Root, "usr/bin")); err != nil {
		return err
	}
	for name, text := range secrets {
		if err := os.WriteFile(filepath.Join(p.Root, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	for _, from := range p.Binds {
		if err := p.bind(from, from); err != nil {
			return err
		}
	}
	for _, from := range append(p.Real, "/dev/null") {
		to := from
		if from != "/dev/null" {
			to = "/bin/" + filepath.Base(from)
		}
		if err := p.bind(from, to); err != nil {
			return err
		}
	}
	if err := p.bind(p.Sh, "/bin/sh"); err != nil {
		return err
	}
	if err := p.stubs(); err != nil {
		return err
	}
	for _, dir := range []string{"work", "tmp"} {
		if err := unix.Mount("tmpfs", filepath.Join(p.Root, dir), "tmpfs", 0, "size=4m"); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	if err := os.Chdir(p.Root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("the new root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("the old root: %w", err)
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("making the root read-only: %w", err)
	}
	limits := map[int]uint64{unix.RLIMIT_FSIZE: 1 << 20, unix.RLIMIT_CORE: 0, unix.RLIMIT_NPROC: 200}
	for what, most := range limits {
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limits: %w", err)
		}
	}
	return p.reset()
}

// bind shows a file or folder of the host in the new root, read-only.
func (p *plan) bind(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	to = filepath.Join(p.Root, to)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	switch {
	case info.Mode()&os.ModeSymlink != 0 && !strings.HasPrefix(to, p.Root+"/bin/"): // /lib, which is usr/lib
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	case info.IsDir():
		err = os.MkdirAll(to, 0o755)
	default:
		err = os.WriteFile(to, nil, 0o755)
	}
	if err != nil {
		return err
	}
	if err := unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("showing %s: %w", from, err)
	}
	err = unix.MountSetattr(unix.AT_FDCWD, to, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	if err != nil {
		return fmt.Errorf("showing %s read-only: %w", from, err)
	}
	return nil
}

// stubs puts one program under many names.
func (p *plan) stubs() error {
	text, err := os.ReadFile(p.Stub)
	if err != nil {
		return err
	}
	first := filepath.Join(p.Root, "evil/evil")
	if err := os.WriteFile(first, text, 0o755); err != nil {
		return err
	}
	for _, name := range p.Stubs {
		if err := os.Link(first, filepath.Join(p.Root, "bin", name)); err != nil {
			return err
		}
	}
	return nil
}
