package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/retention"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason"
)

// lives drives an engine through sessions of all sorts on one day, and returns
// the decisions.
func (b *bench) lives(day int, rnd *rand.Rand) (decisions []uint64) {
	b.t.Helper()
	for n := range 12 {
		name := fmt.Sprintf("day%d-%d", day, n%4)
		if n%5 == 0 {
			name = "forever"
		}
		var a *Action
		switch rnd.IntN(4) {
		case 0:
			a = action(b.t, "note", `(:text "a note")`)
		case 1:
			a = action(b.t, "send_money", fmt.Sprintf(`(:recipient "x" :amount %d)`, rnd.IntN(300)))
		case 2:
			a = action(b.t, "risky", fmt.Sprintf(`(:what "thing %d")`, n))
		case 3:
			a = action(b.t, "never", `(:what "that")`)
		}
		d, err := b.Decide(context.Background(), a, asking(name, "p"+fmt.Sprint(n%3)))
		require.NoError(b.t, err)
		decisions = append(decisions, d.ID)
		if d.Kind == reason.Ask && n%2 == 0 {
			require.NoError(b.t, b.Deny(context.Background(), d.Approval, approval.Approver{Name: "ana"}, "no"))
		}
		if d.Kind != reason.Allow {
			continue
		}
		p, err := b.Begin(context.Background(), d)
		require.NoError(b.t, err)
		state := act.Done
		if rnd.IntN(3) == 0 {
			state = act.Nothing
		}
		require.NoError(b.t, p.Finish(context.Background(), Receipt{State: state, Text: "so"}))
	}
	return decisions
}

// entries counts what a table of the engine holds.
func (b *bench) entries(table byte) (n int) {
	b.t.Helper()
	require.NoError(b.t, record.Scan(b.j, []byte{table}, func(_, _ []byte) error { n++; return nil }))
	return n
}

// TestI4_RetentionKeepsWhatLives runs an engine for some weeks with a retention of
// four. What is open stays; all else older goes, and the tables with it; what is
// left verifies and replays.
func TestI4_RetentionKeepsWhatLives(t *testing.T) {
	crashtest.Long(t)
	b := newBench(t, testRules, "", func(o *Options) {
		o.Retain = retention.Retain{Age: 4 * 24 * time.Hour}
		o.Approvals.TTL = 1000 * 24 * time.Hour
		o.Dir = t.TempDir()
	})
	ctx := context.Background()
	rnd := rand.New(rand.NewPCG(1, 2))
	old, err := b.Decide(ctx, action(t, "risky", `(:what "that waits for ever")`), asking("waits", "p"))
	require.NoError(t, err)
	doubt, err := b.Decide(ctx, action(t, "note", `(:text "in doubt")`), asking("doubts", "p"))
	require.NoError(t, err)
	permit, err := b.Begin(ctx, doubt)
	require.NoError(t, err)

	first := b.lives(0, rnd)
	removed, settled := 0, map[byte]int{}
	for day := 1; day < 20; day++ {
		b.clock.Add(24 * 3600)
		b.lives(day, rnd)
		did, err := b.Operations().Retain(ctx)
		require.NoError(t, err, "day %d", day)
		removed += did.Removed
		if day%7 == 0 {
			b.reopen()
		}
		require.NoError(t, b.j.Verify(ctx), "day %d", day)
		if day%6 != 0 {
			continue
		}
		got, err := b.Replay(ctx, ReplayOptions{})
		require.NoError(t, err)
		require.Empty(t, got.Differences, "day %d", day)
		if day == 12 {
			for _, table := range []byte{byte(record.TableSpent), byte(record.TablePrincipal), byte(record.TableVersion),
				byte(record.TableEnded)} {
				settled[table] = b.entries(table)
			}
		}
	}
	assert.Greater(t, removed, 150)
	for table, n := range settled {
		assert.Less(t, b.entries(table), n+n/2+10, "the table %q does not grow with time", table)
	}
	for _, seq := range []uint64{old.ID, doubt.ID, permit.ID()} {
		_, err := b.j.Read(seq)
		assert.NoError(t, err, "something open refers to record %d", seq)
	}
	gone := 0
	for _, seq := range first {
		if _, err := b.j.Read(seq); err != nil {
			require.ErrorIs(t, err, journal.ErrRemoved)
			_, err = b.Explain(ctx, seq)
			require.ErrorIs(t, err, journal.ErrRemoved)
			gone++
		}
	}
	assert.Positive(t, gone)

	// What is open can still be answered and acted on, after all that time.
	require.NoError(t, b.Approve(ctx, old.Approval, approval.Approver{Name: "ana"}))
	again, err := b.Decide(ctx, action(t, "risky", `(:what "that waits for ever")`), asking("waits", "p"))
	require.NoError(t, err)
	assert.Equal(t, reason.Allow, again.Kind)
	require.NoError(t, b.Operations().Settle(ctx, permit.ID(), true, approval.Approver{Name: "ana"}))
}

// A session that was silent for longer than the record is kept is over: nobody
// goes by half of its history, and what was spent in it stays spent for the day.
func TestI4_ASessionThatRetentionEndedBeginsAnew(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Retain = retention.Retain{Age: time.Hour} })
	ctx := context.Background()
	who := asking("s", "p")
	d, err := b.Decide(ctx, action(t, "send_money", `(:recipient "x" :amount 900)`), who)
	require.NoError(t, err)
	p, err := b.Begin(ctx, d)
	require.NoError(t, err)
	require.NoError(t, p.Finish(ctx, Receipt{State: act.Done}))
	turns, err := b.history.Turns("s", b.j.Last(), 0)
	require.NoError(t, err)
	require.Len(t, turns, 1)

	b.clock.Add(2 * 3600)
	did, err := b.Operations().Retain(ctx)
	require.NoError(t, err)
	require.Positive(t, did.Removed)
	turns, err = b.history.Turns("s", b.j.Last(), 0)
	require.NoError(t, err)
	assert.Empty(t, turns)
	_, err = b.Begin(ctx, d)
	require.ErrorIs(t, err, journal.ErrRemoved)

	d, err = b.Decide(ctx, action(t, "send_money", `(:recipient "x" :amount 900)`), who)
	require.NoError(t, err)
	assert.Equal(t, reason.Deny, d.Kind, "the budget of the day remembers what was spent")
	got, err := b.Replay(ctx, ReplayOptions{})
	require.NoError(t, err)
	assert.Empty(t, got.Differences)
}

// By size, the oldest go, and what is younger than Keep stays however large it is.
func TestRetainBySize(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Retain = retention.Retain{Bytes: 30_000} })
	ctx, rnd := context.Background(), rand.New(rand.NewPCG(3, 4))
	size := func() (n int64) {
		require.NoError(t, b.j.Weigh(1, func(_ uint64, size int) bool { n += int64(size); return true }))
		return n
	}
	for day := range 4 {
		b.lives(day, rnd)
		b.clock.Add(3600)
	}
	did, err := b.Operations().Retain(ctx)
	require.NoError(t, err)
	assert.Zero(t, did.Removed, "all of it is of today")
	require.Greater(t, size(), int64(30_000))
	b.clock.Add(25 * 3600)
	did, err = b.Operations().Retain(ctx)
	require.NoError(t, err)
	assert.Positive(t, did.Removed)
	before := did.To
	did, err = b.Operations().Retain(ctx)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, did.To, before)
	require.NoError(t, b.j.Verify(ctx))
}

// Retention goes on where nothing new is begun for want of space, and what it removes is
// room.
func TestI4_RetentionMakesRoom(t *testing.T) {
	crashtest.Long(t)
	disk := storetest.NewDisk(nil)
	b := newBench(t, testRules, "", func(o *Options) {
		o.Retain, o.Dir, o.mount = retention.Retain{Age: 24 * time.Hour}, "state", segmented(disk, 1<<20)
	})
	ctx, text := context.Background(), strings.Repeat("a large note ", 4000)
	for n := range 120 {
		_, err := b.Decide(ctx, action(t, "note", fmt.Sprintf(`(:text "%s%d")`, text, n)), asking("s", "p"))
		require.NoError(t, err)
	}
	before := disk.Used("/")
	b.clock.Add(48 * 3600)
	disk.SetFree(40 << 20)
	require.Eventually(t, func() bool { return b.j.Room() != nil }, 10*time.Second, time.Millisecond)
	_, err := b.Decide(ctx, action(t, "note", `(:text "no")`), asking("s2", "p"))
	require.ErrorIs(t, err, journal.ErrFull)
	require.NoError(t, b.Operations().Maintain(ctx), "all that a heartbeat does finishes something")
	to, _, err := b.j.Retained()
	require.NoError(t, err)
	assert.Greater(t, to.Seq, uint64(110))
	require.Eventually(t, func() bool {
		return disk.Used("/") < before/3
	}, 20*time.Second, time.Millisecond, "both places are smaller than %d", before/3)
	require.NoError(t, b.j.Verify(ctx))
}

// A dedupe key is known as long as its signal, and no longer; a rulebook as long
// as anything that was decided under it.
func TestRetentionForgetsKeysAndRulebooks(t *testing.T) {
	b := newBench(t, testRules, `(:reply "Yes.")`, func(o *Options) {
		o.Retain, o.Dir = retention.Retain{Age: 24 * time.Hour}, t.TempDir()
	})
	ctx := context.Background()
	_, err := b.Submit(ctx, Signal{Text: "hello", Session: "s", Source: "test", Principal: "p", Key: "k1"})
	require.NoError(t, err)
	_, err = b.Decide(ctx, action(t, "look", `{}`), nil)
	require.NoError(t, err)
	books := b.entries(byte(record.TablePolicy))
	require.Equal(t, 1, b.entries(byte(record.TableDedupe)))
	b.opt.Rules = fstest.MapFS{"rules.lisp": {Data: []byte(testRules + `(deftool other :params () :tier :deny)`)}}
	b.reopen()
	require.Greater(t, b.entries(byte(record.TablePolicy)), books)
	b.clock.Add(12 * 3600)
	out, err := b.Submit(ctx, Signal{Text: "hello", Session: "s", Source: "test", Principal: "p", Key: "k1"})
	require.NoError(t, err)
	assert.True(t, out.Repeat, "within the time of retention")
	b.clock.Add(15 * 3600)
	_, err = b.Decide(ctx, action(t, "look", `{}`), asking("later", ""))
	require.NoError(t, err)
	_, err = b.Operations().Retain(ctx)
	require.NoError(t, err)
	assert.Zero(t, b.entries(byte(record.TableDedupe)))
	assert.Zero(t, b.entries(byte(record.TableAnswer)))
	assert.Equal(t, books, b.entries(byte(record.TablePolicy)), "the old rulebook has gone, the new one not")
	got, err := b.Replay(ctx, ReplayOptions{})
	require.NoError(t, err)
	assert.Empty(t, got.Differences)
	assert.Zero(t, got.Skipped)
	require.NoError(t, b.j.Verify(ctx))
}

// TestI4_PowerCutInRetention cuts the power at random points while records are
// removed: what is left verifies, and retention goes on from there.
func TestI4_PowerCutInRetention(t *testing.T) {
	crashtest.Long(t)
	for seed := range uint64(6) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		disk := storetest.NewDisk(nil)
		open := func(d *storetest.Disk, at int64) *bench {
			opt, b := options(t, testRules, "")
			opt.Dir, opt.mount, opt.Retain = "/record", on(d), retention.Retain{Age: 24 * time.Hour}
			b.clock.Store(at)
			e, err := open(context.Background(), opt)
			require.NoError(t, err)
			b.Engine = e
			return b
		}
		b := open(disk, start.Unix())
		for day := range 6 {
			b.lives(day, rnd)
			b.clock.Add(12 * 3600)
		}
		cut := make(chan *storetest.Disk, 1)
		go func() { cut <- disk.PowerCut(int(seed*20), rand.New(rand.NewPCG(seed, 6))) }()
		_, err := b.Operations().Retain(context.Background())
		require.NoError(t, err)
		after := open(<-cut, b.clock.Load())
		require.NoError(t, after.j.Verify(context.Background()), "seed %d", seed)
		_, err = after.Operations().Retain(context.Background())
		require.NoError(t, err)
		require.NoError(t, after.j.Verify(context.Background()), "seed %d", seed)
		got, err := after.Replay(context.Background(), ReplayOptions{})
		require.NoError(t, err)
		require.Empty(t, got.Differences, "seed %d", seed)
		require.NoError(t, after.Close())
		require.NoError(t, b.Close())
	}
}

// A session that is over goes whole, however many steps its records lie in, and what
// comes later under its name stays.
func TestI4_LongSessionsGoWhole(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Retain = retention.Retain{Age: 4 * 24 * time.Hour} })
	ctx := context.Background()
	look := func(n int) {
		for range n {
			_, err := b.Decide(ctx, action(t, "look", `{}`), asking("s", "p"))
			require.NoError(t, err)
		}
	}
	look(3*retention.SliceOf + 10)
	b.clock.Add(5 * 24 * 3600)
	did, err := b.Operations().Retain(ctx)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, did.Removed, 3*retention.SliceOf+10)
	assert.Zero(t, b.entries(byte(record.TableSession)))
	look(3)
	b.clock.Add(3 * 24 * 3600)
	look(1)
	b.clock.Add(2 * 24 * 3600)
	_, err = b.Operations().Retain(ctx)
	require.NoError(t, err)
	assert.Equal(t, 4, b.entries(byte(record.TableSession)), "the history of a session that goes on")
	require.NoError(t, b.j.Verify(ctx))
}

// The approval that an intent in doubt rests on is kept as long as the doubt.
func TestI4_RetentionKeepsTheApprovalOfADoubt(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) {
		o.Retain, o.Dir = retention.Retain{Age: 4 * 24 * time.Hour}, t.TempDir()
	})
	ctx := context.Background()
	token := b.granted(`(:what "x")`).Approval
	_, err := b.Begin(ctx, b.decideOn("risky", `(:what "x")`))
	require.NoError(t, err)
	b.reopen()
	retain := func() {
		b.clock.Add(10 * 24 * 3600)
		_, err := b.Operations().Retain(ctx)
		require.NoError(t, err)
	}
	retain()
	a, err := b.Approvals().Get(ctx, token)
	require.NoError(t, err)
	assert.Equal(t, approval.Consumed, a.State)
	require.NoError(t, b.Operations().Settle(ctx, b.doubt().Intent, true, ana))
	retain()
	retain()
	_, err = b.Approvals().Get(ctx, token)
	require.ErrorIs(t, err, approval.ErrUnknownToken)
}

// A decision that waits to be begun with, while its session is ended because the clock
// was ahead for a while, is made again: what it rested on is gone.
func TestI4_ADecisionWhoseSessionWasEndedIsMadeAgain(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Retain = retention.Retain{Age: time.Hour} })
	ctx := context.Background()
	decide := func(session0 string) *Decision {
		d, err := b.Decide(ctx, action(t, "note", `(:text "x")`), asking(session0, "p"))
		require.NoError(t, err)
		return d
	}
	decide("s")
	b.clock.Add(100 * 3600)
	d := decide("s")
	b.clock.Add(-100 * 3600)
	for range 30 {
		decide("other")
	}
	b.clock.Add(100*3600 + 1)
	decide("other")
	did, err := b.Operations().Retain(ctx)
	require.NoError(t, err)
	require.Positive(t, did.Removed)
	p, err := b.Begin(ctx, d)
	require.NoError(t, err)
	assert.Greater(t, p.Intent().Decision, d.ID)
	require.NoError(t, p.Finish(ctx, Receipt{State: act.Done}))
	decide("s") // whose history can be read
	require.NoError(t, b.j.Verify(ctx))
}

// A receipt that came while the clock was ahead outlives its decision, and that its
// session has ended is known for as long.
func TestI4_AReceiptFromTheFutureEntersNoHistory(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Retain = retention.Retain{Age: time.Hour} })
	ctx := context.Background()
	decide := func(in, tool, args string) *Decision {
		d, err := b.Decide(ctx, action(t, tool, args), asking(in, "p"))
		require.NoError(t, err)
		return d
	}
	others := func(n int) {
		for range n {
			decide("other", "note", `(:text "x")`)
		}
	}
	p, err := b.Begin(ctx, decide("s", "send_money", `(:recipient "x" :amount 3)`))
	require.NoError(t, err)
	b.clock.Add(300 * 3600)
	require.NoError(t, p.Finish(ctx, Receipt{State: act.Nothing}))
	b.clock.Add(-300 * 3600)
	ended := func() uint64 {
		_, err := b.Operations().Retain(ctx)
		require.NoError(t, err)
		end, err := record.EndOf(b.j, "s")
		require.NoError(t, err)
		return end
	}
	others(30)
	b.clock.Add(3 * 3600)
	others(30)
	end := ended()
	require.Positive(t, end)
	rec, err := b.j.Read(end)
	require.NoError(t, err)
	assert.Equal(t, journal.KindRetention, rec.Kind)
	_, err = b.j.Read(p.Intent().Decision)
	require.ErrorIs(t, err, journal.ErrRemoved)
	for range 4 {
		b.clock.Add(30 * 3600)
		others(30)
		assert.Equal(t, end, ended())
	}
	decide("s", "send_money", `(:recipient "x" :amount 3)`) // whose history can be read
	b.clock.Add(400 * 3600)
	others(30)
	ended()
	b.clock.Add(40 * 3600)
	others(30)
	assert.Zero(t, ended(), "nothing of it is left")
	require.NoError(t, b.j.Verify(ctx))
}

// A decision that is kept, because a card of its session is open, rested on what was
// spent in a session that is gone: it cannot be derived again, and is no difference.
func TestI5_WhatWasSpentIsGone(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) {
		o.Dir, o.Retain, o.Approvals.TTL = t.TempDir(), retention.Retain{Age: 24 * time.Hour}, 1000*time.Hour
	})
	ctx := context.Background()
	pay := func(in string) *Decision {
		d, err := b.Decide(ctx, action(t, "send_money", `(:recipient "x" :amount 600)`), asking(in, "p"))
		require.NoError(t, err)
		return d
	}
	p, err := b.Begin(ctx, pay("gone"))
	require.NoError(t, err)
	require.NoError(t, p.Finish(ctx, Receipt{State: act.Done}))
	refused := pay("kept")
	require.Equal(t, reason.Deny, refused.Kind)
	asked, err := b.Decide(ctx, action(t, "risky", `(:what "x")`), asking("kept", "p"))
	require.NoError(t, err)
	require.NotEmpty(t, asked.Approval)
	b.clock.Add(200 * 3600)
	for range 30 {
		_, err := b.Decide(ctx, action(t, "note", `(:text "x")`), asking("other", "q"))
		require.NoError(t, err)
	}
	did, err := b.Operations().Retain(ctx)
	require.NoError(t, err)
	require.Positive(t, did.Removed)
	_, err = b.j.Read(refused.ID)
	require.NoError(t, err, "it is kept")
	b.reopen() // nothing is remembered
	r, err := b.Replay(ctx, ReplayOptions{})
	require.NoError(t, err)
	assert.Empty(t, r.Differences)
	assert.Positive(t, r.Removed)
}

// What is kept in many places is looked at in as few steps as a heartbeat can afford.
func TestFirstOf(t *testing.T) {
	spans := []journal.Span{{From: 3, To: 3}, {From: 7, To: 9}, {From: 20, To: 19 + 2*retention.SliceOf},
		{From: 2000, To: 2001}}
	var steps [][2]uint64
	for len(spans) > 0 {
		var from, to uint64
		from, to, spans = retention.FirstOf(spans)
		steps = append(steps, [2]uint64{from, to})
	}
	assert.Equal(t, [][2]uint64{{3, 20 + retention.SliceOf - 5},
		{20 + retention.SliceOf - 4, 20 + 2*retention.SliceOf - 5}, {20 + 2*retention.SliceOf - 4, 2001}},
		steps)
}
