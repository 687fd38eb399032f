package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/reason"
)

// moody is a store that does not give back the nth record from now on, once.
type moody struct {
	journal.Store
	in *atomic.Int64
}

func (m moody) Get(key []byte) ([]byte, error) {
	if len(key) == 9 && key[0] == 'e' && m.in.Add(-1) == 0 {
		return nil, syscall.EIO
	}
	return m.Store.Get(key)
}

// A record that cannot be read is an error, once; afterwards nothing counts twice.
func TestNothingCountsTwiceAfterAReadError(t *testing.T) {
	var in atomic.Int64
	b := newBench(t, testRules, "", func(o *Options) {
		o.hooks.Wrap = func(s journal.Store) journal.Store { return moody{s, &in} }
	})
	for range 3 {
		p, err := b.Begin(t.Context(), b.decideOn("send_money", `(:recipient "x" :amount 5)`))
		require.NoError(t, err)
		require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))
	}
	look := func() (turns, spends int, err error) {
		all, err := b.history.Turns("s1", b.j.Last(), 0)
		if err != nil {
			return 0, 0, err
		}
		spent, err := b.history.Spends(asking("s1", "agent").Session, b.j.Last(), 0)
		return len(all), len(spent), err
	}
	wantTurns, wantSpends, err := look()
	require.NoError(t, err)
	require.Equal(t, 3, wantSpends)
	for n := int64(1); ; n++ {
		b.memory.Idle.Purge()
		b.memory.All = 0
		in.Store(n)
		_, _, failed := look()
		if failed == nil {
			require.Greater(t, n, int64(6), "nothing failed")
			break
		}
		require.ErrorIs(t, failed, syscall.EIO)
		turns, spends, err := look()
		require.NoError(t, err)
		assert.Equal(t, []int{wantTurns, wantSpends}, []int{turns, spends}, "the %d. read failed", n)
	}
}

// lingering is a store whose next commit, once armed, can be read and does not return.
type lingering struct {
	journal.Store
	armed    *atomic.Bool
	readable chan struct{} // closed then
	release  chan struct{}
}

func (l lingering) Commit(writes []journal.Write) error {
	err := l.Store.Commit(writes)
	if l.armed.CompareAndSwap(true, false) {
		close(l.readable)
		<-l.release
	}
	return err
}

// A commit can be read a moment before the head of the journal names it. A decision made
// in that moment counts what the commit spent.
func TestI1_SpendingIsSeenWithItsVersion(t *testing.T) {
	l := lingering{armed: new(atomic.Bool), readable: make(chan struct{}), release: make(chan struct{})}
	b := newBench(t, testRules, "", func(o *Options) {
		o.hooks.Wrap = func(s journal.Store) journal.Store { l.Store = s; return l }
	})
	first := b.decideOn("send_money", `(:recipient "x" :amount 600)`)
	var wg sync.WaitGroup
	l.armed.Store(true)
	wg.Go(func() {
		_, err := b.Begin(t.Context(), first)
		assert.NoError(t, err)
	})
	<-l.readable
	wg.Go(func() {
		d, err := b.Decide(t.Context(), action(t, "send_money", `(:recipient "y" :amount 600)`), asking("s1", "agent"))
		if assert.NoError(t, err) {
			assert.Equal(t, "invariant/payments-stay-small", d.Key)
			assert.Equal(t, reason.Deny, d.Kind)
		}
	})
	for b.j.Waiting() == 0 { // it is decided, and waits for the writer
		runtime.Gosched()
	}
	close(l.release)
	wg.Wait()
	b.intact()
}
