package desk

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/cortextest"
	"github.com/opencortex-go/cortex/notes"
	"github.com/opencortex-go/cortex/notes/book"
)

// bench is a desk on the notes of a record.
type bench struct {
	*Desk
	t *testing.T
}

func newBench(t *testing.T) bench {
	b := book.New()
	b.Open(cortextest.NewMachine(t, 1, cortex.Options{Live: true, Heartbeat: 24 * time.Hour,
		Rules: fstest.MapFS{"r.lisp": {Data: []byte("(defaults :unknown-tool :ask)")}}}).Start().Hosts().Logs())
	return bench{&Desk{Book: b}, t}
}

func (b bench) try(verb string, params any) (Answer, error) {
	b.t.Helper()
	text, err := json.Marshal(params)
	require.NoError(b.t, err)
	return b.Do(b.t.Context(), "ann", verb, text)
}

func (b bench) do(verb string, params any) string {
	b.t.Helper()
	a, err := b.try(verb, params)
	require.NoError(b.t, err)
	return a.Text
}

const life = "#+TITLE: Life\n* Kitchen :project:\nPaint it €.\n** Costs :private:\n4711\n* Garden\n"

func TestOrders(t *testing.T) {
	b := newBench(t)
	assert.Contains(t, b.do("list", List{}), "no notes")
	assert.Contains(t, b.do("import", Import{File: "life.org", Text: life}), "change 0, 4 notes new or changed, 0 gone")
	assert.Equal(t, "life.org: nothing is new\n", b.do("import", Import{File: "life.org", Text: life}))
	list := b.do("list", List{})
	assert.Equal(t, 4, strings.Count(list, "note_"))
	assert.Contains(t, list, "      Costs  :private:  (private)\n")
	assert.NotContains(t, b.do("list", List{Note: "Kitchen"}), "Garden")
	assert.Contains(t, b.do("show", Show{Note: "Costs"}), "version 0, private\nCosts\n")

	changed := strings.Replace(life, "Paint it €.", "Paint it blue.", 1)
	changed = strings.Replace(changed, "* Garden\n", "", 1)
	assert.Contains(t, b.do("import", Import{File: "life.org", Text: changed}), "change 1, 1 notes new or changed, 1 gone")
	assert.Contains(t, b.do("show", Show{Note: "Kitchen"}), "blue")
	zero := uint64(0)
	assert.Contains(t, b.do("show", Show{Note: "Kitchen", At: &zero}), "€")
	id := strings.Fields(list[strings.Index(list, "Life")+5:])[0]
	assert.Equal(t, 2, strings.Count(b.do("history", History{Note: id}), "import"))

	assert.Contains(t, b.do("rollback", Rollback{To: 0}), "all notes: change 2, 2 notes new or changed, 0 gone")
	assert.Equal(t, life, b.do("export", Export{Note: "Life", Format: "org"}), "a file comes back as it was")
	assert.Contains(t, b.do("rollback", Rollback{Note: "Kitchen", To: 1}), "change 3")
	assert.Contains(t, b.do("remove", Remove{Note: "Kitchen"}), "0 notes new or changed, 2 gone")
	assert.Contains(t, b.do("show", Show{Note: id}), ", gone\n")
	assert.Contains(t, b.do("focus", Focus{Session: "s", Note: id}), "models do not see it")
	assert.NotContains(t, b.do("prompt", Prompt{Session: "s"}), "Kitchen")
	assert.Contains(t, b.do("rollback", Rollback{Note: id, To: 3}), "2 notes new or changed")
	assert.Contains(t, b.do("prompt", Prompt{Session: "s"}), "> Paint it blue.\n")
}

func TestOrdersThatAreWrong(t *testing.T) {
	b := newBench(t)
	b.do("import", Import{File: "life.org", Text: life})
	b.do("import", Import{File: "copy.org", Text: life})
	tree, err := b.Book.Tree(t.Context())
	require.NoError(t, err)
	before := tree.Digest("")
	for _, c := range []struct {
		verb   string
		params any
		want   string
	}{
		{"lst", nil, `did you mean list`},
		{"list", map[string]any{"colour": 1}, "unknown field"},
		{"show", Show{Note: "Kitchen"}, "that is 2 notes"},
		{"show", Show{Note: "note_"}, "no such note"},
		{"show", Show{}, "no such note"},
		{"import", Import{File: "a.txt", Text: "x"}, "ends with .org or .md"},
		{"import", Import{File: "a.org", Format: "pdf", Text: "x"}, "want org or markdown"},
		{"import", Import{File: "bad.org", Text: "* a\n* " + strings.Repeat("x", notes.MaxTitle+1)}, "bad.org:2: "},
		{"import", Import{File: "life.org", Text: "* a\nb\x00"}, "life.org:2: "},
		{"rollback", Rollback{Note: "Kitchen", To: 0}, "that is 2 notes"},
		{"focus", Focus{Scope: "wide"}, "name a scope"},
	} {
		_, err := b.try(c.verb, c.params)
		require.ErrorContains(t, err, c.want)
	}
	tree, err = b.Book.Tree(t.Context())
	require.NoError(t, err)
	assert.Equal(t, before, tree.Digest(""), "nothing changed")
	_, err = b.Do(t.Context(), "ann", "list", []byte("{} {}"))
	require.ErrorContains(t, err, "behind the object")
}

// What a format cannot hold is not written.
func TestAnExportReadsBackOrIsRefused(t *testing.T) {
	b := newBench(t)
	b.do("import", Import{File: "a.org", Text: "#+TITLE: A\n* b\n:PROPERTIES:\n:ID: 1\n:END:\ntext\n"})
	_, err := b.try("export", Export{Note: "A", Format: "markdown"})
	require.ErrorContains(t, err, `of "b" the properties`)
	add := func(title, body string) notes.ID {
		done, err := b.Book.Do(t.Context(), book.Who{Key: title}, func(t *notes.Tree) (notes.Draft, error) {
			return t.Add(title, "", &notes.Object{Title: title, Body: body})
		})
		require.NoError(t, err)
		return done.Change.Entries[0].ID
	}
	stars := add("stars", "one\n* two\n,* three")
	assert.Equal(t, "#+TITLE: stars\none\n,* two\n,,* three\n", b.do("export", Export{Note: string(stars), Format: "org"}))
	_, err = b.try("export", Export{Note: string(add("hash", "# a heading")), Format: "markdown"})
	require.ErrorContains(t, err, "cannot hold")
	_, err = b.try("export", Export{Note: string(stars), Format: "markdown"})
	require.NoError(t, err)
}

func TestReads(t *testing.T) {
	for _, o := range Orders() {
		assert.Equal(t, o.Reads, Reads(o.Verb))
		assert.Equal(t, strings.Contains("export history list prompt show", o.Verb), o.Reads, o.Verb)
	}
	assert.False(t, Reads("paint"))
}
