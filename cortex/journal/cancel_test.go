package journal_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/sexpr"
)

// Giving up tells the truth: before its turn an update certainly never runs;
// during its commit the outcome is unknown.
func TestGivingUp(t *testing.T) {
	leakFree(t)
	synctest.Test(t, func(t *testing.T) {
		disk, hold, syncing, result := slowDisk()
		j := open(t, disk, journal.Options{})
		hold.Store(true)

		ctx, cancel := context.WithTimeout(bg, time.Second)
		defer cancel()
		committing := make(chan error)
		go func() {
			committing <- j.Update(ctx, func(tx *journal.Tx) error {
				_, err := tx.Append("signal", "", text("in the commit"))
				return err
			})
		}()
		<-syncing
		waiting := make(chan error)
		go func() {
			waiting <- j.Update(ctx, func(*journal.Tx) error { t.Error("must not run"); return nil })
		}()
		err := <-committing
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, journal.ErrUnsure)
		err = <-waiting
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, journal.ErrUnsure)

		err = j.Update(ctx, func(*journal.Tx) error { t.Error("must not run"); return nil })
		require.ErrorIs(t, err, context.DeadlineExceeded, "given up before it came")

		hold.Store(false)
		result <- nil
		r, err := add(j, "next")
		require.NoError(t, err)
		assert.Equal(t, uint64(2), r.Seq, "the first one was written in the end")
		require.NoError(t, j.Close())
	})
}

// A full queue makes callers wait; they can give up there too.
func TestGivingUpAtAFullQueue(t *testing.T) {
	leakFree(t)
	synctest.Test(t, func(t *testing.T) {
		disk, hold, syncing, result := slowDisk()
		j := open(t, disk, journal.Options{Queue: 1})
		hold.Store(true)
		done := make(chan error, 2)
		go func() { _, err := add(j, "in the commit"); done <- err }()
		<-syncing
		go func() { _, err := add(j, "in the queue"); done <- err }()
		synctest.Wait()
		mine := errors.New("mine")
		ctx, cancel := context.WithCancelCause(bg)
		gaveUp := make(chan error)
		go func() {
			gaveUp <- j.Update(ctx, func(*journal.Tx) error { t.Error("must not run"); return nil })
		}()
		synctest.Wait()
		cancel(mine)
		require.ErrorIs(t, <-gaveUp, mine)
		hold.Store(false)
		result <- nil
		require.NoError(t, <-done)
		require.NoError(t, <-done)
		require.NoError(t, j.Close())
	})
}

// Close writes what waits, with the queue full and callers before it.
func TestCloseDrains(t *testing.T) {
	leakFree(t)
	synctest.Test(t, func(t *testing.T) {
		disk, hold, syncing, result := slowDisk()
		j := open(t, disk, journal.Options{Queue: 2})
		hold.Store(true)
		done := make(chan error, 10)
		for range 10 {
			go func() {
				err := j.Update(bg, func(tx *journal.Tx) error {
					_ = j.Err() // asking must not wait for Close
					_, err := tx.Append("signal", "", sexpr.Nil())
					return err
				})
				done <- err
			}()
		}
		<-syncing
		synctest.Wait()
		closed := make(chan error)
		go func() { closed <- j.Close() }()
		hold.Store(false)
		result <- nil
		require.NoError(t, <-closed)
		for range 10 {
			require.NoError(t, <-done)
		}
		assert.Equal(t, uint64(10), j.Last())

		j = open(t, disk, journal.Options{})
		require.NoError(t, j.Verify(bg))
		assert.Equal(t, uint64(10), j.Last())
		require.NoError(t, j.Close())
	})
}

// When the disk fails, anyone who waits learns it, nothing that failed shows, and
// reading goes on.
func TestFailingStore(t *testing.T) {
	disk, hold, syncing, result := slowDisk()
	j := open(t, disk, journal.Options{})
	_, err := add(j, "durable")
	require.NoError(t, err)
	require.NoError(t, j.Err())

	hold.Store(true)
	done := make(chan error, 3)
	for range 3 {
		go func() { _, err := add(j, "lost"); done <- err }()
	}
	<-syncing
	result <- syscall.ENOSPC
	unsure := 0
	for range 3 {
		err := <-done
		require.ErrorIs(t, err, journal.ErrReadOnly)
		require.ErrorIs(t, err, syscall.ENOSPC)
		if errors.Is(err, journal.ErrUnsure) {
			unsure++
		}
	}
	assert.Positive(t, unsure, "those in the failed commit")
	ran := false
	err = j.Update(bg, func(*journal.Tx) error { ran = true; return nil })
	require.ErrorIs(t, err, journal.ErrReadOnly)
	require.NotErrorIs(t, err, journal.ErrUnsure)
	assert.False(t, ran)
	require.ErrorIs(t, j.Err(), syscall.ENOSPC)

	assert.Equal(t, uint64(1), j.Last())
	r, err := j.Read(1)
	require.NoError(t, err)
	assert.Equal(t, "durable", r.Body.GetText("text"))
	_, err = j.Read(2)
	require.ErrorIs(t, err, journal.ErrNotFound)
	require.NoError(t, j.Verify(bg))
	require.NoError(t, j.Close())

	hold.Store(false)
	j = open(t, disk, journal.Options{})
	require.NoError(t, j.Verify(bg))
	_, err = add(j, "again")
	require.NoError(t, err, "opened anew, it works")
	require.NoError(t, j.Close())
}
