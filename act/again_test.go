package act_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
)

// retries is a recorder that answers every retry with one intent.
type retries struct {
	*ledger
	in act.Intent
}

func (r retries) ReopenIntent(context.Context, uint64, string) (act.Intent, error) { return r.in, nil }

// A retry gives a permit for another try of the very intent, and for nothing else.
func TestRetryIsOfTheVeryIntent(t *testing.T) {
	b := setUp(t)
	whole := act.Intent{ID: 7, Key: "k", Decision: 3, Action: action(t, "echo"), Try: 1}
	for what, change := range map[string]func(*act.Intent){
		"the intent": func(*act.Intent) {}, "another intent": func(in *act.Intent) {
			in.ID = 8
		}, "the first try": func(in *act.Intent) { in.Try = 0 },
		"no decision": func(in *act.Intent) { in.Decision = 0 }, "no key": func(in *act.Intent) { in.Key = "" },
	} {
		in := whole
		change(&in)
		p, err := act.NewDispatcher(retries{b.ledger, in}, registry(t, b.tool("echo"))).Retry(t.Context(), 7, "ana")
		if what == "the intent" {
			require.NoError(t, err)
			assert.Equal(t, uint64(7), p.ID())
			continue
		}
		assert.Error(t, err, what)
		assert.Nil(t, p, what)
	}
}

// says is an actuator that is asked for the outcome of a call.
type says struct {
	*probe
	answer func() (act.Receipt, error)
}

func (s says) Probe(context.Context, act.Call) (act.Receipt, error) { return s.answer() }

// Whatever keeps an actuator from knowing, the outcome of its call is unknown.
func TestProbeThatCannotTell(t *testing.T) {
	for what, c := range map[string]struct {
		want   act.State
		answer func() (act.Receipt, error)
	}{
		"it knows": {act.Nothing, func() (act.Receipt, error) { return act.Receipt{State: act.Nothing}, nil }},
		"an error": {act.Unknown, func() (act.Receipt, error) {
			return act.Receipt{State: act.Nothing}, errors.New("no line")
		}},
		"no state":      {act.Unknown, func() (act.Receipt, error) { return act.Receipt{}, nil }},
		"it panics":     {act.Unknown, func() (act.Receipt, error) { panic("as told") }},
		"it is at work": {act.Unknown, func() (act.Receipt, error) { return act.Receipt{State: act.Nothing}, nil }},
	} {
		b := setUp(t)
		hold, begun := make(chan struct{}), make(chan struct{})
		pay := says{&probe{then: func(context.Context, act.Call) (act.Receipt, error) {
			close(begun)
			<-hold
			return act.Receipt{State: act.Done}, nil
		}}, c.answer}
		tool := b.tool("echo")
		tool.Actuator = pay
		d := act.NewDispatcher(b.ledger, registry(t, tool))
		p, err := d.Begin(t.Context(), b.allow(action(t, "echo")))
		require.NoError(t, err)
		if what == "it is at work" {
			go func() { _, _ = d.Dispatch(context.Background(), p) }()
			<-begun
		}
		assert.Equal(t, c.want, d.Probe(t.Context(), p.Intent()).State, what)
		close(hold)
		d.Close()
	}
}

// A dry permit takes no receipt but that nothing was done.
func TestFinishOfADryPermit(t *testing.T) {
	b := setUp(t)
	b.dry = true
	p := b.permit(t, "x")
	for _, s := range []act.State{act.Done, act.Failed, act.Unknown} {
		require.ErrorIs(t, p.Finish(t.Context(), act.Receipt{State: s}), act.ErrDry, s)
	}
	assert.Empty(t, b.of(p))
	require.NoError(t, p.Finish(t.Context(), act.Receipt{State: act.Nothing}))
}

// A permit is over in the very moment of its deadline.
func TestAPermitEndsInTheVeryMoment(t *testing.T) {
	for left, want := range map[time.Duration]act.State{time.Minute: act.Done, 0: act.Nothing, -1: act.Nothing} {
		b := setUp(t)
		b.timeout = time.Hour
		p := b.permit(t, "x")
		b.Clock = func() time.Time { return p.Deadline().Add(-left) }
		r, err := b.Dispatch(t.Context(), p)
		require.NoError(t, err)
		assert.Equal(t, want, r.State, left)
	}
}

// An actuator hears of the end of its time, and its intent is worked on until it returns.
func TestTheDeadlineReachesTheActuator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, hold := setUp(t), make(chan struct{})
		b.Grace, b.timeout = time.Second, time.Minute
		ended := time.Duration(0)
		begun := time.Now()
		b.then = func(ctx context.Context, _ act.Call) (act.Receipt, error) {
			<-ctx.Done()
			ended = time.Since(begun)
			<-hold
			return act.Receipt{State: act.Done}, nil
		}
		p := b.permit(t, "x")
		r, err := b.Dispatch(t.Context(), p)
		require.NoError(t, err)
		assert.Equal(t, act.Unknown, r.State)
		assert.True(t, b.Busy(p.ID()), "it must not be retried meanwhile")
		close(hold)
		b.Close()
		assert.Equal(t, time.Minute, ended)
		assert.False(t, b.Busy(p.ID()))
		assert.Equal(t, act.Done, b.of(p)[1].State)
	})
}
