package notes

import (
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/plans/canon"
)

// ErrSame says that a change would change nothing.
var ErrSame = errors.New("that changes nothing")

// entry is how a note with this object stands there.
func (o *Object) entry(id, parent ID, rank int) (Entry, error) {
	text, err := o.Text()
	if err != nil {
		return Entry{}, err
	}
	return Entry{ID: id, Object: canon.Digest([]byte(text)).String(), Title: o.Title, Tags: o.Tags, Parent: parent,
		Rank: rank}, nil
}

func draft(why Why, id ID, entries []Entry, objects ...*Object) Draft {
	return Draft{Change: Change{V: version, Why: why, Entries: entries}, Objects: objects, Note: id}
}

// Add drafts a new note, behind the others below parent. nonce is a text that no other draft has: the id
// of the note is made of it.
func (t *Tree) Add(nonce string, parent ID, o *Object) (Draft, error) {
	if _, ok := t.Now(parent); parent != "" && !ok {
		return Draft{}, fmt.Errorf("%s: %w", parent, ErrNoNote)
	}
	id := t.fresh(nonce, 0, nil)
	e, err := o.entry(id, parent, t.end(parent))
	return draft(Added, id, []Entry{e}, o), err
}

// Edit drafts another text for a note.
func (t *Tree) Edit(id ID, o *Object) (Draft, error) {
	was, ok := t.Now(id)
	if !ok {
		return Draft{}, fmt.Errorf("%s: %w", id, ErrNoNote)
	}
	e, err := o.entry(id, was.Parent, was.Rank)
	if err != nil {
		return Draft{}, err
	}
	if e.Object == was.Object {
		return Draft{}, ErrSame
	}
	e.From = was.From
	return draft(Edited, id, []Entry{e}, o), nil
}

// Move drafts that a note hangs, with all below it, behind the others below parent.
func (t *Tree) Move(id, parent ID) (Draft, error) {
	was, ok := t.Now(id)
	if _, there := t.Now(parent); !ok || parent != "" && !there {
		return Draft{}, fmt.Errorf("%s below %q: %w", id, parent, ErrNoNote)
	}
	if was.Parent == parent {
		return Draft{}, ErrSame
	}
	if slices.ContainsFunc(t.Path(parent), func(v Version) bool { return v.ID == id }) {
		return Draft{}, fmt.Errorf("%s cannot hang below itself", id)
	}
	if d := len(t.Path(parent)) + t.height(id); d > MaxDepth {
		return Draft{}, fmt.Errorf("notes %d deep: want at most %d", d, MaxDepth)
	}
	e := was.Entry
	e.Parent, e.Rank = parent, t.end(parent)
	return draft(Moved, id, []Entry{e}), nil
}

// Remove drafts that a note is gone, and all below it. Their versions stay.
func (t *Tree) Remove(id ID) (Draft, error) {
	if _, ok := t.Now(id); !ok {
		return Draft{}, fmt.Errorf("%s: %w", id, ErrNoNote)
	}
	var all []Entry
	for v := range t.Below(id) {
		v.Gone = true
		all = append(all, v.Entry)
	}
	return draft(Removed, id, all), tooMany(all)
}

func tooMany(all []Entry) error {
	if len(all) > MaxNotes {
		return fmt.Errorf("%d notes in one change: want at most %d", len(all), MaxNotes)
	}
	return nil
}
