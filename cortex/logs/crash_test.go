package logs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/sexpr"
)

// operation is the n-th append of a crash test: one to three events and content that they
// rest on, so that there is something to tear.
func operation(n int) func(*logs.Tx) error {
	return func(tx *logs.Tx) error {
		for i := range 1 + n%3 {
			e := event(n*10 + i)
			if _, err := tx.Event(e); err != nil {
				return err
			}
			of, err := tx.Keep("text/plain", fmt.Sprintf("what event %d rests on", n*10+i))
			if err == nil {
				err = tx.Pin(of, e.ID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// whole checks that a log has the first operations whole and nothing of another, and returns
// how many.
func whole(t *testing.T, b *bench) int {
	t.Helper()
	got, err := b.Read(context.Background(), "sess_a")
	if errors.Is(err, logs.ErrNoLog) {
		return 0
	}
	require.NoError(t, err)
	require.Equal(t, logs.Healthy, got.Health.Condition, got.Health.Err)
	for n, a := range got.Appends {
		require.Equal(t, 1+n%3, int(a.Last-a.First)+1)
		for i, p := range a.Pins {
			require.Equal(t, event(n*10+i).ID, p.Event)
			_, data, err := b.Content(p.Content)
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf("what event %d rests on", n*10+i), data)
		}
		for i := range 1 + n%3 {
			e, ok, err := b.Find("sess_a", event(n*10+i).Dedupe)
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, got.Events[a.First+uint64(i)], e)
		}
	}
	return len(got.Appends)
}

// T22: the power goes at a random change to the disk. What was acknowledged is there, an
// operation that was on its way is there whole or not at all, and it can be repeated.
func TestI4_PowerCutsDuringAppends(t *testing.T) {
	cuts := 1000
	if testing.Short() {
		cuts = 15
	}
	before, after := 0, 0
	for seed := range uint64(cuts) {
		rnd := rand.New(rand.NewPCG(seed, 22))
		disk := storetest.NewDisk(nil)
		var mu sync.Mutex
		changes, acknowledged, left, open := rnd.IntN(24), 0, 0, false
		var dark *storetest.Disk
		disk.Watch(func(storetest.Op) error {
			mu.Lock()
			defer mu.Unlock()
			if !open || dark != nil {
				return nil
			}
			if changes--; changes < 0 {
				dark, left = disk.PowerCut(rnd.IntN(101), rnd), acknowledged
			}
			return nil
		})
		b := newBench(t, disk)
		mu.Lock()
		open = true
		mu.Unlock()
		for n := range 12 {
			_, err := b.Append(context.Background(), write, operation(n))
			require.NoError(t, err)
			mu.Lock()
			acknowledged++
			mu.Unlock()
		}
		require.NoError(t, b.j.Close())
		if dark == nil {
			dark, left = disk.PowerCut(0, rnd), acknowledged
		}
		again := newBench(t, dark)
		require.NoError(t, again.j.Verify(context.Background()))
		have := whole(t, again)
		require.True(t, have == left || have == left+1, "seed %d: %d acknowledged, %d there", seed, left, have)
		if have == left {
			before++
		} else {
			after++
		}
		for n := range have + 1 { // what is there is known, and the next goes on
			out, err := again.Append(context.Background(), write, operation(n))
			require.NoError(t, err)
			require.Equal(t, n < have, out.Known)
		}
		require.Equal(t, have+1, whole(t, again))
		require.NoError(t, again.j.Close())
	}
	t.Logf("%d cuts before the commit, %d behind it", before, after)
	assert.Positive(t, before)
	assert.True(t, after > 0 || testing.Short(), "few cuts may all be early")
}

// T24: what reading finds of damage, with what is before it.
func TestDamageIsFoundOnReading(t *testing.T) {
	forge := func(b *bench, change func(*record.Events)) { // a sound record that says what is not so
		at := b.j.Last()
		rec, err := b.j.Read(at)
		require.NoError(t, err)
		e, err := record.EventsFrom(rec.Body)
		require.NoError(t, err)
		change(&e)
		require.NoError(t, b.j.Update(context.Background(), func(tx *journal.Tx) error {
			rec, err := record.AppendPrinted(tx, e.Log, &e, &plist.Writer{})
			tx.Set(record.TableEvents.Key(e.Log, e.First), record.Number(rec.Seq))
			if h, _, err := record.GetPlist(tx, record.TableLog.Key(e.Log)); err == nil {
				return record.SetPlist(tx, record.TableLog.Key(e.Log), h.With("last", sexpr.Int64(int64(rec.Seq))))
			}
			return err
		}))
	}
	raw := func(b *bench, w ...journal.Write) { require.NoError(t, b.store.Commit(w)) }
	for name, c := range map[string]struct {
		damage func(b *bench, last uint64)
		want   logs.Condition
		fault  logs.Fault
		left   int
	}{
		"an event changed": {func(b *bench, _ uint64) { forge(b, func(e *record.Events) { e.Events[0].Data = `{"n":5}` }) },
			logs.CorruptTail, logs.DigestMismatch, 2},
		"a later version": {func(b *bench, _ uint64) { forge(b, func(e *record.Events) { e.Version = 2; e.Seal() }) },
			logs.UnknownVersion, logs.LaterVersion, 2},
		"a gap": {func(b *bench, _ uint64) { forge(b, func(e *record.Events) { e.Events[0].Index = 7; e.Seal() }) },
			logs.CorruptTail, logs.NotContiguous, 2},
		"a kind in capitals": {func(b *bench, _ uint64) {
			forge(b, func(e *record.Events) { e.Events[0].Kind = "Noted"; e.Seal() })
		}, logs.CorruptTail, logs.Malformed, 2},
		"a pin of nothing": {func(b *bench, _ uint64) {
			forge(b, func(e *record.Events) {
				e.Pins = []record.Pin{{Content: record.ContentDigest("?"), Event: e.Events[0].ID}}
			})
		}, logs.CorruptTail, logs.Missing, 2},
		"no record": {func(b *bench, last uint64) {
			lo, _ := journal.KeysTo(last)
			raw(b, journal.Write{Key: append(lo[:1:1], record.Number(last)...)})
		}, logs.CorruptTail, logs.Missing, 2},
		"a bit of the record": {func(b *bench, last uint64) {
			lo, _ := journal.KeysTo(last)
			key := append(lo[:1:1], record.Number(last)...)
			text, err := b.store.Get(key)
			require.NoError(t, err)
			text[len(text)/2] ^= 1
			raw(b, journal.Write{Key: key, Value: text})
		}, logs.CorruptTail, logs.Missing, 2},
		"no entry of the last": {func(b *bench, _ uint64) { raw(b, journal.Write{Key: record.TableEvents.Key("sess_a", 2)}) },
			logs.CorruptTail, logs.Missing, 2},
		"no entry of the first": {func(b *bench, _ uint64) {
			raw(b, journal.Write{Key: record.TableEvents.Key("sess_a", 0)})
		}, logs.CorruptHead, logs.NotContiguous, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, storetest.NewSteadyDisk())
			b.append(event(0), event(1))
			last := b.append(event(2)).Record
			require.Equal(t, logs.Healthy, b.read("sess_a").Health.Condition)
			c.damage(b, last)
			got := b.read("sess_a")
			assert.Equal(t, c.want, got.Health.Condition, got.Health.Err)
			assert.Equal(t, c.fault, got.Health.Fault, got.Health.Err)
			assert.Len(t, got.Events, c.left, "what is before the damage")
			assert.EqualValues(t, c.left, got.Health.Index)
			require.Error(t, got.Health.Err)
		})
	}
}

// T27: another process cannot open the store, and says why; the log is none the worse.
func TestASecondStoreIsRefused(t *testing.T) {
	disk := storetest.NewSteadyDisk()
	b := newBench(t, disk)
	b.append(event(0))
	_, err := store.Open("state", store.Options{Disk: disk, Segment: 64 << 10})
	require.ErrorContains(t, err, "in use")
	b.append(event(1))
	assert.Equal(t, logs.Healthy, b.read("sess_a").Health.Condition)
}
