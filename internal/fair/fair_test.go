package fair

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const mib = 1 << 20

func TestBytesAreShared(t *testing.T) {
	p := New(Options{Bytes: 16 * mib})
	a := p.Client(nil)
	assert.False(t, a.Hold(9*mib), "not even one alone gets more than half")
	assert.True(t, a.Hold(8*mib))
	b := p.Client(nil)
	assert.False(t, b.Hold(6*mib), "a third is for each of two, and one that may come")
	assert.True(t, b.Hold(5*mib))
	// The floor is everybody's, however much is held.
	a.Must(100 * mib)
	c := p.Client(nil)
	assert.True(t, c.Hold(Floor))
	assert.False(t, c.Hold(1))
	held, _ := p.Held()
	assert.Equal(t, 113*mib+Floor, held)
	for _, x := range []*Client{a, b, c} {
		x.Close()
		x.Free(mib) // what comes after the end counts for nothing
		x.Must(mib)
	}
	held, _ = p.Held()
	assert.Zero(t, held)
	d := p.Client(nil)
	defer d.Close()
	assert.True(t, d.Hold(8*mib), "all is there again")
}

func TestAwaitWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{Bytes: 16 * mib})
		a, b := p.Client(nil), p.Client(nil)
		a.Must(16 * mib)
		got := make(chan error, 1)
		go func() { got <- b.Await(t.Context(), mib) }()
		synctest.Wait()
		assert.Empty(t, got)
		a.Free(15 * mib)
		synctest.Wait()
		require.NoError(t, <-got)
		go func() { got <- b.Await(t.Context(), 100*mib) }() // more than there is
		synctest.Wait()
		a.Free(mib)
		synctest.Wait()
		assert.Empty(t, got)
		b.Free(mib)
		require.NoError(t, <-got, "it is admitted when no other client holds anything")
		ctx, stop := context.WithCancelCause(t.Context())
		why := errors.New("gone")
		stop(why)
		assert.ErrorIs(t, a.Await(ctx, mib), why)
	})
}

// A client that sits on more than its share is ended when others go short, and one
// that does something with it is not.
func TestWhoSitsOnTooMuchIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{Bytes: 16 * mib})
		var ended []string
		sits := p.Client(func() { ended = append(ended, "sits") })
		reads := p.Client(func() { ended = append(ended, "reads") })
		sits.Must(8 * mib)
		reads.Must(8 * mib)
		other := p.Client(func() { ended = append(ended, "other") })
		assert.False(t, other.Hold(mib))
		synctest.Wait()
		assert.Empty(t, ended, "everybody has a moment")
		time.Sleep(2 * stalled)
		reads.Free(1)
		reads.Must(1)
		assert.False(t, other.Hold(mib))
		synctest.Wait()
		assert.Equal(t, []string{"sits"}, ended)
		sits.Close()
		assert.True(t, other.Hold(mib))
	})
}

// Turns go to the client that has had least, whatever the others want.
func TestTurnsAreFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{Turns: [...]int{1, 1, 1, 1}})
		var order []string
		work := func(c *Client, name string, took time.Duration) {
			turn, err := c.Enter(t.Context(), Listing, mib)
			if assert.NoError(t, err) {
				order = append(order, name)
				time.Sleep(took)
				turn.Leave(0)
			}
		}
		greedy, modest := p.Client(nil), p.Client(nil)
		for range 10 {
			go work(greedy, "greedy", time.Second)
		}
		synctest.Wait()
		for range 3 {
			go work(modest, "modest", 100*time.Millisecond)
		}
		synctest.Wait()
		_, turns := p.Held()
		assert.Equal(t, 1, turns)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"greedy", "modest", "modest", "modest"}, order[:4])
		assert.Len(t, order, 13)
		// Time in which a client wanted nothing is not made up for.
		go work(greedy, "greedy", time.Second)
		synctest.Wait()
		order = nil
		for range 30 {
			go work(modest, "modest", time.Second)
			go work(greedy, "greedy", time.Second)
		}
		time.Sleep(100 * time.Second)
		synctest.Wait()
		late := slices.Index(order, "greedy")
		assert.Less(t, late, 4, "%v", order)
		held, turns := p.Held()
		assert.Zero(t, held)
		assert.Zero(t, turns)
	})
}

// The kinds of work do not wait for each other, and anyone who stops waiting leaves
// nothing behind.
func TestLanesAreApart(t *testing.T) {
	p := New(Options{Turns: [...]int{1, 1, 1, 1}})
	c := p.Client(nil)
	long, err := c.Enter(t.Context(), Checking, mib)
	require.NoError(t, err)
	assert.Equal(t, mib, long.Room)
	short, err := c.Enter(t.Context(), Computing, mib)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err = c.Enter(ctx, Checking, mib)
	assert.ErrorIs(t, err, context.Canceled)
	long.Leave(0)
	again, err := c.Enter(t.Context(), Checking, mib)
	require.NoError(t, err)
	again.Leave(0)
	short.Leave(3)
	held, _ := p.Held()
	assert.Equal(t, 3, held)
}

// A client that does not take its answers gets no more done, and what other
// clients leave is what there is room for.
func TestATurnWaitsForAnswersToBeTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{Bytes: 4 * mib})
		c, other := p.Client(nil), p.Client(nil)
		turn, err := c.Enter(t.Context(), Listing, mib)
		require.NoError(t, err)
		turn.Leave(2 * mib)
		got := make(chan *Turn, 1)
		go func() {
			turn, err := c.Enter(t.Context(), Listing, mib)
			assert.NoError(t, err)
			got <- turn
		}()
		synctest.Wait()
		assert.Empty(t, got)
		turn, err = other.Enter(t.Context(), Listing, 4*mib)
		require.NoError(t, err, "others have theirs")
		assert.Equal(t, 4*mib/3+Floor, turn.Room)
		turn.Leave(0)
		c.Free(2 * mib)
		(<-got).Leave(0)
	})
}

// Each wait ends when there is room for it, in order, and no other is disturbed by what is given back.
func TestOnlyWhoHasRoomIsWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{Bytes: 4 * mib})
		holder, other := p.Client(nil), p.Client(nil)
		require.True(t, holder.Hold(2*mib))
		var order []int
		for i := range 3 {
			go func() {
				if other.Await(t.Context(), 2*mib) == nil {
					order = append(order, i)
				}
			}()
			synctest.Wait()
		}
		first := other.waits[0]
		require.Len(t, p.waiting, 1)
		p.Client(nil).Free(0)
		holder.Hold(1 << 10)
		holder.Free(1 << 10)
		synctest.Wait()
		require.Len(t, other.waits, 3)
		require.Same(t, first, other.waits[0])
		for i := range 3 {
			if i == 0 {
				holder.Close()
			} else {
				other.Free(2 * mib)
			}
			synctest.Wait()
			require.Len(t, order, i+1)
		}
		require.Equal(t, []int{0, 1, 2}, order)
		require.Empty(t, p.waiting)
	})
}
