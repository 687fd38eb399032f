package act_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDispatchRunsWhatWasAllowed(t *testing.T) {
	b := setUp(t)
	a := action(t, "echo", "text", text("hello"))
	p, err := b.Dispatcher.Begin(t.Context(), b.allow(a))
	require.NoError(t, err)
	assert.Equal(t, 0, b.count(), "Begin runs nothing")
	assert.False(t, p.Dry())
	assert.False(t, p.Observed())
	assert.Same(t, a, p.Action())

	r, err := b.Dispatch(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, act.Done, r.State)
	assert.Equal(t, "hi", r.Text)
	require.Len(t, b.calls, 1)
	call := b.calls[0]
	assert.Equal(t, a.Digest(), call.Action.Digest())
	assert.Equal(t, a.Explanation(), call.Action.Explanation())
	assert.Equal(t, p.Key(), call.Key)
	assert.Equal(t, "s1", call.Session)
	assert.Equal(t, []act.Receipt{r}, b.of(p), "the receipt that is told is the one on record")
}

// I1: no effect without a recorded allow over exactly those bytes. Each case
// tries to run something else.
func TestI1_NothingRunsWithoutARecordedAllow(t *testing.T) {
	refused := func(t *testing.T, b *bench, p *act.Permit, want error) {
		t.Helper()
		r, err := b.Dispatch(t.Context(), p)
		require.ErrorIs(t, err, want)
		assert.Zero(t, r)
	}
	noPermit := func(t *testing.T, b *bench, decision uint64) {
		t.Helper()
		p, err := b.Dispatcher.Begin(t.Context(), decision)
		require.Error(t, err)
		assert.Nil(t, p)
	}
	tests := map[string]func(t *testing.T, b *bench){
		"nil permit":  func(t *testing.T, b *bench) { refused(t, b, nil, act.ErrForeign) },
		"zero permit": func(t *testing.T, b *bench) { refused(t, b, &act.Permit{}, act.ErrForeign) },
		"zero permit, nil dispatcher": func(t *testing.T, b *bench) {
			_, err := (*act.Dispatcher)(nil).Dispatch(t.Context(), &act.Permit{})
			require.ErrorIs(t, err, act.ErrForeign)
		},
		"permit of another dispatcher": func(t *testing.T, b *bench) {
			refused(t, b, setUp(t).permit(t, "x"), act.ErrForeign)
		},
		"permit of another dispatcher over the same recorder": func(t *testing.T, b *bench) {
			p, err := act.NewDispatcher(b.ledger, registry(t)).Begin(t.Context(), b.allow(action(t, "echo", "text", text("x"))))
			require.NoError(t, err)
			refused(t, b, p, act.ErrForeign)
		},
		"no decision": func(t *testing.T, b *bench) { noPermit(t, b, 0) },
		"decision that is not on record": func(t *testing.T, b *bench) {
			noPermit(t, b, 7)
		},
		"decision by its number": func(t *testing.T, b *bench) {
			p, err := b.Dispatcher.Begin(t.Context(), b.allow(action(t, "echo", "text", text("judged"))))
			require.NoError(t, err)
			assert.Equal(t, "judged", p.Action().Args().GetText("text"), "the record counts: the caller holds no action")
		},
		"closed recorder": func(t *testing.T, b *bench) {
			d := b.allow(action(t, "echo", "text", text("x")))
			b.closed = errors.New("the journal is closed")
			noPermit(t, b, d)
		},
		"recorder with an intent and an error": func(t *testing.T, b *bench) {
			b.Dispatcher = act.NewDispatcher(begins{act.Intent{ID: 1, Key: "k", Decision: 1, Action: action(t, "echo")},
				errors.New("not durable")}, registry(t, b.tool("echo")))
			noPermit(t, b, 1)
		},
		"intent without record": func(t *testing.T, b *bench) {
			b.Dispatcher = act.NewDispatcher(begins{act.Intent{Key: "k", Decision: 1, Action: action(t, "echo")}, nil},
				registry(t, b.tool("echo")))
			noPermit(t, b, 1)
		},
		"intent without decision": func(t *testing.T, b *bench) {
			b.Dispatcher = act.NewDispatcher(begins{act.Intent{ID: 2, Key: "k", Action: action(t, "echo")}, nil},
				registry(t, b.tool("echo")))
			noPermit(t, b, 1)
		},
		"intent without key": func(t *testing.T, b *bench) {
			b.Dispatcher = act.NewDispatcher(begins{act.Intent{ID: 2, Decision: 1, Action: action(t, "echo")}, nil},
				registry(t, b.tool("echo")))
			noPermit(t, b, 1)
		},
		"intent without action": func(t *testing.T, b *bench) {
			b.Dispatcher = act.NewDispatcher(begins{act.Intent{ID: 2, Key: "k", Decision: 1}, nil}, registry(t, b.tool("echo")))
			noPermit(t, b, 1)
		},
		"dry permit": func(t *testing.T, b *bench) {
			b.dry = true
			p := b.permit(t, "x")
			assert.True(t, p.Dry())
			nothing(t, b, p, "dry run: nothing was done")
		},
		"observed permit": func(t *testing.T, b *bench) {
			b.observed = true
			p := b.permit(t, "x")
			assert.True(t, p.Observed())
			nothing(t, b, p, "dry run: nothing was done")
		},
		"past its deadline": func(t *testing.T, b *bench) {
			b.timeout = -time.Second
			nothing(t, b, b.permit(t, "x"), "the permit ran out before it was used; nothing was done")
		},
		"past its deadline by the engine's clock": func(t *testing.T, b *bench) {
			b.timeout = time.Minute
			b.Clock = func() time.Time { return time.Now().Add(time.Hour) }
			nothing(t, b, b.permit(t, "x"), "the permit ran out before it was used; nothing was done")
		},
		"action changed after it was judged": func(t *testing.T, b *bench) {
			args := sexpr.Plist("list", sexpr.ListOf(text("a"), text("b")), "text", text("judged"))
			a, err := skills.NewAction("echo", args, "")
			require.NoError(t, err)
			p, err := b.Dispatcher.Begin(t.Context(), b.allow(a))
			require.NoError(t, err)
			l, _ := a.Args().Get("list")
			l.Items()[0] = text("changed")
			nothing(t, b, p, "the action is not the one that was allowed; nothing was done")
		},
		"tool in another spelling": func(t *testing.T, b *bench) {
			p, err := b.Dispatcher.Begin(t.Context(), b.allow(action(t, "ECHO", "text", text("x"))))
			require.NoError(t, err)
			nothing(t, b, p, "Tool 'ECHO' not found")
		},
	}
	for name, try := range tests {
		t.Run(name, func(t *testing.T) {
			b := setUp(t)
			try(t, b)
			assert.Zero(t, b.count(), "the actuator was reached")
		})
	}
}

// begins is a recorder that answers Begin with what it holds.
type begins struct {
	in  act.Intent
	err error
}

func (b begins) OpenIntent(context.Context, uint64) (act.Intent, error)     { return b.in, b.err }
func (b begins) CloseIntent(context.Context, act.Intent, act.Receipt) error { return nil }

// nothing dispatches p and wants a recorded receipt that says nothing happened.
func nothing(t *testing.T, b *bench, p *act.Permit, why string) {
	t.Helper()
	r, err := b.Dispatch(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, act.Nothing, r.State)
	assert.Equal(t, why, r.Error)
	assert.Equal(t, []act.Receipt{r}, b.of(p))
}

func TestI1_ChangedNativeArgumentsReachNobody(t *testing.T) {
	b := setUp(t)
	a := action(t, "echo", "text", text("judged"))
	p, err := b.Dispatcher.Begin(t.Context(), b.allow(a))
	require.NoError(t, err)
	a.Native()["text"] = "changed"
	_, err = b.Dispatch(t.Context(), p)
	require.NoError(t, err)
	require.Len(t, b.calls, 1)
	assert.Equal(t, "judged", b.calls[0].Action.Native()["text"])
}

func TestI1_AnEndedContextRunsNothing(t *testing.T) {
	b := setUp(t)
	p := b.permit(t, "x")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the operator interrupted"))
	r, err := b.Dispatch(ctx, p)
	require.NoError(t, err, "the receipt is recorded all the same")
	assert.Equal(t, act.Nothing, r.State)
	assert.Contains(t, r.Error, "the operator interrupted")
	assert.Equal(t, []act.Receipt{r}, b.of(p))
	assert.Zero(t, b.count())
}

// A permit works once, also when many try it at the same time, and also through
// copies.
func TestI1_APermitWorksOnce(t *testing.T) {
	b := setUp(t)
	p := b.permit(t, "x")
	var wg sync.WaitGroup
	errs := make([]error, 64)
	for i := range errs {
		wg.Go(func() {
			q := *p
			_, errs[i] = b.Dispatch(t.Context(), &q)
		})
	}
	wg.Wait()
	ok := 0
	for _, err := range errs {
		if err == nil {
			ok++
			continue
		}
		require.ErrorIs(t, err, act.ErrUsed)
	}
	assert.Equal(t, 1, ok)
	assert.Equal(t, 1, b.count())
	assert.Len(t, b.of(p), 1)
	require.ErrorIs(t, p.Finish(t.Context(), act.Receipt{State: act.Done}), act.ErrUsed)
}

// Whatever is tried with permits, in whatever order: every effect stands on an
// intent of its own, over the very action that was allowed, and no intent has
// more than one.
func TestI1_Property(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b, other := setUp(t), setUp(t)
		other.name = "foreign"
		var permits []*act.Permit
		allowed := map[string]sexpr.Digest{} // idempotency key to digest
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0, 1:
				b.dry, b.observed = rapid.Bool().Draw(rt, "dry"), rapid.Bool().Draw(rt, "observed")
				p := b.permit(t, rapid.String().Draw(rt, "text"))
				permits = append(permits, p)
				if !b.dry && !b.observed {
					allowed[p.Key()] = p.Action().Digest()
				}
			case 2:
				permits = append(permits, other.permit(t, "foreign"), &act.Permit{})
			case 3:
				if len(permits) > 0 {
					p := rapid.SampledFrom(permits).Draw(rt, "permit")
					_, _ = b.Dispatch(t.Context(), p)
				}
			case 4:
				if len(permits) > 0 {
					p := rapid.SampledFrom(permits).Draw(rt, "permit")
					if p.Finish(t.Context(), act.Receipt{State: act.Done}) == nil {
						delete(allowed, p.Key()) // the caller ran it
					}
				}
			case 5:
				b.finishErr = errors.New("disk full")
				if rapid.Bool().Draw(rt, "mended") {
					b.finishErr = nil
				}
			}
		}
		seen := map[string]bool{}
		for _, c := range b.calls {
			require.False(rt, seen[c.Key], "intent %s ran twice", c.Key)
			seen[c.Key] = true
			require.Equal(rt, allowed[c.Key], c.Action.Digest())
		}
	})
}

// W2: what the last check blocks is not a value that can be dispatched.
func TestW02_BlockedIsNoPermit(t *testing.T) {
	b := setUp(t)
	d := b.allow(action(t, "echo", "text", text("x")))
	b.redecide = errNotAllowed
	p, err := b.Dispatcher.Begin(t.Context(), d)
	require.ErrorIs(t, err, errNotAllowed)
	require.Nil(t, p)
	_, err = b.Dispatch(t.Context(), p)
	require.ErrorIs(t, err, act.ErrForeign)
	assert.Zero(t, b.count())
}

// Row 61: the last-mile check blocks, the actuator is not called, and the
// reason comes back to anyone who tells the model.
func TestRow061_LastMileCheckBlocks(t *testing.T) {
	b := setUp(t)
	d := b.allow(action(t, "echo", "text", text("x")))
	b.redecide = errNotAllowed
	_, err := b.Dispatcher.Begin(t.Context(), d)
	require.ErrorIs(t, err, errNotAllowed)
	require.EqualError(t, err, errNotAllowed.Error())
	assert.Zero(t, b.count())
}

// W7: tools had guards of their own that were never called. Here a tool has none:
// the one way to it is a permit, and the gates stand before every permit.
func TestW07_TheOnlyWayToAToolIsAPermit(t *testing.T) {
	b := setUp(t)
	r := registry(t, b.tool("echo"))
	_, err := act.NewDispatcher(b.ledger, r).Dispatch(t.Context(), b.permit(t, "x"))
	require.ErrorIs(t, err, act.ErrForeign)
	assert.Zero(t, b.count())
}

func TestDispatchOutcomes(t *testing.T) {
	tests := map[string]struct {
		act   func(context.Context, act.Call) (act.Receipt, error)
		state act.State
		err   string
	}{
		"an error": {
			func(context.Context, act.Call) (act.Receipt, error) {
				return act.Receipt{}, errors.New("disk is full")
			}, act.Failed, "disk is full"},
		"an error that knows nothing happened": {
			func(context.Context, act.Call) (act.Receipt, error) {
				return act.Receipt{State: act.Nothing}, errors.New("no route to host")
			}, act.Nothing, "no route to host"},
		"done with an error": {
			func(context.Context, act.Call) (act.Receipt, error) {
				return act.Receipt{State: act.Done}, errors.New("half of it")
			}, act.Failed, "half of it"},
		"a panic": {
			func(context.Context, act.Call) (act.Receipt, error) { panic("out of cheese") },
			act.Unknown, "the tool broke off: out of cheese"},
		"a goroutine that ends itself": {
			func(context.Context, act.Call) (act.Receipt, error) { runtime.Goexit(); return act.Receipt{}, nil },
			act.Unknown, "the tool broke off"},
		"no state": {
			func(context.Context, act.Call) (act.Receipt, error) { return act.Receipt{Text: "fine"}, nil },
			act.Unknown, "the tool did not report its outcome"},
		"a state that is none": {
			func(context.Context, act.Call) (act.Receipt, error) { return act.Receipt{State: "great"}, nil },
			act.Unknown, "the tool did not report its outcome"},
		"a deadline that cuts it short": {
			func(ctx context.Context, _ act.Call) (act.Receipt, error) {
				<-ctx.Done()
				return act.Receipt{}, ctx.Err()
			}, act.Unknown, context.DeadlineExceeded.Error()},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := setUp(t)
			b.then, b.timeout = tt.act, time.Hour
			if strings.Contains(name, "deadline") {
				b.timeout = 20 * time.Millisecond
			}
			p := b.permit(t, "x")
			r, err := b.Dispatch(t.Context(), p)
			require.NoError(t, err)
			assert.Equal(t, tt.state, r.State)
			assert.Equal(t, tt.err, r.Error)
			assert.Equal(t, []act.Receipt{r}, b.of(p))
		})
	}
}

func TestPanicsAreLoggedWithTheirStack(t *testing.T) {
	b := setUp(t)
	var log bytes.Buffer
	b.Logger = slog.New(slog.NewTextHandler(&log, nil))
	b.then = func(context.Context, act.Call) (act.Receipt, error) { panic("out of cheese") }
	_, err := b.Dispatch(t.Context(), b.permit(t, "x"))
	require.NoError(t, err)
	assert.Contains(t, log.String(), "out of cheese")
	assert.Contains(t, log.String(), "dispatch_test.go")
}

// An actuator that does not stop leaves its intent in doubt; when it returns at
// last, its receipt settles it.
func TestAnActuatorThatDoesNotStop(t *testing.T) {
	b := setUp(t)
	release := make(chan struct{})
	b.then = func(context.Context, act.Call) (act.Receipt, error) {
		<-release
		return act.Receipt{State: act.Done, Text: "at last"}, nil
	}
	b.timeout, b.Grace = 10*time.Millisecond, 10*time.Millisecond
	p := b.permit(t, "x")
	r, err := b.Dispatch(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, act.Unknown, r.State)
	assert.Equal(t, []act.Receipt{r}, b.of(p))
	close(release)
	b.Close()
	all := b.of(p)
	require.Len(t, all, 2)
	assert.Equal(t, act.Done, all[1].State)
	assert.Equal(t, "at last", all[1].Text)
	assert.Equal(t, 1, b.count())
}

func TestALateReceiptThatCannotBeRecordedIsLogged(t *testing.T) {
	b := setUp(t)
	var log bytes.Buffer
	b.Logger = slog.New(slog.NewTextHandler(&log, nil))
	release := make(chan struct{})
	b.then = func(context.Context, act.Call) (act.Receipt, error) {
		<-release
		return act.Receipt{State: act.Done}, nil
	}
	b.timeout, b.Grace = 10*time.Millisecond, 10*time.Millisecond
	_, err := b.Dispatch(t.Context(), b.permit(t, "x"))
	require.NoError(t, err)
	b.finishErr = errors.New("the journal is closed")
	close(release)
	b.Close()
	assert.Contains(t, log.String(), "the journal is closed")
}

// A receipt is on record before anybody hears of it: where it cannot be
// recorded, Dispatch says so.
func TestAReceiptThatCannotBeRecorded(t *testing.T) {
	b := setUp(t)
	b.finishErr = errors.New("disk full")
	p := b.permit(t, "x")
	_, err := b.Dispatch(t.Context(), p)
	require.ErrorIs(t, err, b.finishErr)
	assert.Equal(t, 1, b.count())
	b.finishErr = nil
	_, err = b.Dispatch(t.Context(), p)
	require.ErrorIs(t, err, act.ErrUsed, "it is not run again")
	assert.Equal(t, 1, b.count())
}

// A caller that goes away while the tool runs costs neither the receipt nor the
// tool's chance to stop.
func TestACallerThatGoesAway(t *testing.T) {
	b := setUp(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.then = func(ctx context.Context, _ act.Call) (act.Receipt, error) {
		cancel()
		<-ctx.Done()
		return act.Receipt{State: act.Failed, Error: "stopped half way"}, nil
	}
	p := b.permit(t, "x")
	r, err := b.Dispatch(ctx, p)
	require.NoError(t, err)
	assert.Equal(t, act.Failed, r.State)
	assert.Equal(t, []act.Receipt{r}, b.of(p))
}

func TestFinish(t *testing.T) {
	t.Run("once", func(t *testing.T) {
		b := setUp(t)
		p := b.permit(t, "x")
		require.NoError(t, p.Finish(t.Context(), act.Receipt{State: act.Done, Text: "mine"}))
		require.ErrorIs(t, p.Finish(t.Context(), act.Receipt{State: act.Done}), act.ErrUsed)
		_, err := b.Dispatch(t.Context(), p)
		require.ErrorIs(t, err, act.ErrUsed)
		assert.Zero(t, b.count())
		assert.Len(t, b.of(p), 1)
	})
	t.Run("again after doubt", func(t *testing.T) {
		b := setUp(t)
		p := b.permit(t, "x")
		require.NoError(t, p.Finish(t.Context(), act.Receipt{State: act.Unknown}))
		_, err := b.Dispatch(t.Context(), p)
		require.ErrorIs(t, err, act.ErrUsed)
		require.NoError(t, p.Finish(t.Context(), act.Receipt{State: act.Done}))
		require.ErrorIs(t, p.Finish(t.Context(), act.Receipt{State: act.Done}), act.ErrUsed)
	})
	t.Run("again after an error of the recorder", func(t *testing.T) {
		b := setUp(t)
		p := b.permit(t, "x")
		b.finishErr = errors.New("disk full")
		require.ErrorIs(t, p.Finish(t.Context(), act.Receipt{State: act.Done}), b.finishErr)
		b.finishErr = nil
		require.NoError(t, p.Finish(t.Context(), act.Receipt{State: act.Done}))
	})
	t.Run("with a state that is none", func(t *testing.T) {
		b := setUp(t)
		p := b.permit(t, "x")
		require.EqualError(t, p.Finish(t.Context(), act.Receipt{}),
			`act: receipt with state "", expected done, failed, nothing or unknown`)
		assert.Empty(t, b.of(p))
		_, err := b.Dispatch(t.Context(), p)
		require.NoError(t, err, "a bad receipt does not use the permit up")
	})
	t.Run("of the zero permit", func(t *testing.T) {
		require.ErrorIs(t, (&act.Permit{}).Finish(t.Context(), act.Receipt{State: act.Done}), act.ErrForeign)
		require.ErrorIs(t, (*act.Permit)(nil).Finish(t.Context(), act.Receipt{State: act.Done}), act.ErrForeign)
		assert.True(t, (&act.Permit{}).Dry())
		assert.Nil(t, (&act.Permit{}).Action())
	})
}

// What a tool returned can always be recorded, or is left out and said to be.
func TestReceiptsAreMadeStorable(t *testing.T) {
	tests := map[string]struct {
		in   act.Receipt
		text string
		err  string
	}{
		"invalid UTF-8": {act.Receipt{Text: "a\xff\xfeb"}, "a\uFFFDb", ""},
		"NUL":           {act.Receipt{Text: "a\x00b"}, "a\uFFFDb", ""},
		"byte order":    {act.Receipt{Text: "\uFEFFb"}, "\uFFFDb", ""},
		"plain result":  {act.Receipt{Result: sexpr.Plist("n", sexpr.Int64(3))}, "", ""},
		"symbol":        {act.Receipt{Text: "ok", Result: sexpr.Sym("boo")}, "ok", "the typed result was left out"},
		"key twice": {act.Receipt{Result: sexpr.Plist("a", sexpr.T(), "a", sexpr.T())},
			"", "the typed result was left out"},
		"error besides": {act.Receipt{Error: "warm", Result: sexpr.Sym("boo")}, "", "warm; the typed result was left out"},
		"bad string":    {act.Receipt{Result: text("\xff")}, "", "the typed result was left out"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := setUp(t)
			b.then = func(context.Context, act.Call) (act.Receipt, error) {
				tt.in.State = act.Done
				return tt.in, nil
			}
			p := b.permit(t, "x")
			r, err := b.Dispatch(t.Context(), p)
			require.NoError(t, err)
			assert.Equal(t, act.Done, r.State, "it happened all the same")
			assert.Equal(t, tt.text, r.Text)
			require.NoError(t, r.Valid())
			if tt.err == "" {
				assert.Empty(t, r.Error)
				assert.True(t, sexpr.Equal(tt.in.Result, r.Result))
			} else {
				assert.Contains(t, r.Error, tt.err)
				assert.True(t, r.Result.IsNil())
			}
			assert.Equal(t, []act.Receipt{r}, b.of(p))
			_, err = sexpr.Canonical(sexpr.Plist("text", text(r.Text), "error", text(r.Error), "result", r.Result))
			require.NoError(t, err)
		})
	}
}

func TestLongTextIsCut(t *testing.T) {
	b := setUp(t)
	b.then = func(context.Context, act.Call) (act.Receipt, error) {
		return act.Receipt{State: act.Done, Text: strings.Repeat("é", 3<<20)}, nil
	}
	r, err := b.Dispatch(t.Context(), b.permit(t, "x"))
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(r.Text, "\n... (text truncated to 4194304 bytes)"))
	assert.Equal(t, 2<<20, strings.Count(r.Text, "é"))
}

// Dispatches and Close at once: once Close has returned no actuator runs, and
// each that ran has its receipt.
func TestNothingBeginsOnceClosed(t *testing.T) {
	b := setUp(t)
	var closed, after atomic.Bool
	b.then = func(context.Context, act.Call) (act.Receipt, error) {
		after.Store(after.Load() || closed.Load())
		return act.Receipt{State: act.Done}, nil
	}
	permits := make([]*act.Permit, 64)
	for i := range permits {
		permits[i] = b.permit(t, "x")
	}
	var wg sync.WaitGroup
	for _, p := range permits {
		wg.Go(func() {
			_, err := b.Dispatch(t.Context(), p)
			assert.NoError(t, err)
		})
	}
	b.Close()
	closed.Store(true)
	ran := b.count()
	wg.Wait()
	assert.False(t, after.Load())
	assert.Equal(t, ran, b.count())
	r, err := b.Dispatch(t.Context(), b.permit(t, "x"))
	require.NoError(t, err)
	assert.Equal(t, act.Nothing, r.State)
}
