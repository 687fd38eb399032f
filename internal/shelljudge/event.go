package shelljudge

import (
	"fmt"
	"strings"
)

// Sort is what a system call does, as far as the oracles tell calls apart.
type Sort uint8

// The sorts. Read is an open for reading, List one of a folder; Write is an open
// for writing and everything else that changes a file or a folder.
const (
	Exec Sort = iota + 1
	Open      // not yet told apart
	Read
	List
	Write
	Chdir
	Net
	Kill
)

// String names the sort as failures do.
func (s Sort) String() string {
	return [...]string{"?", "executed", "opened", "read", "listed", "wrote", "entered", "connected", "signalled"}[s]
}

// Event is one system call that a process of a line made.
type Event struct {
	Sort Sort
	Call string // "openat"
	PID  uint32
	// Shell says that the process was a shell, or the child of one, and not yet
	// another program.
	Shell bool
	Image string // the name of the program that called
	Path  string // absolute and clean, as the process would have resolved it
	Dir   string // its folder
	// Missing says of an open that nothing was there.
	Missing bool
	Args    []string
}

// String spells the event as failures print it.
func (e Event) String() string {
	if e.Sort == Exec {
		return fmt.Sprintf("%s %s %q", e.Sort, e.Path, e.Args)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s", e.Sort, e.Path)) + " (" + e.Image + ": " + e.Call + ")"
}

// Run is what one line did in one shell.
type Run struct {
	Shell  string
	Events []Event
	// Cut says that the line was stopped: it ran for too long or did too much. What
	// it did until then counts.
	Cut bool
}
