package journal_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/sexpr"
)

var bg = context.Background()

func leakFree(t *testing.T) {
	t.Helper()
	ignore := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, ignore) })
}

func open(t *testing.T, disk *storetest.Disk, opt journal.Options) *journal.Journal {
	t.Helper()
	dir := ""
	if disk != nil {
		dir = "store"
	}
	s, err := store.Open(dir, store.Options{Disk: disk, Segment: 64 << 10})
	require.NoError(t, err)
	j, err := journal.Open(s, opt)
	require.NoError(t, err)
	return j
}

func text(s string) sexpr.Value { return sexpr.Plist("text", sexpr.Str(s)) }

func add(j *journal.Journal, body string) (rec journal.Record, err error) {
	err = j.Update(bg, func(tx *journal.Tx) (err error) {
		rec, err = tx.Append("signal", "s", text(body))
		return err
	})
	return rec, err
}

// slowDisk makes the log's syncs wait for a word: each sends on syncing, and
// then waits for its result.
func slowDisk() (disk *storetest.Disk, hold *atomic.Bool, syncing chan struct{}, result chan error) {
	hold, syncing, result = new(atomic.Bool), make(chan struct{}), make(chan error)
	disk = storetest.NewDisk(func(op storetest.Op) error {
		if op.Kind == "sync" && strings.HasSuffix(op.Path, ".seg") && hold.Load() {
			syncing <- struct{}{}
			return <-result
		}
		return nil
	})
	return disk, hold, syncing, result
}

func TestRecordsFormAChain(t *testing.T) {
	leakFree(t)
	now := time.Unix(1_700_000_000, 42)
	j := open(t, nil, journal.Options{Clock: func() time.Time { now = now.Add(-time.Second); return now }})
	assert.Zero(t, j.Head())
	var want []journal.Record
	for i := range 5 {
		r, err := add(j, fmt.Sprint(i))
		require.NoError(t, err)
		assert.Equal(t, uint64(i+1), r.Seq)
		assert.Equal(t, now.UnixNano(), r.At, "order is by Seq, and time may go back")
		if i > 0 {
			assert.Equal(t, want[i-1].Hash, r.Prev)
		} else {
			assert.True(t, r.Prev.IsZero())
		}
		want = append(want, r)
	}
	assert.Equal(t, journal.Head{Seq: 5, Hash: want[4].Hash}, j.Head())

	for from := range uint64(8) {
		var got []journal.Record
		require.NoError(t, j.Records(from, func(r journal.Record) error { got = append(got, r); return nil }))
		require.Len(t, got, max(0, 5-max(0, int(from)-1)), "from %d", from)
		for _, r := range got {
			sameRecord(t, want[r.Seq-1], r)
			again, err := j.Read(r.Seq)
			require.NoError(t, err)
			sameRecord(t, r, again)
		}
	}
	for _, seq := range []uint64{0, 6, 1 << 63, 1<<64 - 1} {
		_, err := j.Read(seq)
		require.ErrorIs(t, err, journal.ErrNotFound)
	}
	enough := errors.New("enough")
	require.ErrorIs(t, j.Records(1, func(journal.Record) error { return enough }), enough)
	require.NoError(t, j.Verify(bg))
	require.NoError(t, j.Close())
	require.NoError(t, j.Close(), "twice")
	_, err := add(j, "late")
	require.ErrorIs(t, err, journal.ErrClosed)
	require.ErrorIs(t, j.Err(), journal.ErrClosed)
}

func sameRecord(t *testing.T, want, got journal.Record) {
	t.Helper()
	assert.True(t, sexpr.Equal(want.Body, got.Body), "want %s, got %s", want.Body, got.Body)
	want.Body, got.Body = sexpr.Nil(), sexpr.Nil()
	assert.Equal(t, want, got)
}

func TestJournalGoesOnWhereItStopped(t *testing.T) {
	leakFree(t)
	disk := storetest.NewDisk(nil)
	for i := range 200 {
		if i%50 == 0 {
			j := open(t, disk, journal.Options{})
			for k := range 50 {
				r, err := add(j, fmt.Sprint(i+k))
				require.NoError(t, err)
				assert.Equal(t, uint64(i+k+1), r.Seq)
			}
			require.NoError(t, j.Verify(bg))
			require.NoError(t, j.Close())
		}
	}
}

func TestAppendRefusesWhatCouldNotBeReadBack(t *testing.T) {
	leakFree(t)
	j := open(t, nil, journal.Options{})
	deep := sexpr.Nil()
	for range 20_000 {
		deep = sexpr.ListOf(deep)
	}
	for name, tt := range map[string]struct {
		kind, session string
		body          sexpr.Value
		want          string
	}{
		"no kind":     {"", "s", text("x"), "a record needs a kind"},
		"no plist":    {"signal", "s", sexpr.Str("x"), "signal: the body is a string: want a plist"},
		"a list":      {"signal", "s", sexpr.ListOf(sexpr.Int64(1)), "signal: the body is a list: want a plist"},
		"not UTF-8":   {"signal", "s", text("\xff"), "UTF-8"},
		"session":     {"signal", "\xff", text("x"), "UTF-8"},
		"key twice":   {"signal", "s", sexpr.Plist("a", sexpr.Nil(), "a", sexpr.Nil()), "a second time"},
		"odd":         {"signal", "s", sexpr.ListOf(sexpr.Key("a")), "value"},
		"too deep":    {"signal", "s", sexpr.Plist("a", deep), "depth"},
		"too long":    {"signal", "s", text(strings.Repeat("x", journal.MaxRecord)), "want at most"},
		"not a float": {"signal", "s", sexpr.Plist("a", sexpr.Float64(nan())), "float"},
	} {
		t.Run(name, func(t *testing.T) {
			err := j.Update(bg, func(tx *journal.Tx) error {
				tx.Set([]byte("k"), []byte("v"))
				_, err := tx.Append(tt.kind, tt.session, tt.body)
				assert.ErrorContains(t, err, tt.want)
				return nil // and the update is dropped all the same
			})
			require.ErrorContains(t, err, tt.want)
			assert.Zero(t, j.Last())
			v, err := j.Get([]byte("k"))
			require.NoError(t, err)
			assert.Nil(t, v)
		})
	}
	for _, body := range []sexpr.Value{sexpr.Nil(), sexpr.EmptyObject(), text("\x00 \u2028 \ufeff \U0010ffff \\ \" \n")} {
		err := j.Update(bg, func(tx *journal.Tx) error { _, err := tx.Append("k", "\x00", body); return err })
		require.NoError(t, err)
		r, err := j.Read(j.Last())
		require.NoError(t, err)
		assert.True(t, sexpr.Equal(body, r.Body))
	}
	require.NoError(t, j.Verify(bg))
	require.NoError(t, j.Close())
}

// Whatever is accepted can be read back, up to the deepest there is.
func TestDeepestRecord(t *testing.T) {
	leakFree(t)
	j := open(t, nil, journal.Options{})
	deep, accepted := sexpr.Nil(), 0
	for depth := 1; depth < 1100; depth++ {
		deep = sexpr.ListOf(deep)
		if depth < 900 {
			continue
		}
		err := j.Update(bg, func(tx *journal.Tx) error {
			_, err := tx.Append("signal", "", sexpr.Plist("a", deep))
			return err
		})
		if err == nil {
			accepted++
			_, err = j.Read(j.Last())
			require.NoError(t, err, "depth %d", depth)
		}
	}
	assert.Positive(t, accepted)
	assert.Less(t, accepted, 200)
	require.NoError(t, j.Close())
}

func nan() float64 { z := 0.0; return z / z }

func TestUpdateMustNotTouchTheRecords(t *testing.T) {
	leakFree(t)
	j := open(t, nil, journal.Options{})
	_, err := add(j, "x")
	require.NoError(t, err)
	for name, f := range map[string]func(tx *journal.Tx){
		"set a record":    func(tx *journal.Tx) { tx.Set([]byte("e\x00\x00\x00\x00\x00\x00\x00\x01"), nil) },
		"delete a record": func(tx *journal.Tx) { tx.Delete([]byte("e\x00\x00\x00\x00\x00\x00\x00\x01")) },
		"set the head":    func(tx *journal.Tx) { tx.Set([]byte("e\xff"), nil) },
		"the empty key":   func(tx *journal.Tx) { tx.Set(nil, []byte("v")) },
	} {
		require.Error(t, j.Update(bg, func(tx *journal.Tx) error { f(tx); return nil }), name)
	}
	require.NoError(t, j.Verify(bg))
	require.NoError(t, j.Close())
}

func TestFailedUpdateLeavesNothing(t *testing.T) {
	leakFree(t)
	j := open(t, nil, journal.Options{})
	mine := errors.New("mine")
	var kept *journal.Tx
	for name, tt := range map[string]struct {
		end   func() error
		check func(error)
	}{
		"error": {func() error { return mine }, func(err error) { require.ErrorIs(t, err, mine) }},
		"panic": {func() error { panic("ouch") }, func(err error) {
			var p *journal.PanicError
			require.ErrorAs(t, err, &p)
			assert.Equal(t, "ouch", p.Value)
			assert.Contains(t, string(p.Stack), "TestFailedUpdateLeavesNothing")
			assert.NotContains(t, err.Error(), "goroutine", "the stack is for the log")
		}},
		"panic with an error": {func() error { panic(mine) }, func(err error) { require.ErrorIs(t, err, mine) }},
		"panic with nil":      {func() error { panic(nil) }, func(err error) { require.Error(t, err) }},
	} {
		err := j.Update(bg, func(tx *journal.Tx) error {
			kept = tx
			tx.Set([]byte("k"), []byte("v"))
			_, err := tx.Append("signal", "", text(name))
			assert.NoError(t, err)
			return tt.end()
		})
		tt.check(err)
	}
	assert.Zero(t, j.Last())
	v, err := j.Get([]byte("k"))
	require.NoError(t, err)
	assert.Nil(t, v)

	r, err := add(j, "the writer lives")
	require.NoError(t, err)
	assert.Equal(t, uint64(1), r.Seq, "no gap")

	_, err = kept.Get([]byte("k"))
	require.Error(t, err, "a Tx does not outlive its update")
	_, err = kept.Append("signal", "", text("x"))
	require.Error(t, err)
	require.NoError(t, j.Close())
}

// An update that ends the writer's goroutine is a mistake that nothing can undo.
// It must not become a silence in which everybody waits.
func TestGoexitInAnUpdate(t *testing.T) {
	leakFree(t)
	j := open(t, nil, journal.Options{})
	err := j.Update(bg, func(*journal.Tx) error { runtime.Goexit(); return nil })
	require.ErrorIs(t, err, journal.ErrReadOnly)
	_, err = add(j, "x")
	require.ErrorIs(t, err, journal.ErrReadOnly)
	require.NoError(t, j.Close())
}

// While one group is being synced, 64 more updates come; one more sync is all
// they take. And no caller hears of success before it is true.
func TestGroupCommit(t *testing.T) {
	leakFree(t)
	synctest.Test(t, func(t *testing.T) {
		disk, hold, syncing, result := slowDisk()
		j := open(t, disk, journal.Options{})
		hold.Store(true)
		var done atomic.Int32
		update := func() {
			_, err := add(j, "x")
			assert.NoError(t, err)
			done.Add(1)
		}
		go update()
		<-syncing
		for range 64 {
			go update()
		}
		synctest.Wait()
		assert.Zero(t, done.Load(), "nothing is acknowledged before the sync")
		assert.Zero(t, j.Last())
		result <- nil
		<-syncing
		synctest.Wait()
		assert.EqualValues(t, 1, done.Load())
		assert.EqualValues(t, 1, j.Last())
		result <- nil
		synctest.Wait() // a further sync would wait on the channel, and its update with it
		assert.EqualValues(t, 65, done.Load(), "64 updates, one sync")
		assert.EqualValues(t, 65, j.Last())
		hold.Store(false)
		require.NoError(t, j.Verify(bg))
		require.NoError(t, j.Close())
	})
}

// Two updates of one group try the same compare-and-set: exactly one wins, and
// the loser learns of it only when the winner's write is durable.
func TestCompareAndSetInOneGroup(t *testing.T) {
	for _, result := range []error{nil, syscall.EIO} {
		disk, hold, syncing, goOn := slowDisk()
		j := open(t, disk, journal.Options{})
		hold.Store(true)
		first := make(chan error, 1)
		go func() { _, err := add(j, "opens a group"); first <- err }()
		<-syncing
		lost := errors.New("somebody was faster")
		var wins atomic.Int32
		results := make(chan error, 2)
		var started sync.WaitGroup
		started.Add(2)
		for range 2 {
			go func() {
				started.Done()
				results <- j.Update(bg, func(tx *journal.Tx) error {
					old, err := tx.Get([]byte("a/1"))
					if err != nil {
						return err
					}
					if old != nil {
						return lost
					}
					wins.Add(1)
					tx.Set([]byte("a/1"), []byte("taken"))
					return nil
				})
			}()
		}
		started.Wait()
		goOn <- nil
		require.NoError(t, <-first)
		<-syncing // of the winner, with or without the loser in its group
		assert.Empty(t, results, "neither knows yet")
		v, err := j.Get([]byte("a/1"))
		require.NoError(t, err)
		assert.Nil(t, v, "and no reader sees it")
		hold.Store(false)
		goOn <- result
		one, two := <-results, <-results
		if result == nil {
			assert.True(t, one == nil && errors.Is(two, lost) || two == nil && errors.Is(one, lost), "%v, %v", one, two)
			assert.EqualValues(t, 1, wins.Load())
		} else {
			require.ErrorIs(t, one, journal.ErrReadOnly, "what the loser saw was lost with the winner")
			require.ErrorIs(t, two, journal.ErrReadOnly)
		}
		require.NoError(t, j.Close())
	}
}

func TestUpdatesOfManyAreAllThere(t *testing.T) {
	leakFree(t)
	j := open(t, nil, journal.Options{Queue: 4, Group: 3})
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 50 {
				err := j.Update(bg, func(tx *journal.Tx) error {
					n, err := tx.Get([]byte("n"))
					if err != nil {
						return err
					}
					tx.Set([]byte("n"), append(n, 'x'))
					_, err = tx.Append("signal", fmt.Sprint(w), text(fmt.Sprint(i)))
					return err
				})
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	n, err := j.Get([]byte("n"))
	require.NoError(t, err)
	assert.Len(t, n, 400)
	next := map[string]int{}
	require.NoError(t, j.Records(1, func(r journal.Record) error {
		assert.Equal(t, fmt.Sprint(next[r.Session]), r.Body.GetText("text"), "each writer's records keep their order")
		next[r.Session]++
		return nil
	}))
	assert.Equal(t, uint64(400), j.Last())
	require.NoError(t, j.Verify(bg))
	require.NoError(t, j.Close())
}
