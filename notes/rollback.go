package notes

import (
	"cmp"
	"fmt"
	"slices"
)

// Rollback drafts that a note says again what it said after the change n, where it hangs now. One that
// is gone comes back where it was, with all that was below it.
func (t *Tree) Rollback(id ID, n uint64) (Draft, error) {
	then, ok := t.At(id, n)
	if !ok {
		return Draft{}, fmt.Errorf("%s after change %d: %w", id, n, ErrNoNote)
	}
	if now, there := t.Now(id); there {
		if now.Object == then.Object {
			return Draft{}, ErrSame
		}
		e := then.Entry
		e.Parent, e.Rank, e.From = now.Parent, now.Rank, now.From
		return t.back(n, id, []Entry{e})
	}
	if _, there := t.Now(then.Parent); then.Parent != "" && !there {
		return Draft{}, fmt.Errorf("the note above it, %s, is gone: roll that one back", then.Parent)
	}
	return t.back(n, id, t.revived(id, n))
}

// revived are the notes that were at or below a note after the change n, and are gone.
func (t *Tree) revived(id ID, n uint64) (all []Entry) {
	below := map[ID][]Version{}
	for x := range t.notes {
		if v, ok := t.At(x, n); ok {
			below[v.Parent] = append(below[v.Parent], v)
		}
	}
	first, _ := t.At(id, n)
	for stack := []Version{first}; len(stack) > 0; {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if _, elsewhere := t.Now(v.ID); elsewhere {
			continue
		}
		all = append(all, v.Entry)
		stack = append(stack, below[v.ID]...)
	}
	return sorted(all)
}

// RollbackAll drafts that the whole tree stands as after the change n. What came later is gone, and its
// versions stay.
func (t *Tree) RollbackAll(n uint64) (Draft, error) {
	var all []Entry
	for id := range t.notes {
		now, _ := t.last(id)
		then, was := t.At(id, n)
		switch {
		case was && (now.Gone || now.Object != then.Object || now.Parent != then.Parent || now.Rank != then.Rank):
			all = append(all, then.Entry)
		case !was && !now.Gone:
			now.Gone = true
			all = append(all, now.Entry)
		}
	}
	if len(all) == 0 {
		return Draft{}, ErrSame
	}
	return t.back(n, "", sorted(all))
}

// sorted puts entries in one order, whatever the order of a map is.
func sorted(all []Entry) []Entry {
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

func (t *Tree) back(n uint64, id ID, all []Entry) (Draft, error) {
	d := draft(RolledBack, id, all)
	d.Change.To = &n
	return d, tooMany(all)
}
