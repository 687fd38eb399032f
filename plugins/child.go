package plugins

import (
	"os"
	"os/exec"
	"strconv"
	"sync"
)

// child is a process that was started from a sealed program, fenced in as far as
// the system allows.
type child struct {
	pid    int
	stdout *os.File
	stderr *os.File
	fence  Fence
	gone   chan struct{} // closed once it has been reaped
	why    error         // how it ended; read it after gone is closed

	mu     sync.Mutex
	reaped bool
	cmd    *exec.Cmd
}

// spec is how a child is to be started.
type spec struct {
	prog    *program
	args    []string
	env     []string
	dir     string   // its working folder, the only one it can write to
	read    []string // what it may read besides libraries
	memory  int      // MiB
	network bool
}

// Fence is what holds a plugin's process in, as it was in force when the process
// was started. What the kernel does not have is false, and the process runs
// without it, unless [Options.Strict] is set.
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
func (c *child) pipes(cmd *exec.Cmd) (theirs []*os.File, err error) {
	out, outW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	errs, errW, err := os.Pipe()
	if err != nil {
		_, _ = out.Close(), outW.Close()
		return nil, err
	}
	c.stdout, c.stderr, cmd.Stdout, cmd.Stderr = out, errs, outW, errW
	return []*os.File{outW, errW}, nil
}

// closePipes ends reading: a grandchild that holds the other end does not keep us.
func (c *child) closePipes() {
	if c.stdout != nil {
		_, _ = c.stdout.Close(), c.stderr.Close()
	}
}

func (c *child) id() string { return strconv.Itoa(c.pid) }
