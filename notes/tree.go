package notes

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
)

// ErrNoNote says that there is no such note, or, to a model, none that it may see.
var ErrNoNote = errors.New("no such note")

// Version is how a note stood from one change on, until the next of its versions.
type Version struct {
	Entry
	N       uint64 // the number of the change in the log
	At      int64  // Unix milliseconds
	By      string
	Session string
	Why     Why
	Hidden  bool // it was private at some time while it was current
}

// Tree is what holds after some events of the log. The zero Tree is of no use, see [NewTree]. It is not
// safe for concurrent use while events are applied; after that it is.
type Tree struct {
	private Private
	next    uint64
	notes   map[ID][]Version // all versions, the oldest first; a slice is never changed, but for its room
	kids    map[ID][]ID      // who is below a note, in order; "" is the top. A slice is never changed
	files   map[string]map[string]ID
	focus   map[string]Focus
	seen    map[string][]ID // by session, what it looked at or changed, each once
}

// NewTree returns the tree before the first event.
func NewTree(p Private) *Tree {
	return &Tree{private: p, notes: map[ID][]Version{}, kids: map[ID][]ID{}, files: map[string]map[string]ID{},
		focus: map[string]Focus{}, seen: map[string][]ID{}}
}

// Clone returns a tree that goes its own way from here.
func (t *Tree) Clone() *Tree {
	c := *t
	c.notes, c.kids, c.focus, c.seen = maps.Clone(t.notes), maps.Clone(t.kids), maps.Clone(t.focus), maps.Clone(t.seen)
	c.files = maps.Clone(t.files)
	return &c
}

// Next is the number of the next event.
func (t *Tree) Next() uint64 { return t.next }

// Now returns how a note stands; ok is false if there is none of this id, or if it is gone.
func (t *Tree) Now(id ID) (v Version, ok bool) {
	v, ok = t.last(id)
	return v, ok && !v.Gone
}

// last returns the newest version of a note, which may be gone.
func (t *Tree) last(id ID) (Version, bool) {
	all := t.notes[id]
	if len(all) == 0 {
		return Version{}, false
	}
	return all[len(all)-1], true
}

// At returns how a note stood after the change n; ok is false if it was not there, or gone.
func (t *Tree) At(id ID, n uint64) (v Version, ok bool) {
	for _, x := range slices.Backward(t.notes[id]) {
		if x.N <= n {
			return x, !x.Gone
		}
	}
	return Version{}, false
}

// Versions returns all versions of a note, the oldest first.
func (t *Tree) Versions(id ID) []Version { return slices.Clone(t.notes[id]) }

// IDs are those of all notes that ever were, in no order.
func (t *Tree) IDs() iter.Seq[ID] { return maps.Keys(t.notes) }

// Children returns the notes below a note, in order; "" is the top.
func (t *Tree) Children(id ID) []ID { return t.kids[id] }

// Len is how many notes there are that are not gone.
func (t *Tree) Len() int {
	n := 0
	for _, k := range t.kids {
		n += len(k)
	}
	return n
}

// Path returns a note and those above it, the topmost first. It is empty for a note that is not there.
func (t *Tree) Path(id ID) (out []Version) {
	for id != "" {
		v, ok := t.Now(id)
		if !ok || len(out) > MaxDepth {
			return nil
		}
		out = append(out, v)
		id = v.Parent
	}
	slices.Reverse(out)
	return out
}

// Visible reports whether a model may know of a note: it is there, and neither it nor a note above it has
// a private tag.
func (t *Tree) Visible(id ID) bool {
	path := t.Path(id)
	return len(path) > 0 && !slices.ContainsFunc(path, func(v Version) bool { return t.private.Any(v.Tags) })
}

// Below walks a note and all below it, each before its children and with its depth, 0 for the first. ""
// walks all notes.
func (t *Tree) Below(id ID) iter.Seq2[Version, int] {
	return func(yield func(Version, int) bool) { t.walk(id, func(Version) bool { return true }, yield) }
}

// Shown walks as [Tree.Below] does, and leaves out what a model may not know of, with all below it.
func (t *Tree) Shown(id ID) iter.Seq2[Version, int] {
	return func(yield func(Version, int) bool) {
		if id == "" || t.Visible(id) {
			t.walk(id, func(v Version) bool { return !t.private.Any(v.Tags) }, yield)
		}
	}
}

// walk calls yield with the notes for which into is true, and goes below no other.
func (t *Tree) walk(id ID, into func(Version) bool, yield func(Version, int) bool) {
	type place struct {
		id    ID
		depth int
	}
	stack := []place{{id, 0}}
	if id == "" {
		stack = nil
		for _, k := range slices.Backward(t.kids[""]) {
			stack = append(stack, place{k, 0})
		}
	}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		v, ok := t.Now(at.id)
		if !ok || !into(v) {
			continue
		}
		if !yield(v, at.depth) {
			return
		}
		for _, k := range slices.Backward(t.kids[at.id]) {
			stack = append(stack, place{k, at.depth + 1})
		}
	}
}

// FocusOf returns what a session looks at. One that never said looks at what is the focus of session "".
func (t *Tree) FocusOf(session string) (Focus, bool) {
	f, ok := t.focus[session]
	if !ok {
		f, ok = t.focus[""]
	}
	return f, ok
}

// Seen returns what a session looked at or changed, in the order in which it first did.
func (t *Tree) Seen(session string) []ID { return t.seen[session] }

// sort orders siblings.
func (t *Tree) sort(ids []ID) {
	slices.SortFunc(ids, func(a, b ID) int {
		x, _ := t.last(a)
		y, _ := t.last(b)
		return cmp.Or(cmp.Compare(x.Rank, y.Rank), cmp.Compare(a, b))
	})
}

// end is the rank behind all children of a note.
func (t *Tree) end(parent ID) int {
	kids := t.kids[parent]
	if len(kids) == 0 {
		return 0
	}
	last, _ := t.last(kids[len(kids)-1])
	return last.Rank + 1
}

// fresh derives the n-th id of a change that no note ever had.
func (t *Tree) fresh(nonce string, n int, taken map[ID]bool) ID {
	for salt := 0; ; salt++ {
		id := derive(fmt.Sprintf("%d\n%s", salt, nonce), n)
		if len(t.notes[id]) == 0 && !taken[id] {
			return id
		}
	}
}
