package logs_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
)

// bench is a journal on a disk in memory, and the logs on it.
type bench struct {
	*logs.Logs
	t     testing.TB
	j     *journal.Journal
	store journal.Store
}

func newBench(t testing.TB, disk *storetest.Disk) *bench {
	t.Helper()
	st, err := store.Open("state", store.Options{Disk: disk, Segment: 64 << 10})
	require.NoError(t, err)
	j, err := journal.Open(st, journal.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = j.Close() })
	return &bench{logs.New(j, func() error { return nil }, j.Update, nil), t, j, st}
}

var write = logs.Write{Log: "sess_a", Family: "test", By: "ann"}

// event is the n-th event of a kind.
func event(n int) logs.Event {
	return logs.Event{ID: fmt.Sprintf("evt_%d", n), Kind: "noted", Dedupe: fmt.Sprintf("noted:sess_a:%d", n),
		Scope: `{"runId":"run_1"}`, Data: fmt.Sprintf(`{"n":%d}`, n)}
}

func enter(events ...logs.Event) func(*logs.Tx) error {
	return func(tx *logs.Tx) error {
		for _, e := range events {
			if _, err := tx.Event(e); err != nil {
				return err
			}
		}
		return nil
	}
}

func (b *bench) append(events ...logs.Event) logs.Appended {
	b.t.Helper()
	out, err := b.Append(context.Background(), write, enter(events...))
	require.NoError(b.t, err)
	return out
}

func (b *bench) read(log string) *logs.Log {
	b.t.Helper()
	got, err := b.Read(context.Background(), log)
	require.NoError(b.t, err)
	return got
}

// T19.
func TestEventsAreNumberedFromZero(t *testing.T) {
	b := newBench(t, storetest.NewSteadyDisk())
	first := b.append(event(0), event(1), event(2))
	second := b.append(event(3))
	got := b.read("sess_a")
	assert.Equal(t, logs.Healthy, got.Health.Condition)
	for i, e := range got.Events {
		want := event(i)
		want.Index = uint64(i)
		assert.Equal(t, want, e)
	}
	require.Len(t, got.Appends, 2)
	assert.Equal(t, []uint64{0, 2, 3, 3},
		[]uint64{got.Appends[0].First, got.Appends[0].Last, got.Appends[1].First, got.Appends[1].Last})
	assert.Equal(t, []uint64{first.Record, second.Record}, []uint64{got.Appends[0].Record, got.Appends[1].Record})
	line := `{"data":{"n":3},"dedupeKey":"noted:sess_a:3","eventId":"evt_3","eventIndex":3,"kind":"noted",` +
		`"scope":{"runId":"run_1"},"sessionId":"sess_a","v":1}` + "\n"
	assert.Equal(t, record.ContentDigest(line), got.Appends[1].Sum)
	assert.Equal(t, len(line), got.Appends[1].Bytes)
	assert.Equal(t, uint64(4), got.Head.Next)
}

// T20.
func TestAnOperationIsKnownWholeOrNotAtAll(t *testing.T) {
	b := newBench(t, storetest.NewSteadyDisk())
	first := b.append(event(0), event(1))
	last := b.j.Last()

	other := event(1)
	other.ID, other.Data = "evt_other", `{"n":7}`
	again := b.append(event(0), other)
	assert.True(t, again.Known)
	assert.Equal(t, first.Events, again.Events)
	assert.Equal(t, first.Record, again.Record)

	_, err := b.Append(t.Context(), write, func(tx *logs.Tx) error {
		if _, err := tx.Keep("text/plain", "not to be kept"); err != nil {
			return err
		}
		return enter(event(0), event(2), event(3))(tx)
	})
	require.ErrorIs(t, err, logs.ErrPartlyKnown)
	assert.Equal(t, last, b.j.Last(), "nothing is written")
	_, _, err = b.Content(record.ContentDigest("not to be kept"))
	require.ErrorIs(t, err, logs.ErrNoContent)
	assert.Len(t, b.read("sess_a").Events, 2)
}

// T21.
func TestNamesOfDedupeKeys(t *testing.T) {
	b := newBench(t, storetest.NewSteadyDisk())
	for i, bad := range []string{"Upper", "a b", "a/b", "a.b", "", "ä", strings.Repeat("a", 257)} {
		e := event(i)
		e.Dedupe = bad
		_, err := b.Append(t.Context(), write, enter(e))
		require.ErrorContains(t, err, "dedupe key", bad)
	}
	assert.Zero(t, b.j.Last())
	for i, good := range []string{strings.Repeat("a", 256), "a->b", "x_1:y"} {
		e := event(i)
		e.Dedupe = good
		b.append(e)
		found, ok, err := b.Find("sess_a", good)
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, e.ID, found.ID)
	}
	_, ok, err := b.Find("sess_a", "never")
	require.NoError(t, err)
	assert.False(t, ok)
}

// T23: a Tx is dead after its append, also while another is on its way for the same log.
func TestATxIsDeadAfterItsAppend(t *testing.T) {
	b := newBench(t, storetest.NewSteadyDisk())
	var stale *logs.Tx
	dead := func(what string) {
		t.Helper()
		_, err := stale.Event(event(9))
		require.ErrorIs(t, err, logs.ErrOver, what)
		_, err = stale.Keep("text/plain", "x")
		require.ErrorIs(t, err, logs.ErrOver, what)
		require.ErrorIs(t, stale.Pin(record.ContentDigest("x"), "evt_9"), logs.ErrOver, what)
		_, err = stale.Head()
		require.ErrorIs(t, err, logs.ErrOver, what)
	}
	_, err := b.Append(t.Context(), write, func(tx *logs.Tx) error {
		stale = tx
		return enter(event(0))(tx)
	})
	require.NoError(t, err)
	dead("after it")
	_, err = b.Append(t.Context(), write, func(tx *logs.Tx) error {
		dead("during another")
		return enter(event(1))(tx)
	})
	require.NoError(t, err)
	_, err = b.Append(t.Context(), write, func(tx *logs.Tx) error {
		stale = tx
		panic("oops")
	})
	require.ErrorContains(t, err, "oops")
	dead("after a panic")
	assert.Len(t, b.read("sess_a").Events, 2)
}

// What a function was told and ignored counts all the same.
func TestAFailedStepDropsTheAppend(t *testing.T) {
	b := newBench(t, storetest.NewSteadyDisk())
	last := b.j.Last()
	for name, step := range map[string]func(*logs.Tx){
		"a bad event":                func(tx *logs.Tx) { _, _ = tx.Event(logs.Event{}) },
		"data that is not an object": func(tx *logs.Tx) { e := event(1); e.Data = `[1]`; _, _ = tx.Event(e) },
		"data with a line break":     func(tx *logs.Tx) { e := event(1); e.Data = "{\n}"; _, _ = tx.Event(e) },
		"the same event twice":       func(tx *logs.Tx) { _, _ = tx.Event(event(0)) },
		"too much content":           func(tx *logs.Tx) { _, _ = tx.Keep("text", strings.Repeat("x", logs.MaxBytes+1)) },
		"a pin of nothing":           func(tx *logs.Tx) { _ = tx.Pin(record.ContentDigest("?"), "evt_0") },
		"a pin for no event of it":   func(tx *logs.Tx) { d, _ := tx.Keep("text/plain", "y"); _ = tx.Pin(d, "evt_5") },
	} {
		_, err := b.Append(t.Context(), write, func(tx *logs.Tx) error {
			err := enter(event(0))(tx)
			step(tx)
			return err
		})
		require.Error(t, err, name)
		assert.Equal(t, last, b.j.Last(), name)
	}
	_, err := b.Append(t.Context(), write, func(*logs.Tx) error { return nil })
	require.ErrorContains(t, err, "without events")
	b.append(event(0))
	_, err = b.Append(t.Context(), logs.Write{Log: "sess_a", Family: "other"}, enter(event(1)))
	require.ErrorContains(t, err, "family")
}

// Content is kept once, whatever its bytes, and found by its digest.
func TestContentIsKeptOnce(t *testing.T) {
	b := newBench(t, storetest.NewSteadyDisk())
	for i, data := range []string{"", "text", "\xff\x00", "nul \x00 in it", strings.Repeat("é", 1<<16)} {
		before := b.j.Last()
		var of logs.Digest
		for n := range 2 {
			w := write
			w.Log = fmt.Sprintf("sess_%d_%d", i, n)
			_, err := b.Append(t.Context(), w, func(tx *logs.Tx) (err error) {
				if of, err = tx.Keep("application/json", data); err != nil {
					return err
				}
				if err := tx.Pin(of, "evt_0"); err != nil {
					return err
				}
				return enter(event(0))(tx)
			})
			require.NoError(t, err)
		}
		assert.Equal(t, before+3, b.j.Last(), "two appends, and the content")
		media, got, err := b.Content(of)
		require.NoError(t, err)
		assert.Equal(t, "application/json", media)
		assert.Equal(t, data, got)
		assert.Equal(t, record.ContentDigest(data), of)
	}
}

// The last to be appended to comes first; what was deleted is not there any more.
func TestLogsByTheirLastAppend(t *testing.T) {
	b := newBench(t, storetest.NewSteadyDisk())
	on := func(log string, n int) {
		_, err := b.Append(t.Context(), logs.Write{Log: log, Family: "test"}, enter(event(n)))
		require.NoError(t, err)
	}
	on("a", 0)
	on("b", 0)
	on("c", 0)
	on("a", 1)
	list := func() (names []string) {
		heads, err := b.List(t.Context())
		require.NoError(t, err)
		for _, h := range heads {
			names = append(names, h.Log)
		}
		return names
	}
	assert.Equal(t, []string{"a", "c", "b"}, list())
	require.NoError(t, b.SetExempt(t.Context(), "b", true, "ana", "cli"))
	h, err := b.Head("b")
	require.NoError(t, err)
	assert.True(t, h.Exempt)
	require.NoError(t, b.Delete(t.Context(), "c", "ana", "cli"))
	assert.Equal(t, []string{"a", "b"}, list())
	_, err = b.Read(t.Context(), "c")
	require.ErrorIs(t, err, logs.ErrNoLog)
	_, ok, err := b.Find("c", event(0).Dedupe)
	require.NoError(t, err)
	assert.False(t, ok)
	_, err = b.Append(t.Context(), logs.Write{Log: "c", Family: "test"}, enter(event(1)))
	require.ErrorIs(t, err, logs.ErrDeleted)
	require.ErrorIs(t, b.Delete(t.Context(), "c", "ana", "cli"), logs.ErrNoLog)
	require.ErrorIs(t, b.SetExempt(t.Context(), "none", true, "", ""), logs.ErrNoLog)
}

// Many at once: no index is given twice or left out, each operation takes effect once.
func TestAppendsSideBySide(t *testing.T) {
	b := newBench(t, storetest.NewSteadyDisk())
	var all sync.WaitGroup
	for who := range 4 {
		all.Go(func() {
			for n := range 25 {
				for range 2 { // once more, as after a lost reply
					_, err := b.Append(context.Background(), write, enter(event(who*100+2*n), event(who*100+2*n+1)))
					assert.NoError(t, err)
				}
			}
		})
	}
	all.Wait()
	got := b.read("sess_a")
	assert.Equal(t, logs.Healthy, got.Health.Condition, got.Health.Err)
	assert.Len(t, got.Events, 200)
}
