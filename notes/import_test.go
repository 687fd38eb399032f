package notes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// item is a note of a file: its title, then those below it.
func item(title string, below ...*Item) *Item {
	return &Item{Object: Object{Title: title}, Children: below}
}

func (i *Item) own(id string) *Item         { i.Own = id; return i }
func (i *Item) tagged(tags ...string) *Item { i.Tags = tags; return i }
func (i *Item) saying(body string) *Item    { i.Body = body; return i }
func (w *world) put(file string, i *Item) ID {
	w.t.Helper()
	return w.do(w.tree.Import(w.nonce(), file, i))
}

// outline is the tree of titles.
func (w *world) outline() string {
	var b strings.Builder
	for v, depth := range w.tree.Below("") {
		b.WriteString(strings.Repeat(".", depth) + v.Title + " ")
	}
	return strings.TrimSpace(b.String())
}

func (w *world) named(title string) (ids []ID) {
	for v := range w.tree.Below("") {
		if v.Title == title {
			ids = append(ids, v.ID)
		}
	}
	return ids
}

// Row 98: siblings without ids are both stored.
func TestRow098_SiblingsWithoutIDsAreBothStored(t *testing.T) {
	w := newWorld(t)
	w.put("a.org", item("a", item("same"), item("same"), item("same", item("same"))))
	assert.Equal(t, "a .same .same .same ..same", w.outline())
	ids := w.named("same")
	require.Len(t, ids, 4)
	w.put("a.org", item("a", item("same"), item("same").saying("second"), item("same", item("same"))))
	assert.Equal(t, ids, w.named("same"), "a later import finds each again")
	assert.Len(t, w.tree.Versions(ids[1]), 2)
	assert.Len(t, w.tree.Versions(ids[0]), 1)
}

func TestIDsThatFilesGiveTwice(t *testing.T) {
	w := newWorld(t)
	w.put("a.org", item("a", item("x").own("1"), item("y").own("1"), item("z").own("2")))
	w.put("b.org", item("b", item("x").own("1"), item("z").own("2")))
	assert.Equal(t, "a .x .y .z b .x .z", w.outline(), "a copy of a file takes nothing from it")
	z := w.named("z")
	w.put("a.org", item("a", item("deep", item("renamed").own("2")), item("x").own("1"), item("y").own("1")))
	assert.Equal(t, "a .deep ..renamed .x .y b .x .z", w.outline())
	assert.Equal(t, []ID{z[0]}, w.named("renamed"), "by its own id it is found wherever it went")
	w.put("moved/a.org", item("a", item("x").own("1")))
	assert.Len(t, w.named("x"), 3, "a file that has moved is another file, and nothing is lost")
}

func TestWhatAFileHasNoMoreIsGoneAndItsVersionsStay(t *testing.T) {
	w := newWorld(t)
	w.put("a.org", item("a", item("b", item("c")), item("d")))
	b, c := w.named("b")[0], w.named("c")[0]
	mine := w.add(c, "mine")
	before := w.tree.Digest("")
	at := w.tree.Next() - 1
	w.put("a.org", item("a", item("d")))
	assert.Equal(t, "a .d", w.outline())
	assert.NotEmpty(t, w.tree.Versions(mine))
	w.do(w.tree.Rollback(b, at))
	assert.Equal(t, "a .b ..c ...mine .d", w.outline())
	assert.Equal(t, before, w.tree.Digest(""))
	w.put("a.org", item("a", item("d")))
	w.put("a.org", item("a", item("b"), item("d")))
	assert.Equal(t, []ID{b}, w.named("b"), "what comes back is the same note")
}

func TestAnImportLeavesWhatTheFileDidNotChange(t *testing.T) {
	w := newWorld(t)
	file := func(b string) *Item { return item("a", item("b").saying(b), item("c", item("d"))) }
	w.put("a.org", file("one"))
	b, d := w.named("b")[0], w.named("d")[0]
	_, err := w.tree.Import("again", "a.org", file("one"))
	require.ErrorIs(t, err, ErrSame)
	w.do(w.tree.Edit(b, &Object{Title: "edited here"}))
	w.do(w.tree.Move(d, b))
	_, err = w.tree.Import("again", "a.org", file("one"))
	require.ErrorIs(t, err, ErrSame, "the file says what it said")
	w.put("a.org", item("a", item("new"), item("b").saying("one"), item("c", item("d"))))
	_, err = w.tree.Import("again", "a.org", item("a", item("new"), item("b").saying("one"), item("c", item("d"))))
	require.ErrorIs(t, err, ErrSame)
	assert.Equal(t, "a .new .edited here ..d .c", w.outline(), "a change beside it touches no edit")
	w.put("a.org", item("a", item("new"), item("b").saying("two"), item("c", item("d"))))
	assert.Equal(t, "a .new .b ..d .c", w.outline(), "where both changed, the file wins")
	assert.Equal(t, "edited here", w.tree.Versions(b)[1].Title, "and the other is a version")
	w.put("a.org", item("a", item("c", item("d"))))
	assert.Equal(t, "a .c ..d", w.outline(), "a note of the file survives the one it was moved below")
}

func TestMovesHereAndThereMakeNoRing(t *testing.T) {
	w := newWorld(t)
	w.put("a.org", item("a", item("x", item("y").own("y")).own("x"), item("z").own("z")))
	x, y := w.named("x")[0], w.named("y")[0]
	w.do(w.tree.Move(y, ""))
	w.do(w.tree.Move(x, y))
	w.put("a.org", item("a", item("x", item("z", item("y").own("y")).own("z")).own("x")))
	assert.Equal(t, "a .x ..z ...y", w.outline(), "the file decides")
}

func TestAnImportIsWholeOrNotAtAll(t *testing.T) {
	deep := item("leaf")
	for range MaxDepth {
		deep = item("up", deep)
	}
	wide := item("wide")
	for i := range MaxNotes + 1 {
		wide.Children = append(wide.Children, item(fmt.Sprint(i)))
	}
	long := item("a", item("b"))
	long.Children[0].Line, long.Children[0].Body = 7, strings.Repeat("x", MaxBody+1)
	for name, i := range map[string]*Item{"deep": deep, "wide": wide, "long": long} {
		w := newWorld(t)
		w.put("a.org", item("a", item("b")))
		before := w.tree.Digest("")
		_, err := w.tree.Import("n", "a.org", i)
		at := &LineError{}
		require.ErrorAs(t, err, &at, name)
		assert.Equal(t, before, w.tree.Digest(""), name)
		if name == "long" {
			assert.Equal(t, 7, at.Line)
		}
	}
}

// Whatever is imported, changed and imported again: no two notes share an id, an import that changes
// something leaves the notes of the file as the file has them but for changes made here, and every
// object that a note ever had is in a version of it.
func TestImportsLoseNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t)
		titles := rapid.SampledFrom([]string{"a", "b", "é", "e\u0301", "مرحبا", ""})
		own := rapid.SampledFrom([]string{"", "", "1", "2"})
		var draw func(depth int) *Item
		draw = func(depth int) *Item {
			i := item(titles.Draw(rt, "title")).own(own.Draw(rt, "own"))
			for range rapid.IntRange(0, 3).Draw(rt, "below") * min(depth, 1) {
				i.Children = append(i.Children, draw(depth-1))
			}
			return i
		}
		had := map[ID]map[string]bool{}
		for range rapid.IntRange(1, 12).Draw(rt, "turns") {
			var d Draft
			var err error
			ids := []ID{""}
			for v := range w.tree.Below("") {
				ids = append(ids, v.ID)
			}
			pick := rapid.SampledFrom(ids)
			switch rapid.IntRange(0, 5).Draw(rt, "what") {
			case 0, 1, 2:
				root, file := draw(3), rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "file")
				if d, err = w.tree.Import(w.nonce(), file, root); err == nil {
					wantFound(rt, root, len(d.Change.Entries))
				}
			case 3:
				d, err = w.tree.Move(pick.Draw(rt, "note"), pick.Draw(rt, "parent"))
			case 4:
				d, err = w.tree.Edit(pick.Draw(rt, "note"), &Object{Title: titles.Draw(rt, "title"), Body: w.nonce()})
			case 5:
				d, err = w.tree.RollbackAll(rapid.Uint64Range(0, w.tree.Next()).Draw(rt, "to"))
			}
			if err != nil {
				continue
			}
			data, err := d.Change.Data()
			require.NoError(rt, err)
			require.NoError(rt, w.tree.Apply(KindChanged, data))
			for _, e := range d.Change.Entries {
				if had[e.ID] == nil {
					had[e.ID] = map[string]bool{}
				}
				had[e.ID][e.Object] = true
			}
			seen := 0
			for range w.tree.Below("") {
				seen++
			}
			require.Equal(rt, w.tree.Len(), seen, "every note hangs on the top")
		}
		for id, objects := range had {
			for _, v := range w.tree.Versions(id) {
				delete(objects, v.Object)
			}
			require.Empty(rt, objects)
		}
	})
}

func wantFound(rt *rapid.T, root *Item, entries int) {
	all, err := list("x", root)
	require.NoError(rt, err)
	keys := map[string]bool{}
	for _, f := range all {
		require.False(rt, keys[f.key], "two notes of a file have one key")
		keys[f.key] = true
	}
	require.NotZero(rt, entries)
}
