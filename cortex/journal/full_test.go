package journal

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
)

// tight is a table on a disk that runs full.
type tight struct {
	held
	low   bool // no room for what is new
	space int  // how many writes a commit may have at most
}

func (s *tight) Room() error {
	if s.low {
		return ErrFull
	}
	return nil
}

func (s *tight) Commit(writes []Write) error {
	<-s.goOn
	if len(writes) > s.space {
		return ErrFull
	}
	return s.table.Commit(writes)
}

// jot is an update that writes one record.
func jot(tx *Tx) error {
	_, err := tx.Append("note", "", sexpr.Plist())
	return err
}

// A full disk is not the end of a journal: what does not fit is refused, whole,
// and all goes on when there is space.
func TestFullIsNotDead(t *testing.T) {
	s := &tight{held: held{goOn: make(chan struct{})}, space: 100}
	close(s.goOn)
	j, err := Open(s, Options{})
	require.NoError(t, err)
	require.NoError(t, j.Update(t.Context(), jot))
	before := j.Head()

	s.space = 0
	for _, update := range []func(context.Context, func(*Tx) error) error{j.Update, j.Finish} {
		err = update(t.Context(), jot)
		require.ErrorIs(t, err, ErrFull)
		require.NotErrorIs(t, err, ErrReadOnly)
		require.NotErrorIs(t, err, ErrUnsure, "nothing was written")
	}
	require.NoError(t, j.Err())
	assert.Equal(t, before, j.Head())

	s.space = 100
	require.NoError(t, j.Update(t.Context(), jot))
	assert.EqualValues(t, 2, j.Last())
	err = j.Verify(t.Context())
	require.NoError(t, err)
	require.NoError(t, j.Close())
}

// While space is scarce nothing new is begun: its function is not even run. What
// finishes something is.
func TestScarceSpaceIsForFinishing(t *testing.T) {
	s := &tight{held: held{goOn: make(chan struct{})}, space: 100}
	close(s.goOn)
	j, err := Open(s, Options{})
	require.NoError(t, err)
	s.low = true
	require.ErrorIs(t, j.Room(), ErrFull)
	require.ErrorIs(t, j.Update(t.Context(), func(*Tx) error { t.Error("run"); return nil }), ErrFull)
	require.NoError(t, j.Finish(t.Context(), jot))
	assert.EqualValues(t, 1, j.Last())
	s.low = false
	require.NoError(t, j.Update(t.Context(), jot))
	require.NoError(t, j.Close())
}

// What finishes something is not held up by what came with it in one group and
// does not fit.
func TestFinishingSurvivesItsGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &tight{held: held{goOn: make(chan struct{}, 1)}, space: 4} // two records, the head, and one key
		s.goOn <- struct{}{}
		j, err := Open(s, Options{})
		require.NoError(t, err)
		results := make(chan error, 5)
		large := func(tx *Tx) error {
			for _, k := range "abcdef" {
				tx.Set([]byte{0x80, byte(k)}, []byte("news"))
			}
			return nil
		}
		go func() { results <- j.Update(t.Context(), jot) }() // a group of its own, which waits for the disk
		synctest.Wait()
		wrong := errors.New("wrong")
		for _, run := range []func() error{
			func() error { return j.Finish(t.Context(), jot) },
			func() error { return j.Update(t.Context(), large) },
			func() error { return j.Finish(t.Context(), func(*Tx) error { return wrong }) },
			func() error { return j.Finish(t.Context(), jot) },
		} {
			go func() { results <- run() }()
			synctest.Wait()
		}
		close(s.goOn)
		full, failed, done := 0, 0, 0
		for range 5 {
			switch err := <-results; {
			case err == nil:
				done++
			case errors.Is(err, ErrFull):
				full++
			case errors.Is(err, wrong):
				failed++
			default:
				t.Error(err)
			}
		}
		assert.Equal(t, []int{1, 1, 3}, []int{full, failed, done})
		assert.EqualValues(t, 3, j.Last())
		err = j.Verify(t.Context())
		require.NoError(t, err)
		require.NoError(t, j.Close())
	})
}
