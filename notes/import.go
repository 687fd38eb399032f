package notes

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Item is a note as a file has it, with those below it.
type Item struct {
	Object
	Line     int    // where it begins, from 1
	Own      string // what the file itself calls its id; "" for none
	Children []*Item
}

// LineError says what is wrong with a file, and where.
type LineError struct {
	File string
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns what is wrong.
func (e *LineError) Unwrap() error { return e.Err }

// found is an item with its place in the file.
type found struct {
	item   *Item
	parent int // in the list; -1 for the root
	rank   int
	key    string
}

// list lists a file, each item before its children, and names the place of each so that the next import
// finds it again: by the id that the file gives it, if the file gives that to no other, or else by its
// parent, its title, and how many siblings before it have the same.
func list(file string, root *Item) ([]found, error) {
	all, own := []found{{item: root, parent: -1}}, map[string]int{}
	depth := []int{1}
	for i := 0; i < len(all); i++ {
		at := all[i].item
		if err := at.Check(); err != nil {
			return nil, &LineError{file, at.Line, err}
		}
		if depth[i] > MaxDepth || len(all) > MaxNotes {
			return nil, &LineError{file, at.Line, fmt.Errorf("more than %d headings above each other, or %d in all", MaxDepth,
				MaxNotes)}
		}
		if at.Own != "" {
			own[at.Own]++
		}
		for n, c := range at.Children {
			all, depth = append(all, found{item: c, parent: i, rank: n}), append(depth, depth[i]+1)
		}
	}
	same := map[string]int{}
	for i := range all {
		f := &all[i]
		switch {
		case f.parent < 0:
			f.key = "/"
		case f.item.Own != "" && own[f.item.Own] == 1:
			f.key = keyOf("own", f.item.Own)
		default:
			in := all[f.parent].key + "\n" + f.item.Title
			f.key = keyOf("at", in, strconv.Itoa(same[in]))
			same[in]++
		}
	}
	return all, nil
}

func keyOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:16])
}

// Import drafts that the notes of a file stand as the file has them. file is the name that an earlier
// import of the same file had. What the file had then and has no more is gone, with all below it. A note
// that was changed here since, and not in the file, stays as it is here; one that the file changed is as
// in the file, and what it was is one of its versions. The error is [ErrSame] if nothing changes.
func (t *Tree) Import(nonce, file string, root *Item) (Draft, error) {
	if file == "" {
		return Draft{}, errors.New("an import needs the name of its file")
	}
	if err := line("name of a file", file, MaxProp); err != nil {
		return Draft{}, err
	}
	all, err := list(file, root)
	if err != nil {
		return Draft{}, err
	}
	im := t.importOf(nonce, file, all)
	d, err := im.draft(true)
	if err != nil {
		return d, err
	}
	if c := t.Clone(); c.change(&d.Change) != nil { // what was moved here and what was moved there make a ring
		d, err = im.draft(false)
	}
	return d, err
}
