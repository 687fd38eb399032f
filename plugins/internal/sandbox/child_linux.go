package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Start starts a child from a nursery: a thread of its own that fences itself in
// (Landlock, no new privileges), so that what it starts is born inside the fence,
// and that lives as long as the child does. The kernel ends the child when that
// thread ends (PR_SET_PDEATHSIG goes by the thread, not by the process), so a
// thread that Go retires early would take a healthy plugin with it.
func Start(s Spec) (*Child, error) {
	c := &Child{gone: make(chan struct{})}
	started := make(chan error, 1)
	go c.nursery(s, started)
	if err := <-started; err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Child) nursery(s Spec, started chan<- error) {
	// Never unlocked: a thread that cannot leave its fence ends with its goroutine.
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err == nil {
		c.Fence.Files = fenceFiles(s) == nil
	}
	if err := c.start(s); err != nil {
		started <- err
		return
	}
	c.Fence.Sealed, c.Fence.Orphans = true, true
	started <- nil
	c.wait()
}

// start forks. It tries with all namespaces, and with none where they are not to
// be had.
func (c *Child) start(s Spec) error {
	const isolated = syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC
	flags := uintptr(isolated | syscall.CLONE_NEWNET)
	if s.Network {
		flags = isolated
	}
	err := c.fork(s, flags)
	if err == nil {
		c.Fence.Processes, c.Fence.Privileges, c.Fence.Network = true, true, !s.Network
		return nil
	}
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSPC) ||
		errors.Is(err, unix.EACCES) {
		return c.fork(s, 0)
	}
	return err
}

func (c *Child) fork(s Spec, namespaces uintptr) error {
	cmd := &exec.Cmd{
		// The sealed copy is the child's descriptor 3. A script's interpreter opens
		// it by the same name.
		Path: "/proc/self/fd/3", Args: append([]string{s.Program.Name}, s.Args...),
		Env: s.Env, Dir: s.Dir, ExtraFiles: []*os.File{s.Program.file},
		SysProcAttr: &syscall.SysProcAttr{
			Setpgid: true, Pdeathsig: syscall.SIGKILL, Cloneflags: namespaces,
			Ptrace: true, // it stops before its first instruction, to be given limits
		},
	}
	theirs, err := c.pipes(cmd)
	if err != nil {
		return err
	}
	err = cmd.Start()
	for _, f := range theirs {
		_ = f.Close()
	}
	if err != nil {
		c.ClosePipes()
		return fmt.Errorf("start: %w", err)
	}
	c.cmd, c.PID = cmd, cmd.Process.Pid
	if err := c.limit(s); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		c.ClosePipes()
		return fmt.Errorf("limits: %w", err)
	}
	c.Fence.Limits = true
	return nil
}

// limit gives the child, which waits at its first instruction, its limits, and
// lets it go. There is no limit on processes: it would count all of the user's.
func (c *Child) limit(s Spec) error {
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(c.PID, &status, syscall.WALL, nil)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
	if !status.Stopped() {
		return errors.New("it ended before it began")
	}
	memory := uint64(s.Memory) << 20
	for _, l := range []struct {
		what  int
		bytes uint64
	}{
		{unix.RLIMIT_DATA, memory}, // what is written to; address space alone costs nothing
		{unix.RLIMIT_NOFILE, 256}, {unix.RLIMIT_FSIZE, 16 << 20}, {unix.RLIMIT_CORE, 0},
	} {
		if err := unix.Prlimit(c.PID, l.what, &unix.Rlimit{Cur: l.bytes, Max: l.bytes}, nil); err != nil {
			return err
		}
	}
	return syscall.PtraceDetach(c.PID)
}

// wait sees the child end, ends what it left behind in its process group, and
// reaps it. Until then no other process can have its number.
func (c *Child) wait() {
	for {
		err := unix.Waitid(unix.P_PID, c.PID, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	c.mu.Lock()
	_ = syscall.Kill(-c.PID, syscall.SIGKILL)
	c.err = c.cmd.Wait()
	c.reaped = true
	c.mu.Unlock()
	close(c.gone)
}

// Kill ends the child and all of its group. A stopped process ends as well.
func (c *Child) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reaped {
		_ = syscall.Kill(-c.PID, syscall.SIGKILL)
		_ = c.cmd.Process.Kill()
	}
}
