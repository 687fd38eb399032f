package notes

import (
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/sexpr"
)

// Family is what the log of notes is called on the record, and Log is its name.
const (
	Family = "notes"
	Log    = "notes"
)

// version of events that this code writes and reads.
const version = 1

// ErrVersion says that a later program wrote an event.
var ErrVersion = errors.New("an event of a version that this program does not know")

// The kinds of event.
const (
	KindChanged = "changed"
	KindFocused = "focused"
)

// Why says what made a change.
type Why string

// What makes changes.
const (
	Added      Why = "add"
	Edited     Why = "edit"
	Moved      Why = "move"
	Removed    Why = "remove"
	Imported   Why = "import"
	RolledBack Why = "rollback"
)

// Entry is how one note stands after a change.
type Entry struct {
	ID     ID       `json:"id"`
	Object string   `json:"object"` // the digest of an [Object]
	Title  string   `json:"title"`  // of the object, and so are the tags: a tree needs no object
	Tags   []string `json:"tags,omitempty"`
	Parent ID       `json:"parent,omitempty"` // "" at the top
	Rank   int      `json:"rank"`             // its place among its siblings; the id decides between equal ones
	Gone   bool     `json:"gone,omitempty"`
	// From says where an import found the note; nil for one that was made here.
	From *Origin `json:"from,omitempty"`
}

// Origin is what a file said of a note when it was last imported: where the next import finds it again,
// and what the file has changed since then.
type Origin struct {
	File   string `json:"file"`
	Key    string `json:"key"`
	Object string `json:"object"`
	Parent ID     `json:"parent,omitempty"`
}

// Change is one event of the log: entries that hold together.
type Change struct {
	V       int     `json:"v"`
	Why     Why     `json:"why"`
	At      int64   `json:"at"` // Unix milliseconds
	By      string  `json:"by,omitempty"`
	Session string  `json:"session,omitempty"`
	File    string  `json:"file,omitempty"` // of an import
	To      *uint64 `json:"to,omitempty"`   // of a rollback: the change that it goes back to
	Entries []Entry `json:"entries"`
}

// Focus is one event of the log: what a session looks at.
type Focus struct {
	V       int    `json:"v"`
	At      int64  `json:"at"` // Unix milliseconds
	By      string `json:"by,omitempty"`
	Session string `json:"session,omitempty"` // "" for all that have no focus of their own
	Note    ID     `json:"note,omitempty"`    // "" for none
	Scope   Scope  `json:"scope"`
}

// Scope says how far around its focus a session sees titles.
type Scope string

// The scopes.
const (
	Memex   Scope = "memex"   // all notes
	Project Scope = "project" // the nearest note at or above the focus that is tagged project, or else the topmost
	Session Scope = "session" // what the session has looked at or changed
)

// Valid reports whether s is one of the scopes.
func (s Scope) Valid() bool { return s == Memex || s == Project || s == Session }

// Event is one entry of the log, as it is written.
type Event struct{ Kind, Data string }

// Draft is a change to be made, with the objects that it rests on and that may not be on record.
type Draft struct {
	Change  Change
	Objects []*Object
	// Note is the note that the draft is about; "" for many.
	Note ID
}

// Data writes an event, canonical.
func (c *Change) Data() (string, error) {
	out, err := canon.Of(c)
	return string(out), err
}

// Data writes an event, canonical.
func (f *Focus) Data() (string, error) {
	out, err := canon.Of(f)
	return string(out), err
}

// ReadChange reads what [Change.Data] wrote, and checks each entry by itself.
func ReadChange(data string) (*Change, error) {
	c := &Change{}
	if err := strict([]byte(data), c); err != nil {
		return nil, err
	}
	if c.V != version {
		return nil, fmt.Errorf("version %d, this program knows %d: %w", c.V, version, ErrVersion)
	}
	return c, c.check()
}

// ReadFocus reads what [Focus.Data] wrote.
func ReadFocus(data string) (*Focus, error) {
	f := &Focus{}
	if err := strict([]byte(data), f); err != nil {
		return nil, err
	}
	if f.V != version {
		return nil, fmt.Errorf("version %d, this program knows %d: %w", f.V, version, ErrVersion)
	}
	if !f.Scope.Valid() || f.Note != "" && !f.Note.Valid() {
		return nil, fmt.Errorf("focus of session %q, scope %q, note %q", f.Session, f.Scope, f.Note)
	}
	return f, nil
}

func (c *Change) check() error {
	switch c.Why {
	case Added, Edited, Moved, Removed, Imported, RolledBack:
	default:
		return fmt.Errorf("a change of kind %q", c.Why)
	}
	if len(c.Entries) == 0 || len(c.Entries) > MaxNotes {
		return fmt.Errorf("%d notes in a change: want 1 to %d", len(c.Entries), MaxNotes)
	}
	seen := make(map[ID]bool, len(c.Entries))
	for i := range c.Entries {
		e := &c.Entries[i]
		if err := e.check(); err != nil {
			return err
		}
		if seen[e.ID] {
			return fmt.Errorf("note %s is twice in a change", e.ID)
		}
		seen[e.ID] = true
	}
	return nil
}

func (e *Entry) check() error {
	if !e.ID.Valid() || e.Parent != "" && !e.Parent.Valid() {
		return fmt.Errorf("note %q below %q: want ids of notes", e.ID, e.Parent)
	}
	_, err := sexpr.ParseDigest(e.Object)
	if err == nil {
		err = (&Object{Title: e.Title, Tags: e.Tags}).Check()
	}
	if err == nil && e.From != nil && (e.From.File == "" || e.From.Key == "") {
		err = errors.New("it is from a file, and not said from where in which")
	}
	if err != nil {
		return fmt.Errorf("note %s: %w", e.ID, err)
	}
	return nil
}

// FocusOn is the focus on a note; whose it is and when, a book adds.
func FocusOn(id ID, scope Scope) Focus { return Focus{V: version, Note: id, Scope: scope} }
