package notes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTagsThatArePrivate(t *testing.T) {
	p := NewPrivate("Familie", "गोपनीय", "خاص")
	for _, tag := range []string{"private", "PRIVATE", "@personal", "#Secret", "private/health", "ｐｒｉｖａｔｅ", "crypt",
		"familie", "FAMILIE", "गोपनीय", "خاص", "@@private"} {
		assert.True(t, p.Is(tag), tag)
	}
	for _, tag := range []string{"", "privateer", "non-private", "work", "health/private"} {
		assert.False(t, p.Is(tag), tag)
	}
}

// W44: a private tag keeps a note and all below it from models, at any depth, also after moves and edits,
// and with it each version that was private while it was current.
func TestW44_PrivateAtAnyDepth(t *testing.T) {
	w := newWorld(t)
	a := w.add("", "a")
	b := w.add(a, "b", "work", "@Personal")
	c := w.add(b, "c")
	d := w.add(c, "d", "work")
	for _, id := range []ID{b, c, d} {
		assert.False(t, w.tree.Visible(id))
	}
	require.True(t, w.tree.Visible(a))
	w.do(w.tree.Move(d, a))
	assert.True(t, w.tree.Visible(d), "a person has moved it out")
	assert.True(t, w.tree.Versions(d)[0].Hidden)
	assert.False(t, w.tree.Versions(d)[1].Hidden)
	w.do(w.tree.Edit(a, &Object{Title: "a", Tags: []string{"private"}}))
	assert.False(t, w.tree.Visible(d))
	assert.True(t, w.tree.Versions(d)[1].Hidden, "from above")
}

func TestWhatAFileCallsPrivateLeavesNoNoteBehind(t *testing.T) {
	w := newWorld(t)
	w.put("a.org", item("a", item("b", item("c")), item("d")))
	c := w.named("c")[0]
	w.do(w.tree.Move(c, w.named("d")[0]))
	require.True(t, w.tree.Visible(c))
	w.put("a.org", item("a", item("b", item("c")).tagged("private"), item("d")))
	assert.False(t, w.tree.Visible(c), "in the file it is below a private heading")
	assert.Equal(t, "a .b ..c .d", w.outline())
}

// slow is a second telling of what may be seen: nothing but the last entry of each note.
type slow map[ID]Entry

func (s slow) visible(id ID) bool {
	e, ok := s[id]
	if !ok || e.Gone {
		return false
	}
	for _, tag := range e.Tags {
		tag, _, _ = strings.Cut(strings.ToLower(strings.TrimLeft(tag, "@#")), "/")
		if slices.Contains([]string{"private", "personal", "secret", "crypt"}, tag) {
			return false
		}
	}
	return e.Parent == "" || s.visible(e.Parent)
}

// Over random changes, rollbacks and imports, what may be seen is what the slow reference says, and what
// was ever private while current is marked so.
func TestVisibleIsTheSlowOne(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, ref := newWorld(t), slow{}
		tags := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"work", "private", "@personal", "SECRET", "private/x",
			"home", "project", "x"}), 0, 1, rapid.ID[string])
		hidden := map[string]bool{} // id and change of versions that were private
		for turn := range rapid.IntRange(1, 30).Draw(rt, "turns") {
			ids := []ID{""}
			for id := range w.tree.IDs() {
				ids = append(ids, id)
			}
			slices.Sort(ids)
			pick := rapid.SampledFrom(ids)
			o := func() *Object { return &Object{Title: fmt.Sprint(turn), Tags: tags.Draw(rt, "tags")} }
			var d Draft
			var err error
			switch rapid.IntRange(0, 6).Draw(rt, "what") {
			case 0, 1:
				d, err = w.tree.Add(w.nonce(), pick.Draw(rt, "parent"), o())
			case 2:
				d, err = w.tree.Edit(pick.Draw(rt, "note"), o())
			case 3:
				d, err = w.tree.Move(pick.Draw(rt, "note"), pick.Draw(rt, "parent"))
			case 4:
				d, err = w.tree.Remove(pick.Draw(rt, "note"))
			case 5:
				d, err = w.tree.Rollback(pick.Draw(rt, "note"), rapid.Uint64Range(0, w.tree.Next()).Draw(rt, "to"))
			case 6:
				d, err = w.tree.Import(w.nonce(), "f", item("f", item("x", item("y").tagged(tags.Draw(rt, "tags")...)).
					tagged(tags.Draw(rt, "tags")...), item("z").tagged(tags.Draw(rt, "tags")...)))
			}
			if err != nil {
				continue
			}
			data, err := d.Change.Data()
			require.NoError(rt, err)
			require.NoError(rt, w.tree.Apply(KindChanged, data))
			for _, e := range d.Change.Entries {
				ref[e.ID] = e
			}
			for id, e := range ref {
				require.Equal(rt, ref.visible(id), w.tree.Visible(id), "%s %q", id, e.Title)
				now, ok := w.tree.Now(id)
				require.Equal(rt, !e.Gone, ok)
				if ok && !ref.visible(id) {
					hidden[fmt.Sprint(id, now.N)] = true
				}
			}
			shown := map[ID]bool{}
			for v := range w.tree.Shown("") {
				shown[v.ID] = true
			}
			for id := range ref {
				require.Equal(rt, ref.visible(id), shown[id])
				for _, v := range w.tree.Versions(id) {
					require.Equal(rt, hidden[fmt.Sprint(id, v.N)], v.Hidden, "version %d of %s", v.N, id)
				}
			}
		}
	})
}
