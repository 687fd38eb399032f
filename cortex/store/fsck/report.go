package fsck

import (
	"errors"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// Report is what [Check] found in a store.
type Report struct {
	Dir     string  `json:"dir"`
	Commits uint64  `json:"commits"` // the newest one that any file names
	Keys    int     `json:"keys"`    // as of the newest one that can be read whole
	Faults  []Fault `json:"faults"`  // none: both places are as they were written
	// Torn is the last commit of the log, if it is not whole there: it was cut off by
	// a crash, and no caller was told that it was done, or the disk has lost its end.
	// Opening the store leaves it out. 0 if it is whole.
	Torn uint64 `json:"torn,omitempty"`
	Loss Loss   `json:"loss"`           // what is whole in neither place
	Kept string `json:"kept,omitempty"` // the folder in which a repair left the damaged files
}

// Fault is one thing that is not as it was written.
type Fault struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`           // in the file, in bytes; 0 where that is not known
	Commit uint64 `json:"commit,omitempty"` // that stands there, or should; 0 where that is not known
	Record uint64 `json:"record,omitempty"` // of the journal: the first that stands there; 0 where that is not known
	Text   string `json:"text"`
	Good   string `json:"good"` // which place has it whole: "log", "tables", "both" for a part each, or "" for none
}

// String says it in a line.
func (f Fault) String() string {
	at := ""
	if f.Offset > 0 {
		at += fmt.Sprintf(", byte %d", f.Offset)
	}
	switch {
	case f.Record > 0 && f.Commit == 0:
		at += fmt.Sprintf(" (record %d)", f.Record)
	case f.Record > 0:
		at += fmt.Sprintf(" (commit %d, record %d)", f.Commit, f.Record)
	case f.Commit > 0:
		at += fmt.Sprintf(" (commit %d)", f.Commit)
	}
	good := "not all of it is whole elsewhere"
	switch f.Good {
	case inLog:
		good = "the log has all of it"
	case inTables:
		good = "the tables have all of it"
	case inBoth:
		good = "both places together have all of it"
	}
	return fmt.Sprintf("%s%s: %s; %s", f.File, at, f.Text, good)
}

const (
	inLog    = "log"
	inTables = "tables"
	inBoth   = "both" // each has a part
)

// Loss is how much stands whole in neither place.
type Loss struct {
	Commits uint64 `json:"commits"`
	Records uint64 `json:"records"`            // of the journal, in those commits
	AtLeast bool   `json:"at_least,omitempty"` // the last of them cannot be read: there may be more records
	// Lost are the records, by number and kind.
	Lost []journal.Lost `json:"lost,omitempty"`
}

// some reports whether anything is lost.
func (l Loss) some() bool { return l.Commits > 0 || l.Records > 0 }

// String says it in a few words.
func (l Loss) String() string {
	least := ""
	if l.Records == 0 && len(l.Lost) == 0 && !l.AtLeast {
		return fmt.Sprintf("no record, but what %d commits wrote beside their records", l.Commits)
	}
	if l.AtLeast {
		least = "at least "
	}
	return fmt.Sprintf("%s%d records (%d commits)", least, l.Records, l.Commits)
}

// asFault says what err says, with what else is known about where.
func asFault(err error, at Fault) Fault {
	var damage *guard.Damage
	if !errors.As(err, &damage) {
		at.Text = firstLine(err)
		return at
	}
	f := Fault{File: damage.File, Offset: damage.Offset, Commit: damage.Frame, Text: damage.Text}
	if f.File == "" {
		f.File = at.File
	}
	return f
}

// firstLine is what an error of Pebble says, without its stack.
func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}
