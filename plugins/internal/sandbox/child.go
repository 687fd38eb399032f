package sandbox

import (
	"os"
	"os/exec"
	"sync"
)

// Child is a process that was started from a sealed program, fenced in as far as
// the system allows. Kill and Gone may be called by anyone at any time.
type Child struct {
	PID    int
	Fence  Fence    // as it was in force at the start
	Stdout *os.File // what it writes, until ClosePipes
	Stderr *os.File

	gone chan struct{} // closed once it has been reaped
	err  error         // read it after gone is closed

	mu     sync.Mutex
	reaped bool
	cmd    *exec.Cmd
}

// Spec is how a child is to be started.
type Spec struct {
	Program *Program
	Args    []string
	Env     []string // all of its environment
	Dir     string   // its working folder, the only one it can write to
	Read    []string // what it may read besides libraries
	Memory  int      // MiB
	Network bool     // it may reach the network
}

// Fence is what holds a plugin's process in, as it was in force when the process
// was started. What the kernel does not have is false, and the process runs
// without it.
type Fence struct {
	Sealed     bool // started from memory that cannot be changed after the check
	Files      bool // Landlock: reads libraries and what it was granted, writes its own folder
	Network    bool // a network namespace with nothing in it
	Processes  bool // a process namespace: it sees no others, and all its children end with it
	Privileges bool // a user namespace without any, and no way to gain some
	Limits     bool // memory, open files, size of files, no core
	Orphans    bool // it ends when its host does
}

// Holes names what is not in force, in words for people.
func (f Fence) Holes() []string {
	var out []string
	for _, x := range []struct {
		in   bool
		text string
	}{
		{f.Sealed, "the program is started by its path"}, {f.Files, "files are not fenced"},
		{f.Network, "the network is open"}, {f.Processes, "other processes can be seen"},
		{f.Privileges, "it runs with the host's privileges"}, {f.Limits, "memory is not limited"},
		{f.Orphans, "it may outlive its host"},
	} {
		if !x.in {
			out = append(out, x.text)
		}
	}
	return out
}

// pipes connects the child's output; the child's ends are to be closed once it
// has been started.
func (c *Child) pipes(cmd *exec.Cmd) (theirs []*os.File, err error) {
	out, outW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	errs, errW, err := os.Pipe()
	if err != nil {
		_, _ = out.Close(), outW.Close()
		return nil, err
	}
	c.Stdout, c.Stderr, cmd.Stdout, cmd.Stderr = out, errs, outW, errW
	return []*os.File{outW, errW}, nil
}

// ClosePipes ends reading: a grandchild that holds the other end does not keep us.
func (c *Child) ClosePipes() {
	if c.Stdout != nil {
		_, _ = c.Stdout.Close(), c.Stderr.Close()
	}
}

// Gone is closed when the child has ended and was reaped.
func (c *Child) Gone() <-chan struct{} { return c.gone }

// Wait waits for the child's end and returns how it ended; nil is an exit with 0.
func (c *Child) Wait() error {
	<-c.gone
	return c.err
}
