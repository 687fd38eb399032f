package journal

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
)

func TestArena(t *testing.T) {
	var a arena
	assert.NotNil(t, a.clone([]byte{}), "an empty value is not a deletion")
	var all, want [][]byte
	for n := range 3000 {
		b := bytes.Repeat([]byte{byte(n)}, n%700)
		all, want = append(all, a.clone(b)), append(want, b)
	}
	assert.Equal(t, want, all)

	first := a.clone([]byte("first"))
	_ = append(first, "beyond its room"...)
	assert.Equal(t, []byte("first"), first)
	second := a.clone([]byte("second"))
	_ = append(first, "beyond its room"...)
	assert.Equal(t, []byte("second"), second, "a slice that outgrows its room does not touch its neighbour")

	assert.Len(t, a.room(1<<20), 0)
	assert.Zero(t, a.next(), "what is large is not kept")
	a = a.next()
	a.clone([]byte("x"))
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		a = a.next()
		a.clone([]byte("a record"))
	}))
}

// What a group wrote is the next one's to write over, so nothing that an update was
// given, nor what is stored, may be of it.
func TestArena_NobodyKeepsWhatAGroupWrote(t *testing.T) {
	s := &table{}
	j, err := Open(s, Options{})
	require.NoError(t, err)
	var got []byte
	var recs []Record
	for i := range 20 {
		require.NoError(t, j.Update(t.Context(), func(tx *Tx) error {
			rec, err := tx.Append("note", "s", sexpr.Plist("n", sexpr.Int64(int64(i))))
			require.NoError(t, err)
			read, err := tx.Read(rec.Seq)
			require.NoError(t, err)
			recs = append(recs, rec, read)
			if i == 0 {
				tx.Set([]byte("key"), []byte("the first value"))
				got, err = tx.Get([]byte("key"))
			}
			return err
		}))
	}
	assert.Equal(t, "the first value", string(got))
	for i, rec := range recs {
		assert.Equal(t, int64(i/2), rec.Body.GetInt("n"))
		assert.Equal(t, "note", rec.Kind)
		assert.Equal(t, "s", rec.Session)
	}
	require.NoError(t, j.Verify(t.Context()))
	require.NoError(t, j.Close())
}

// abandoned is a store that fails while somebody still reads what was to be written.
type abandoned struct {
	table
	fail   bool
	goOn   chan struct{}
	intact chan bool
}

func (s *abandoned) Commit(writes []Write) error {
	if !s.fail {
		return s.table.Commit(writes)
	}
	before := (&table{writes: writes}).clone().writes
	go func() {
		<-s.goOn
		same := true
		for i, w := range writes {
			same = same && bytes.Equal(w.Key, before[i].Key) && bytes.Equal(w.Value, before[i].Value)
		}
		s.intact <- same
	}()
	return errors.New("the disk is gone")
}

// A store that fails may still be reading: nothing is written over then.
func TestArena_WhatADeadStoreReadsStays(t *testing.T) {
	s := &abandoned{goOn: make(chan struct{}), intact: make(chan bool)}
	j, err := Open(s, Options{})
	require.NoError(t, err)
	note := func(ctx context.Context) error {
		return j.Update(ctx, func(tx *Tx) error {
			_, err := tx.Append("note", "", sexpr.Plist("text", sexpr.Str("milk")))
			return err
		})
	}
	require.NoError(t, note(t.Context()))
	s.fail = true
	require.ErrorIs(t, note(t.Context()), ErrReadOnly)
	for range 3 {
		require.ErrorIs(t, note(t.Context()), ErrReadOnly)
	}
	close(s.goOn)
	assert.True(t, <-s.intact)
	require.NoError(t, j.Close())
}
