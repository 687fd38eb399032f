package notes

// importing is one import, matched with the notes that are there.
type importing struct {
	tree  *Tree
	file  string
	all   []found
	ids   []ID // of all
	has   map[ID]bool
	gone  []Version   // what the file had and has no more, and what hangs below that
	goes  map[ID]bool // the same
	apart []bool      // of all: private in the file, by itself or by a heading above it
}

func (t *Tree) importOf(nonce, file string, all []found) *importing {
	im := &importing{tree: t, file: file, all: all, ids: make([]ID, len(all)), has: map[ID]bool{}, goes: map[ID]bool{},
		apart: make([]bool, len(all))}
	for i, f := range all {
		if im.ids[i] = t.files[file][f.key]; im.ids[i] == "" {
			im.ids[i] = t.fresh(nonce, i, im.has)
		}
		im.has[im.ids[i]] = true
		im.apart[i] = t.private.Any(f.item.Tags) || f.parent >= 0 && im.apart[f.parent]
	}
	for v := range t.Below("") {
		if (v.From != nil && v.From.File == file || im.goes[v.Parent]) && !im.has[v.ID] {
			im.goes[v.ID] = true
			im.gone = append(im.gone, v)
		}
	}
	return im
}

// draft makes the change. keep says that notes stay where they were put here.
func (im *importing) draft(keep bool) (Draft, error) {
	d := draft(Imported, im.ids[0], nil)
	d.Change.File = im.file
	for i, f := range im.all {
		parent, rank := ID(""), im.tree.end("")
		if f.parent >= 0 {
			parent, rank = im.ids[f.parent], f.rank
		}
		e, err := f.item.entry(im.ids[i], parent, rank)
		if err != nil {
			return Draft{}, &LineError{im.file, f.item.Line, err}
		}
		e.From = &Origin{File: im.file, Key: f.key, Object: e.Object, Parent: parent}
		if e, changed := im.merged(e, keep && !im.apart[i]); changed {
			d.Change.Entries = append(d.Change.Entries, e)
			d.Objects = append(d.Objects, &f.item.Object)
		}
	}
	for _, v := range im.gone {
		v.Gone = true
		d.Change.Entries = append(d.Change.Entries, v.Entry)
	}
	if len(d.Change.Entries) == 0 {
		return d, ErrSame
	}
	return d, tooMany(d.Change.Entries)
}

// merged is how a note stands after an import that has e for it, and whether that is new. keep says that
// it stays where it was put here since the last import, if the file has not moved it. What the file calls
// private goes where the file has it.
func (im *importing) merged(e Entry, keep bool) (Entry, bool) {
	now, ok := im.tree.Now(e.ID)
	if !ok {
		return e, true
	}
	if now.From == nil {
		return e, true
	}
	if now.From.Object == e.Object { // the file says what it said
		e.Object, e.Title, e.Tags = now.Object, now.Title, now.Tags
	}
	moved := now.Parent != now.From.Parent && now.From.Parent == e.Parent
	if keep && moved && !im.goes[now.Parent] {
		e.Parent, e.Rank = now.Parent, now.Rank
	}
	if e.Parent == "" && now.Parent == "" {
		e.Rank = now.Rank // files stay in the order of their first import
	}
	return e, e.Object != now.Object || e.Parent != now.Parent || e.Rank != now.Rank || *e.From != *now.From
}
