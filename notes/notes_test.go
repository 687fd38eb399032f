package notes

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// world is a tree with the objects of its changes.
type world struct {
	t     *testing.T
	tree  *Tree
	turns int
}

func newWorld(t *testing.T) *world { return &world{t: t, tree: NewTree(NewPrivate())} }

// do enters a draft, as the log would hold it.
func (w *world) do(d Draft, err error) ID {
	w.t.Helper()
	require.NoError(w.t, err)
	data, err := d.Change.Data()
	require.NoError(w.t, err)
	require.NoError(w.t, w.tree.Apply(KindChanged, data))
	return d.Note
}

func (w *world) nonce() string {
	w.turns++
	return fmt.Sprint("turn ", w.turns)
}

func (w *world) add(parent ID, title string, tags ...string) ID {
	w.t.Helper()
	return w.do(w.tree.Add(w.nonce(), parent, &Object{Title: title, Tags: tags}))
}

func (w *world) now(id ID) Version {
	w.t.Helper()
	v, ok := w.tree.Now(id)
	require.True(w.t, ok, id)
	return v
}

// Row 96: the same notes have the same digest, a change below changes the digests above, the old version
// stays, and a rollback makes the first state current while the second stays in history.
func TestRow096_ARollbackMakesTheOldStateCurrentAndTheNewOneStays(t *testing.T) {
	a, b := newWorld(t), newWorld(t)
	var root, child ID
	for _, w := range []*world{a, b} {
		root = w.add("", "project")
		child = w.add(root, "child")
		w.turns = 2
	}
	require.Equal(t, a.tree.Digest(""), b.tree.Digest(""), "the same notes")

	stateA, childA, other := a.tree.Digest(root), a.tree.Digest(child), a.add("", "apart")
	apart := a.tree.Digest(other)
	a.do(a.tree.Edit(child, &Object{Title: "child", Body: "State B"}))
	stateB := a.tree.Digest(root)
	assert.NotEqual(t, childA, a.tree.Digest(child))
	assert.NotEqual(t, stateA, stateB, "what is below counts")
	assert.Equal(t, apart, a.tree.Digest(other), "what is beside does not")
	require.Len(t, a.tree.Versions(child), 2)

	a.do(a.tree.Rollback(child, a.tree.Versions(child)[0].N))
	assert.Equal(t, stateA, a.tree.Digest(root))
	all := a.tree.Versions(child)
	require.Len(t, all, 3)
	assert.Equal(t, all[0].Object, all[2].Object)
	assert.NotEqual(t, all[0].Object, all[1].Object, "State B stays")
	a.do(a.tree.Rollback(child, all[1].N))
	assert.Equal(t, stateB, a.tree.Digest(root), "and can be current again")
}

func TestTheWholeTreeIsRolledBack(t *testing.T) {
	w := newWorld(t)
	root := w.add("", "project")
	one, two := w.add(root, "one"), w.add(root, "two")
	then, at := w.tree.Digest(""), w.tree.Next()-1
	w.do(w.tree.Move(two, one))
	w.do(w.tree.Edit(one, &Object{Title: "another"}))
	late := w.add(two, "late")
	w.do(w.tree.Remove(root))
	require.Zero(t, w.tree.Len())
	before := w.tree.Digest("")

	w.do(w.tree.RollbackAll(at))
	assert.Equal(t, then, w.tree.Digest(""))
	_, ok := w.tree.Now(late)
	assert.False(t, ok, "what came later is gone")
	assert.Len(t, w.tree.Versions(late), 2, "and its versions stay: added, removed; it was gone already")
	_, err := w.tree.RollbackAll(at)
	require.ErrorIs(t, err, ErrSame)
	w.do(w.tree.RollbackAll(at + 4))
	assert.Equal(t, before, w.tree.Digest(""), "a rollback is rolled back")
	w.do(w.tree.Rollback(root, at))
	assert.Equal(t, then, w.tree.Digest(""), "a note that is gone comes back with those below it")
}

// Row 97: titles in any script.
func TestRow097_TitlesInAnyScript(t *testing.T) {
	w := newWorld(t)
	for _, title := range []string{"مذكرات", "€ 100", "日本語のメモ", "गोपनीय", "🗒️ notes", "ß", "ﬁ", "e\u0301", "\u00e9"} {
		id := w.add("", title, "مهم", "गोपनीय")
		assert.Equal(t, title, w.now(id).Title)
		o, err := ReadObject(must((&Object{Title: title}).Text()))
		require.NoError(t, err)
		assert.Equal(t, title, o.Title)
	}
	assert.Equal(t, 9, w.tree.Len())
}

func must(s string, err error) string {
	if err != nil {
		panic(err)
	}
	return s
}

// W43: a note that moves has another parent, and so do the digests above it.
func TestW43_AMovedNoteHasItsNewParent(t *testing.T) {
	w := newWorld(t)
	a, b := w.add("", "a"), w.add("", "b")
	x := w.add(a, "x")
	was, old := w.tree.Digest(a), w.tree.Digest(b)
	w.do(w.tree.Move(x, b))
	assert.Equal(t, b, w.now(x).Parent)
	assert.Equal(t, []ID{x}, w.tree.Children(b))
	assert.Empty(t, w.tree.Children(a))
	assert.NotEqual(t, was, w.tree.Digest(a))
	assert.NotEqual(t, old, w.tree.Digest(b))
	assert.Equal(t, a, w.tree.Versions(x)[0].Parent, "where it was is in its history")
}

func TestNoNoteIsAboveItself(t *testing.T) {
	w := newWorld(t)
	a := w.add("", "a")
	b := w.add(a, "b")
	_, err := w.tree.Move(a, b)
	require.ErrorContains(t, err, "below itself")
	_, err = w.tree.Move(a, a)
	require.ErrorContains(t, err, "below itself")
	v, u := w.now(a).Entry, w.now(b).Entry
	v.Parent = b
	forged := Change{V: 1, Why: Moved, Entries: []Entry{v, u}}
	require.ErrorContains(t, w.tree.Clone().Apply(KindChanged, must(forged.Data())), "above itself", "a forged log")
	u.Gone, v.Parent = true, ""
	u.Gone = false
	v.Gone = true
	forged = Change{V: 1, Why: Removed, Entries: []Entry{v}}
	require.ErrorContains(t, w.tree.Clone().Apply(KindChanged, must(forged.Data())), "is not", "a part of a tree")
	deep := ID("")
	for range MaxDepth {
		deep = w.add(deep, "deeper")
	}
	d, err := w.tree.Add("n", deep, &Object{Title: "too deep"})
	require.NoError(t, err)
	require.ErrorContains(t, w.tree.Clone().Apply(KindChanged, must(d.Change.Data())), "deep")
}

func TestObjectsThatNoNoteCanHold(t *testing.T) {
	for name, o := range map[string]*Object{
		"two lines":     {Title: "a\nb"},
		"a separator":   {Title: "a\u2028b"},
		"no UTF-8":      {Title: "a\xff"},
		"no UTF-8 body": {Body: "\xc3"},
		"a NUL":         {Body: "a\x00"},
		"a long title":  {Title: string(make([]byte, MaxTitle+1))},
		"a tag of two":  {Tags: []string{"a b"}},
		"no tag":        {Tags: []string{""}},
		"a tag twice":   {Tags: []string{"a", "a"}},
		"no property":   {Props: []Prop{{}}},
	} {
		_, err := o.Text()
		assert.Error(t, err, name)
	}
}

func TestEventsOfALaterVersion(t *testing.T) {
	tree := NewTree(NewPrivate())
	require.ErrorIs(t, tree.Clone().Apply("painted", "{}"), ErrVersion)
	d, err := tree.Add("n", "", &Object{Title: "a"})
	require.NoError(t, err)
	d.Change.V = 2
	require.ErrorIs(t, tree.Clone().Apply(KindChanged, must(d.Change.Data())), ErrVersion)
	require.Error(t, tree.Clone().Apply(KindChanged, `{"v":1,"why":"add","at":0,"entries":[],"more":1}`))
}
