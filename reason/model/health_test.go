package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// custom is a provider written as a function, as an embedder's may be.
type custom struct {
	name   string
	limits Limits
	asked  *atomic.Int64
	do     func(ctx context.Context) (Completion, error)
}

func (c custom) Name() string   { return c.name }
func (c custom) Limits() Limits { return c.limits }
func (c custom) Complete(ctx context.Context, _ Prompt) (Completion, error) {
	if c.asked != nil {
		c.asked.Add(1)
	}
	return c.do(ctx)
}

func saying(text string) func(context.Context) (Completion, error) {
	return func(context.Context) (Completion, error) { return Completion{Text: text}, nil }
}

func erring(err error) func(context.Context) (Completion, error) {
	return func(context.Context) (Completion, error) { return Completion{}, err }
}

// deaf does not return before release is closed, whatever its context says.
func deaf(release chan struct{}) func(context.Context) (Completion, error) {
	return func(context.Context) (Completion, error) {
		<-release
		return Completion{Text: "too late"}, nil
	}
}

// W32: a provider of an embedder that panics, ends its goroutine, is nil or
// returns nothing does not take the cascade with it.
func TestW32_AThrowingOrEmptyProviderDoesNotAbortTheCascade(t *testing.T) {
	var none *custom
	bad := map[string]Provider{
		"panics":          custom{name: "bad", do: func(context.Context) (Completion, error) { panic("boom") }},
		"panics with nil": custom{name: "bad", do: func(context.Context) (Completion, error) { panic(nil) }},
		"panics with error": custom{name: "bad", do: func(context.Context) (Completion, error) {
			panic(fmt.Errorf("x %w", errors.ErrUnsupported))
		}},
		"index": custom{name: "bad", do: func(context.Context) (Completion, error) {
			var x []int
			return Completion{}, fmt.Errorf("%d", x[len(x)])
		}},
		"ends": custom{name: "bad",
			do: func(context.Context) (Completion, error) { runtime.Goexit(); return Completion{}, nil }},
		"empty":         custom{name: "bad", do: saying("")},
		"errs":          custom{name: "bad", do: erring(errors.New("x"))},
		"nil":           nil,
		"nil of a type": none,
	}
	for name, p := range bad {
		for _, h := range []*Health{nil, {}} {
			th := &Thinker{Providers: []Provider{p, custom{name: "good", do: saying("hello")}}, Health: h}
			c, err := th.Think(context.Background(), Turn{})
			require.NoError(t, err, name)
			assert.Equal(t, "hello", c.Prose, name)
			assert.Equal(t, "good", c.Provider, name)
		}
	}
}

// A provider that ignores the end of its time does not hold the turn: the next
// one is asked a moment after.
func TestAProviderThatIgnoresItsContextHoldsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var asked atomic.Int64
		th := &Thinker{Health: &Health{}, Providers: []Provider{
			custom{"deaf", Limits{Timeout: time.Second, Failures: -1}, &asked, deaf(release)},
			custom{name: "good", do: saying("hello")},
		}}
		for i := range maxAbandoned + 3 {
			begin := time.Now()
			c, err := th.Think(t.Context(), Turn{})
			require.NoError(t, err)
			assert.Equal(t, "hello", c.Prose)
			if i < maxAbandoned {
				assert.Equal(t, time.Second+grace, time.Since(begin))
			} else {
				assert.Zero(t, time.Since(begin), "it is skipped")
			}
		}
		assert.EqualValues(t, maxAbandoned, asked.Load())
		got := th.Health.Report()
		assert.Equal(t, ProviderHealth{Provider: "deaf", Failures: maxAbandoned, Running: maxAbandoned,
			Abandoned: maxAbandoned}, got[0])

		close(release)
		synctest.Wait()
		got = th.Health.Report()
		assert.Zero(t, got[0].Abandoned)
		assert.Zero(t, got[0].Running)
		c, err := th.Think(t.Context(), Turn{})
		require.NoError(t, err)
		assert.Equal(t, "too late", c.Prose, "it is asked again, and answers at once now")
	})
}

// What a cancelled caller leaves behind is bounded, too, and says nothing of the
// provider.
func TestACancelledCallerIsNotHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		th := &Thinker{Health: &Health{}, Providers: []Provider{custom{name: "deaf", do: deaf(release)}}}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		begin := time.Now()
		_, err := th.Think(ctx, Turn{})
		assert.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, time.Second+grace, time.Since(begin))
		assert.Equal(t, ProviderHealth{Provider: "deaf", Running: 1, Abandoned: 1}, th.Health.Report()[0])
	})
}

// Many at once: no provider runs more calls than it may.
func TestCallsOfOneProviderAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		th := &Thinker{Health: &Health{},
			Providers: []Provider{custom{name: "deaf", limits: Limits{Failures: -1}, do: deaf(release)}}}
		var wg sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for range maxRunning + 50 {
			wg.Go(func() { _, _ = th.Think(ctx, Turn{}) })
		}
		synctest.Wait()
		assert.Equal(t, maxRunning, th.Health.Report()[0].Running)
		cancel()
		wg.Wait()
		assert.Equal(t, maxRunning, th.Health.Report()[0].Abandoned)
		close(release)
		synctest.Wait()
		assert.Equal(t, ProviderHealth{Provider: "deaf"}, th.Health.Report()[0])
	})
}

func TestCircuitBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		fail := true
		th := &Thinker{Health: &Health{}, Providers: []Provider{
			custom{"shaky", Limits{Failures: 3, Pause: time.Minute}, &asked, func(context.Context) (Completion, error) {
				if fail {
					return Completion{}, errors.New("down")
				}
				return Completion{Text: "up"}, nil
			}},
			custom{name: "good", do: saying("hello")},
		}}
		think := func() string {
			c, err := th.Think(t.Context(), Turn{})
			require.NoError(t, err)
			return c.Prose
		}
		for range 10 {
			assert.Equal(t, "hello", think())
		}
		assert.EqualValues(t, 3, asked.Load(), "then it is left alone")
		assert.True(t, th.Health.Report()[1].Paused)

		time.Sleep(time.Minute) // of the bubble's clock
		think()
		think()
		assert.EqualValues(t, 4, asked.Load(), "one tries whether it is back")

		time.Sleep(time.Minute)
		fail = false
		assert.Equal(t, "up", think())
		assert.Equal(t, "up", think())
		assert.Equal(t, ProviderHealth{Provider: "shaky"}, func() ProviderHealth {
			h := th.Health.Report()[1]
			h.Until = time.Time{}
			return h
		}())

		fail = true
		think()
		think()
		fail = false
		think()
		fail = true
		think()
		think()
		assert.EqualValues(t, 11, asked.Load(), "a success in between starts the count anew")
	})
}

// While one call finds out whether a provider is back, the others do not wait
// for it; and if its caller gives up, the next call finds out.
func TestOneProbeAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		var answers func(context.Context) (Completion, error)
		th := &Thinker{Health: &Health{}, Providers: []Provider{
			custom{"shaky", Limits{Failures: 1, Pause: time.Minute}, &asked,
				func(ctx context.Context) (Completion, error) { return answers(ctx) }},
		}}
		answers = erring(errors.New("down"))
		_, err := th.Think(t.Context(), Turn{})
		assert.EqualError(t, err, "no model answered: all providers exhausted (shaky: failed)")
		_, err = th.Think(t.Context(), Turn{})
		assert.EqualError(t, err, "no model answered: all providers exhausted (shaky: paused after failures)")

		time.Sleep(time.Minute)
		answers = func(ctx context.Context) (Completion, error) { <-ctx.Done(); return Completion{}, ctx.Err() }
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { _, err := th.Think(ctx, Turn{}); done <- err }()
		synctest.Wait()
		_, err = th.Think(t.Context(), Turn{})
		assert.ErrorContains(t, err, "paused")
		assert.EqualValues(t, 2, asked.Load())
		cancel()
		assert.ErrorIs(t, <-done, context.Canceled)

		answers = saying("up")
		c, err := th.Think(t.Context(), Turn{})
		require.NoError(t, err)
		assert.Equal(t, "up", c.Prose)
	})
}

// What is wrong with the prompt, and what the caller did, is not the provider's
// failure: nonsense from one caller cannot pause a provider for the others.
func TestWhatDoesNotPause(t *testing.T) {
	var asked atomic.Int64
	th := &Thinker{Health: &Health{}, Providers: []Provider{custom{"a", Limits{Failures: 1}, &asked,
		erring(fmt.Errorf("status 413: %w", ErrPrompt))}}}
	for range 5 {
		_, err := th.Think(context.Background(), Turn{})
		assert.ErrorIs(t, err, ErrPrompt)
	}
	assert.EqualValues(t, 5, asked.Load())
	assert.False(t, th.Health.Report()[0].Paused)
	th.Providers = []Provider{custom{"a", Limits{Failures: 1}, &asked, saying(" ")}}
	for range 5 {
		_, err := th.Think(context.Background(), Turn{})
		assert.ErrorContains(t, err, "empty model response")
	}
	assert.EqualValues(t, 10, asked.Load(), "a filter that somebody's prompt sets off")
	assert.Nil(t, (*Health)(nil).Report())
}

// A provider cannot give budget back.
func TestUsageThatIsNotCredible(t *testing.T) {
	inf := math.Inf(1)
	for _, u := range []Usage{{TokensIn: -5, TokensOut: -1, Cost: -2}, {Cost: inf}, {Cost: inf - inf}} {
		c, err := (&Thinker{Providers: []Provider{
			custom{name: "a", do: func(context.Context) (Completion, error) { return Completion{Usage: u}, errors.New("x") }},
			custom{name: "b", do: func(context.Context) (Completion, error) {
				return Completion{Text: "x", Usage: Usage{TokensIn: 1, Cost: 0.5}}, nil
			}},
		}}).Think(context.Background(), Turn{})
		require.NoError(t, err)
		assert.Equal(t, Usage{TokensIn: 1, Cost: 0.5}, c.Usage)
	}
}

// A call that returns in the moment in which it is given up is not left behind.
func TestACallThatReturnsAsItIsGivenUp(t *testing.T) {
	h := &Health{}
	a, err := h.admit("a", Limits{Failures: -1})
	require.NoError(t, err)
	a.returned()
	a.ended(failing, true)
	assert.Equal(t, []ProviderHealth{{Provider: "a", Failures: 1}}, h.Report())
}
