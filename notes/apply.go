package notes

import (
	"fmt"
	"maps"
	"slices"
)

// Apply takes the next event into the tree: kind and data as the log has them. After an error the tree is
// of no use: the event is at odds with those before it, or of a later version.
func (t *Tree) Apply(kind, data string) error {
	var err error
	switch kind {
	case KindChanged:
		var c *Change
		if c, err = ReadChange(data); err == nil {
			err = t.change(c)
		}
	case KindFocused:
		var f *Focus
		if f, err = ReadFocus(data); err == nil {
			t.focus[f.Session] = *f
			t.look(f.Session, f.Note)
		}
	default:
		err = fmt.Errorf("kind %q: %w", kind, ErrVersion)
	}
	if err != nil {
		return fmt.Errorf("event %d: %w", t.next, err)
	}
	t.next++
	return nil
}

// look notes that a session looked at a note.
func (t *Tree) look(session string, id ID) {
	if session != "" && id != "" && !slices.Contains(t.seen[session], id) {
		t.seen[session] = append(slices.Clip(t.seen[session]), id)
	}
}

func (t *Tree) change(c *Change) error {
	parents := map[ID]bool{} // whose children change
	for _, e := range c.Entries {
		was, known := t.last(e.ID)
		if known && !was.Gone {
			parents[was.Parent] = true
		}
		if !e.Gone {
			parents[e.Parent] = true
		}
		t.notes[e.ID] = append(slices.Clip(t.notes[e.ID]), Version{Entry: e, N: t.next, At: c.At, By: c.By,
			Session: c.Session, Why: c.Why})
		if e.From != nil {
			t.file(e.From.File, e.From.Key, e.ID)
		}
	}
	t.place(c, parents)
	if err := t.sound(c); err != nil {
		return err
	}
	for _, e := range c.Entries {
		t.hide(e.ID)
		if c.Why != Imported { // an import is not a look at each of its notes
			t.look(c.Session, e.ID)
		}
	}
	return nil
}

// file notes where the next import of a file finds a note.
func (t *Tree) file(name, key string, id ID) {
	keys := t.files[name]
	if keys[key] == id {
		return
	}
	keys = maps.Clone(keys)
	if keys == nil {
		keys = map[string]ID{}
	}
	keys[key] = id
	t.files[name] = keys
}

// place puts the notes of a change among the children of their parents.
func (t *Tree) place(c *Change, parents map[ID]bool) {
	kids := make(map[ID][]ID, len(parents))
	moved := make(map[ID]bool, len(c.Entries))
	for _, e := range c.Entries {
		moved[e.ID] = true
		if !e.Gone {
			kids[e.Parent] = append(kids[e.Parent], e.ID)
		}
	}
	for p := range parents {
		all := kids[p]
		for _, id := range t.kids[p] {
			if !moved[id] {
				all = append(all, id)
			}
		}
		if len(all) == 0 {
			delete(t.kids, p)
			continue
		}
		t.sort(all)
		t.kids[p] = all
	}
}

// sound checks that all notes of a change, and those below them, hang on the top: no parent is gone, no
// note is above itself, and none is too deep.
func (t *Tree) sound(c *Change) error {
	for _, e := range c.Entries {
		switch {
		case e.Gone && len(t.kids[e.ID]) > 0:
			return fmt.Errorf("note %s is gone, and the one below it, %s, is not", e.ID, t.kids[e.ID][0])
		case e.Gone:
			continue
		}
		depth := len(t.Path(e.ID))
		if depth == 0 {
			return fmt.Errorf("note %s is above itself, or hangs below one that is not there", e.ID)
		}
		if over := depth + t.height(e.ID) - 1; over > MaxDepth {
			return fmt.Errorf("notes %d deep: want at most %d", over, MaxDepth)
		}
	}
	return nil
}

// height is how many levels a note has, itself included.
func (t *Tree) height(id ID) int {
	most := 0
	for _, depth := range t.Below(id) {
		if most = max(most, depth+1); most > MaxDepth {
			break
		}
	}
	return most
}

// hide marks what is private now: these versions were private while they were current.
func (t *Tree) hide(id ID) {
	if _, ok := t.Now(id); !ok || t.Visible(id) {
		return
	}
	for v := range t.Below(id) {
		if !v.Hidden {
			all := slices.Clone(t.notes[v.ID])
			all[len(all)-1].Hidden = true
			t.notes[v.ID] = all
		}
	}
}
