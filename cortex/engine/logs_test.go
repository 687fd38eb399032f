package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/retention"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/reason"
)

// noted appends an event with content of its own, or of another, to a log.
func (b *bench) noted(log string, n int, content string, more ...func(*logs.Tx)) {
	b.t.Helper()
	_, err := b.Hosts().Logs().Append(context.Background(), logs.Write{Log: log, Family: "test", By: "ann"},
		noting(log, n, content, more...))
	require.NoError(b.t, err)
}

func noting(log string, n int, content string, more ...func(*logs.Tx)) func(*logs.Tx) error {
	return func(tx *logs.Tx) error {
		e, err := tx.Event(
			logs.Event{ID: fmt.Sprintf("evt_%d", n), Kind: "noted", Dedupe: fmt.Sprintf("noted:%s:%d", log, n),
				Data: fmt.Sprintf(`{"n":%d}`, n)},
		)
		if err == nil && content != "" {
			var of logs.Digest
			if of, err = tx.Keep("text/plain", content); err == nil {
				err = tx.Pin(of, e.ID)
			}
		}
		for _, f := range more {
			f(tx)
		}
		return err
	}
}

func over(tx *logs.Tx) { tx.Over(true) }

func (b *bench) hasContent(content string) bool {
	b.t.Helper()
	_, got, err := b.Hosts().Logs().Content(record.ContentDigest(content))
	if errors.Is(err, logs.ErrNoContent) {
		return false
	}
	require.NoError(b.t, err)
	assert.Equal(b.t, content, got)
	return true
}

func (b *bench) retain() retention.Retention {
	b.t.Helper()
	did, err := b.Operations().Retain(context.Background())
	require.NoError(b.t, err)
	return did
}

func (b *bench) days(n int64) { b.clock.Add(n * 24 * 3600) }

func forRuns(o *Options) { o.Retain = retention.Retain{Age: 24 * time.Hour, Runs: 48 * time.Hour} }

// T26: of two that go on with one log at once, without time to wait, one does, and the other
// is told that it may try again; with time both do.
func TestTheTurnOfALog(t *testing.T) {
	b := newBench(t, testRules, "")
	l := b.Hosts().Logs()
	none, cancel := context.WithCancel(t.Context())
	cancel()
	leave, err := l.Turn(none, "sess_a")
	require.NoError(t, err, "a free turn takes no time")
	_, err = l.Turn(none, "sess_a")
	require.ErrorIs(t, err, logs.ErrLocked)
	other, err := l.Turn(none, "sess_b")
	require.NoError(t, err, "another log is another turn")
	other()
	leave()
	leave, err = l.Turn(none, "sess_a")
	require.NoError(t, err, "who was refused holds nothing")
	leave()

	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5 {
				leave, err := l.Turn(context.Background(), "sess_a")
				if !assert.NoError(t, err) {
					return
				}
				h, err := l.Head("sess_a") // what is read under the turn holds until it is left
				if !errors.Is(err, logs.ErrNoLog) {
					assert.NoError(t, err)
				}
				out, err := l.Append(context.Background(), logs.Write{Log: "sess_a", Family: "test"},
					noting("sess_a", int(h.Next), ""))
				if assert.NoError(t, err) {
					assert.False(t, out.Known)
				}
				leave()
			}
		})
	}
	all.Wait()
	got, err := l.Read(t.Context(), "sess_a")
	require.NoError(t, err)
	assert.Equal(t, logs.Healthy, got.Health.Condition)
	assert.Len(t, got.Events, 20)
	b.intact()
}

// T81: content that two logs pin goes with the second of them; an exempt log stays.
func TestI4_ContentGoesWithItsLastLog(t *testing.T) {
	b := newBench(t, testRules, "", forRuns)
	l := b.Hosts().Logs()
	b.noted("one", 0, "shared", over)
	b.noted("two", 0, "shared", over)
	b.noted("three", 0, "exempt", over)
	b.noted("four", 0, "open")
	require.NoError(t, l.SetExempt(t.Context(), "three", true, "ana", "cli"))
	b.days(2)
	require.NoError(t, l.Delete(t.Context(), "one", "ana", "cli"))
	b.noted("two", 1, "", over)
	b.clock.Add(36 * 3600)
	b.retain()
	assert.Empty(t, b.eventsOf("one"), "it is gone, bytes and all")
	assert.True(t, b.hasContent("shared"))
	assert.Len(t, b.eventsOf("two"), 2, "whole, because it was appended to of late")
	b.days(30)
	b.retain()
	assert.Empty(t, b.eventsOf("two"))
	assert.False(t, b.hasContent("shared"))
	for _, log := range []string{"three", "four"} {
		got, err := l.Read(t.Context(), log)
		require.NoError(t, err, log)
		assert.Equal(t, logs.Healthy, got.Health.Condition, log)
	}
	assert.True(t, b.hasContent("exempt"))
	assert.True(t, b.hasContent("open"))
	require.NoError(t, l.SetExempt(t.Context(), "three", false, "ana", "cli"))
	b.days(2)
	b.retain()
	assert.False(t, b.hasContent("exempt"))
	b.noted("one", 0, "a new life", over)
	assert.Len(t, b.eventsOf("one"), 1)
	b.tablesAreTheRecord()
	b.intact()
}

// eventsOf returns the events that the record holds of a log, whether it is hidden or not.
func (b *bench) eventsOf(log string) (out []record.Event) {
	b.t.Helper()
	require.NoError(b.t, b.Journal().Records(1, func(r Record) error {
		if r.Kind != record.KindEvents || r.Session != log {
			return nil
		}
		e, err := record.EventsFrom(r.Body)
		out = append(out, e.Events...)
		return err
	}))
	return out
}

// An open log keeps the session that it acts in, and the approval that it began with.
func TestI4_AnOpenLogKeepsWhatItActsFor(t *testing.T) {
	b := newBench(t, testRules, "", forRuns, func(o *Options) { o.Approvals.TTL = time.Hour })
	ctx := t.Context()
	var asked *Decision
	for _, session := range []string{"kept", "let-go"} {
		d, err := b.Decide(ctx, action(t, "risky", `(:what "`+session+`")`), asking(session, "agent"))
		require.NoError(t, err)
		require.NoError(t, b.Deny(ctx, d.Approval, approval.Approver{Name: "ana"}, "no"))
		if session == "kept" {
			asked = d
		}
	}
	require.Equal(t, reason.Ask, asked.Kind)
	b.noted("run", 0, "", func(tx *logs.Tx) { tx.Acts("kept", asked.Approval) })
	b.days(10)
	b.retain()
	turns := func(session string) int {
		turns, err := b.history.Turns(session, b.j.Last(), 0)
		require.NoError(t, err)
		return len(turns)
	}
	assert.Equal(t, 1, turns("kept"))
	assert.Zero(t, turns("let-go"))
	_, err := b.Approvals().Get(ctx, asked.Approval)
	require.NoError(t, err)
	b.noted("run", 1, "", over)
	b.days(10)
	b.retain()
	assert.Zero(t, turns("kept"))
	_, err = b.Approvals().Get(ctx, asked.Approval)
	require.ErrorIs(t, err, approval.ErrUnknownToken)
	b.intact()
}

// T82: a log that is not sound stops retention, which names it, until it is deleted.
func TestI4_ADamagedLogStopsRetention(t *testing.T) {
	b := newBench(t, testRules, "", forRuns)
	ctx := t.Context()
	b.noted("bad", 0, "plan", over)
	b.noted("good", 0, "", over)
	require.NoError(t, b.j.Update(ctx, func(tx *journal.Tx) error { // no index points to the event any more
		tx.Delete(record.TableEvents.Key("bad", 0))
		return nil
	}))
	b.days(10)
	last := b.j.Last()
	for range 2 {
		_, err := b.Operations().Retain(ctx)
		require.ErrorContains(t, err, "log bad is corrupt_head at event 0")
		assert.Equal(t, last, b.j.Last(), "nothing was removed")
	}
	require.NoError(t, b.Hosts().Logs().Delete(ctx, "bad", "ana", "cli"))
	b.retain()
	assert.Empty(t, b.eventsOf("bad"))
	assert.Empty(t, b.eventsOf("good"))
	assert.False(t, b.hasContent("plan"))
}

// T83: an append that pins content which retention is removing pins it or is refused; it
// never rests on what is not there.
func TestI4_PinsWhileRetentionRuns(t *testing.T) {
	b := newBench(t, testRules, "", forRuns)
	l := b.Hosts().Logs()
	of := record.ContentDigest("shared")
	pinned, refused, rounds := 0, 0, 1000
	if testing.Short() {
		rounds = 60
	}
	for round := range rounds {
		b.noted(fmt.Sprintf("old-%d", round), 0, "shared", over)
		b.days(10)
		var both sync.WaitGroup
		both.Go(func() { b.retain() })
		log := fmt.Sprintf("new-%d", round)
		_, err := l.Append(t.Context(), logs.Write{Log: log, Family: "test"}, func(tx *logs.Tx) error {
			tx.Over(true)
			e, err := tx.Event(logs.Event{ID: "evt", Kind: "noted", Dedupe: "noted", Data: `{}`})
			return errors.Join(err, tx.Pin(of, e.ID))
		})
		both.Wait()
		if errors.Is(err, logs.ErrNoContent) {
			refused++
			continue
		}
		require.NoError(t, err)
		pinned++
		got, err := l.Read(t.Context(), log)
		require.NoError(t, err)
		require.Equal(t, logs.Healthy, got.Health.Condition, got.Health.Err)
		require.True(t, b.hasContent("shared"))
	}
	t.Logf("%d pinned, %d refused", pinned, refused)
	b.tablesAreTheRecord()
	b.intact()
}

// The power goes while logs that take several steps are removed. Each is there whole or
// hidden, and nothing can be appended to one of which a part is left.
func TestI4_PowerCutWhileLogsGo(t *testing.T) {
	cuts, hidden := 40, 0
	if testing.Short() {
		cuts = 2
	}
	for seed := range uint64(cuts) {
		rnd := rand.New(rand.NewPCG(seed, 82))
		var mu sync.Mutex
		var dark *storetest.Disk
		changes, going, disk := rnd.IntN(8), false, storetest.NewDisk(nil)
		disk.Watch(func(storetest.Op) error {
			mu.Lock()
			defer mu.Unlock()
			if going && dark == nil {
				if changes--; changes < 0 {
					dark = disk.PowerCut(rnd.IntN(101), rnd)
				}
			}
			return nil
		})
		b := newBench(t, testRules, "", forRuns, func(o *Options) { o.Dir, o.mount = "/record", on(disk) })
		for n := range 100 {
			for _, log := range []string{"a", "b", "c"} {
				b.noted(log, n, fmt.Sprint("content ", n/2), over)
			}
		}
		b.days(10)
		mu.Lock()
		going = true
		mu.Unlock()
		b.retain()
		if dark == nil {
			dark = disk.PowerCut(0, rnd)
		}
		at := b.clock.Load()
		b = newBench(t, testRules, "", forRuns, func(o *Options) { o.Dir, o.mount = "/record", on(dark) })
		b.clock.Store(at)
		b.tablesAreTheRecord()
		l := b.Hosts().Logs()
		for _, log := range []string{"a", "b", "c"} {
			got, err := l.Read(t.Context(), log)
			if err == nil {
				require.Equal(t, logs.Healthy, got.Health.Condition, got.Health.Err)
				require.Len(t, got.Events, 100)
				continue
			}
			hidden++
			require.ErrorIs(t, err, logs.ErrNoLog)
			if len(b.eventsOf(log)) > 0 {
				_, err = l.Append(t.Context(), logs.Write{Log: log, Family: "test"}, noting(log, 900, ""))
				require.ErrorIs(t, err, logs.ErrDeleted)
			}
		}
		b.retain()
		for _, log := range []string{"a", "b", "c"} {
			assert.Empty(t, b.eventsOf(log))
		}
		b.tablesAreTheRecord()
		require.NoError(t, b.j.Verify(t.Context()))
	}
	t.Logf("%d of %d logs were hidden at a cut", hidden, 3*cuts)
	assert.Positive(t, hidden)
}

// tablesAreTheRecord makes the tables of logs anew from the records that are left, in the
// plainest way, and compares.
func (b *bench) tablesAreTheRecord() {
	b.t.Helper()
	ctx := b.t.Context()
	type head struct {
		Next, Last           uint64
		Over, Exempt, hidden bool
	}
	want, heads, cut := map[string]uint64{}, map[string]head{}, map[string]bool{}
	pins, pinned := map[[2]string]bool{}, map[[2]string]bool{}
	require.NoError(b.t, b.j.Records(1, func(r Record) error {
		switch r.Kind {
		case record.KindKept:
			k, err := record.KeptFrom(r.Body)
			want["k"+record.ContentDigest(k.Data).String()] = r.Seq
			return err
		case record.KindStanding:
			s := record.LogStandingFrom(r.Body)
			h, there := heads[s.Log]
			if h.Exempt, h.hidden = s.Exempt, s.Deleted; there {
				heads[s.Log] = h
			}
		case record.KindEvents:
			e, err := record.EventsFrom(r.Body)
			if err != nil {
				return err
			}
			h, there := heads[e.Log]
			if !there && e.First > 0 {
				cut[e.Log] = true // retention has begun with it
			}
			h.Next, h.Last, h.Over = e.First+uint64(len(e.Events)), r.Seq, e.Over
			heads[e.Log] = h
			want[fmt.Sprintf("l%s %d", e.Log, e.First)] = r.Seq
			for _, x := range e.Events {
				want["D"+e.Log+" "+x.Dedupe] = r.Seq
			}
			for _, p := range e.Pins {
				pins[[2]string{p.Content.String(), e.Log}] = true
			}
		}
		return nil
	}))
	got := map[string]uint64{}
	number := func(prefix string) func(any, []byte) {
		return func(key any, v []byte) { got[prefix+fmt.Sprint(key)] = record.AsNumber(v[:min(8, len(v))]) }
	}
	require.NoError(
		b.t,
		record.TableKept.Scan(b.j, func(d logs.Digest, v []byte) error { number("k")(d, v); return nil }),
	)
	for log := range heads {
		require.NoError(b.t, record.TableEvents.Scan(b.j, log, func(first uint64, v []byte) error {
			number("l"+log+" ")(first, v)
			return nil
		}))
		require.NoError(b.t, record.TableEventKey.Scan(b.j, log, func(key string, v []byte) error {
			number("D"+log+" ")(key, v)
			return nil
		}))
	}
	require.NoError(b.t, record.Scan(b.j, []byte{byte(record.TablePin)}, func(k, _ []byte) error {
		pinned[[2]string{logs.Digest(k[1:33]).String(), string(k[33 : len(k)-1])}] = true
		return nil
	}))
	for _, of := range []map[[2]string]bool{pins, pinned} { // those of a log on its way out bind nothing
		maps.DeleteFunc(of, func(p [2]string, _ bool) bool { return heads[p[1]].hidden || cut[p[1]] })
	}
	assert.Equal(b.t, pins, pinned)
	assert.Equal(b.t, want, got)
	assert.Equal(b.t, len(heads), b.entries(byte(record.TableLog)), "a head for each log that has events")
	events, keys := 0, 0
	for k := range want {
		switch k[0] {
		case 'l':
			events++
		case 'D':
			keys++
		}
	}
	assert.Equal(b.t, events, b.entries(byte(record.TableEvents)))
	assert.Equal(b.t, keys, b.entries(byte(record.TableEventKey)))
	listed, err := b.Hosts().Logs().List(ctx)
	require.NoError(b.t, err)
	have := map[string]head{}
	for _, h := range listed {
		have[h.Log] = head{h.Next, h.Last, h.Over, h.Exempt, false}
	}
	for log, h := range heads {
		if h.hidden || cut[log] {
			delete(heads, log)
		}
	}
	assert.Equal(b.t, heads, have)
}

// Whatever is done to logs, their tables say what the records say.
func TestTablesOfLogsCanBeMadeAnew(t *testing.T) {
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		b := newBench(t, testRules, "", forRuns, onDisk)
		l, rnd := b.Hosts().Logs(), rand.New(rand.NewPCG(seed, 9))
		next := map[string]int{}
		for step := range 150 {
			log := fmt.Sprintf("log-%d", rnd.IntN(6))
			switch rnd.IntN(12) {
			case 0:
				b.clock.Add(int64(rnd.IntN(48 * 3600)))
				b.retain()
			case 1:
				err := l.Delete(t.Context(), log, "ana", "cli")
				assert.True(t, err == nil || errors.Is(err, logs.ErrNoLog), err)
			case 2:
				err := l.SetExempt(t.Context(), log, rnd.IntN(2) == 0, "ana", "cli")
				assert.True(t, err == nil || errors.Is(err, logs.ErrNoLog), err)
			case 3:
				if step%10 == 0 {
					b.reopen()
					l = b.Hosts().Logs()
				}
			default:
				next[log]++
				_, err := l.Append(t.Context(), logs.Write{Log: log, Family: "test"},
					noting(log, next[log], fmt.Sprint("content ", rnd.IntN(8)), func(tx *logs.Tx) { tx.Over(rnd.IntN(3) > 0) }))
				assert.True(t, err == nil || errors.Is(err, logs.ErrDeleted), err)
			}
			if step%25 == 24 {
				b.tablesAreTheRecord()
			}
		}
		b.intact()
	}
}
