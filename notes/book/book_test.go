package book

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/cortextest"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/notes"
)

func machine(t testing.TB, seed uint64) *cortextest.Machine {
	return cortextest.NewMachine(t, seed, cortex.Options{Live: true, Heartbeat: 24 * time.Hour,
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte("(defaults :unknown-tool :ask)")}}})
}

func open(m *cortextest.Machine) *Book {
	b := New()
	b.Open(m.Start().Hosts().Logs())
	return b
}

func add(b *Book, key, title, body string) (Done, error) {
	return b.Do(context.Background(), Who{Principal: "ann", Key: key}, func(t *notes.Tree) (notes.Draft, error) {
		return t.Add(key, "", &notes.Object{Title: title, Body: body})
	})
}

func tree(t testing.TB, b *Book) *notes.Tree {
	t.Helper()
	out, err := b.Tree(t.Context())
	require.NoError(t, err)
	return out
}

// Row 30: a file that changes is ingested.
func TestRow030_AFileIsIngested(t *testing.T) {
	b := open(machine(t, 1))
	done, err := b.Do(t.Context(), Who{Principal: "ann", Key: "1"}, func(t *notes.Tree) (notes.Draft, error) {
		return t.Import("1", "a.org", &notes.Item{Object: notes.Object{Title: "a"}, Children: []*notes.Item{
			{Object: notes.Object{Title: "test-node", Body: "text"}}}})
	})
	require.NoError(t, err)
	require.Len(t, done.Change.Entries, 2)
	v, ok := tree(t, b).Now(done.Change.Entries[1].ID)
	require.True(t, ok)
	assert.Equal(t, "test-node", v.Title)
	assert.Equal(t, "ann", v.By)
	o, err := b.Object(v)
	require.NoError(t, err)
	assert.Equal(t, "text", o.Body)
}

// W30: no error takes anything back: neither a draft that fails, nor one that cannot be entered.
func TestW30_NoErrorTakesBackWhatIsThere(t *testing.T) {
	b := open(machine(t, 1))
	_, err := add(b, "1", "good", "edit")
	require.NoError(t, err)
	before := tree(t, b).Digest("")
	boom := errors.New("the model is away")
	for name, draft := range map[string]func(*notes.Tree) (notes.Draft, error){
		"an error": func(*notes.Tree) (notes.Draft, error) { return notes.Draft{}, boom },
		"no draft": func(*notes.Tree) (notes.Draft, error) { return notes.Draft{}, nil },
		"too long": func(t *notes.Tree) (notes.Draft, error) {
			return t.Add("2", "", &notes.Object{Title: strings.Repeat("x", notes.MaxTitle+1)})
		},
		"its object is not there": func(t *notes.Tree) (notes.Draft, error) {
			d, err := t.Add("2", "", &notes.Object{Title: "x"})
			d.Objects = nil
			return d, err
		},
	} {
		_, err := b.Do(t.Context(), Who{Key: name}, draft)
		require.Error(t, err, name)
		assert.Equal(t, before, tree(t, b).Digest(""), name)
	}
	require.Panics(t, func() {
		_, _ = b.Do(t.Context(), Who{Key: "p"}, func(*notes.Tree) (notes.Draft, error) { panic("a bug") })
	})
	assert.Equal(t, before, tree(t, b).Digest(""), "nor does a panic, and the book is not locked")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.Do(ctx, Who{Key: "late"}, func(t *notes.Tree) (notes.Draft, error) {
		return t.Add("late", "", &notes.Object{Title: "late"})
	})
	if err != nil { // whichever it was, the book and the log agree
		assert.Equal(t, before, tree(t, b).Digest(""))
	}
}

func TestTheSameChangeAgainWritesNothing(t *testing.T) {
	b := open(machine(t, 1))
	first, err := add(b, "k", "a", "")
	require.NoError(t, err)
	again, err := add(b, "k", "another", "")
	require.NoError(t, err)
	assert.True(t, again.Known)
	assert.Equal(t, first.N, again.N)
	assert.Equal(t, first.Change.Entries, again.Change.Entries)
	assert.Equal(t, 1, tree(t, b).Len())
	_, ok, err := b.Found(Who{Key: "k"})
	require.NoError(t, err)
	assert.True(t, ok)
	_, ok, err = b.Found(Who{Key: "l"})
	require.NoError(t, err)
	assert.False(t, ok)
}

// The power goes after a random number of changes, and again: all that was acknowledged is there with
// its versions, a change that was on its way is there whole or not at all, and it can be repeated.
func TestI4_NotesOutliveAPowerCut(t *testing.T) {
	cuts := 40
	if testing.Short() {
		cuts = 6
	}
	m := machine(t, 7)
	b := open(m)
	want := notes.NewTree(notes.NewPrivate())
	n := 0
	for cut := range cuts {
		for range cut%4 + 1 {
			key := fmt.Sprint(n)
			done, err := b.Do(t.Context(), Who{Principal: "ann", Key: key}, func(t *notes.Tree) (notes.Draft, error) {
				if all := t.Children(""); n%3 == 2 && len(all) > 0 {
					return t.Edit(all[n%len(all)], &notes.Object{Title: "note " + key, Body: key})
				}
				return t.Add(key, "", &notes.Object{Title: "note " + key, Body: strings.Repeat(key, n)})
			})
			require.NoError(t, err)
			data, err := done.Change.Data()
			require.NoError(t, err)
			require.NoError(t, want.Apply(notes.KindChanged, data))
			n++
		}
		m.CutPower()
		b = open(m)
		got := tree(t, b)
		require.Equal(t, want.Digest(""), got.Digest(""))
		for id := range want.IDs() {
			require.Equal(t, want.Versions(id), got.Versions(id))
			for _, v := range got.Versions(id) {
				o, err := b.Object(v)
				require.NoError(t, err)
				require.Equal(t, v.Title, o.Title)
			}
		}
		again, err := add(b, fmt.Sprint(n-1), "repeated", "")
		require.NoError(t, err)
		require.True(t, again.Known)
	}
}

func TestAForeignOrDamagedLogIsNoBook(t *testing.T) {
	m := machine(t, 1)
	l := m.Start().Hosts().Logs()
	enter := func(family, key, kind, data string) error {
		_, err := l.Append(t.Context(), logs.Write{Log: notes.Log, Family: family}, func(tx *logs.Tx) error {
			_, err := tx.Event(logs.Event{ID: key, Kind: kind, Dedupe: key, Data: data})
			return err
		})
		return err
	}
	require.NoError(t, enter(notes.Family, "a", "painted", "{}"))
	b := New()
	_, err := b.Tree(t.Context())
	require.ErrorIs(t, err, ErrClosed)
	_, _, err = b.Found(Who{Key: "k"})
	require.ErrorIs(t, err, ErrClosed)
	b.Open(l)
	_, err = b.Tree(t.Context())
	require.ErrorIs(t, err, ErrUnhealthy)
	require.ErrorIs(t, err, notes.ErrVersion)
	_, err = add(b, "k", "a", "")
	require.ErrorIs(t, err, ErrUnhealthy, "nothing goes on from it")
	_, err = b.Prompt(t.Context(), "s")
	require.ErrorIs(t, err, ErrUnhealthy)
}

func TestTwoBooksOfOneRecordAgree(t *testing.T) {
	l := machine(t, 1).Start().Hosts().Logs()
	one, two := New(), New()
	one.Open(l)
	two.Open(l)
	for i := range 6 {
		_, err := add([]*Book{one, two}[i%2], fmt.Sprint(i), "a", "")
		require.NoError(t, err)
		require.Equal(t, tree(t, one).Digest(""), tree(t, two).Digest(""))
	}
	assert.Equal(t, 6, tree(t, one).Len())
}
