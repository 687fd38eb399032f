package cortextest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason/model"
)

// judged is a TB that does not end when it fails.
type judged struct {
	testing.TB
	errors []string
	ends   []func()
}

func (j *judged) Helper()          {}
func (j *judged) Failed() bool     { return len(j.errors) > 0 }
func (j *judged) Cleanup(f func()) { j.ends = append(j.ends, f) }
func (j *judged) Errorf(text string, as ...any) {
	j.errors = append(j.errors, fmt.Sprintf(text, as...))
}
func (j *judged) Fatal(as ...any) {
	j.errors = append(j.errors, fmt.Sprint(as...))
	panic(j)
}

// judge returns what a test that does this fails with.
func judge(t *testing.T, do func(tb testing.TB)) []string {
	j := &judged{TB: t}
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(j) {
				panic(r)
			}
		}()
		do(j)
	}()
	for _, end := range j.ends {
		end()
	}
	return j.errors
}

// risky asks for a risky thing, says yes, and lets it be done.
func risky(ctx context.Context, e *cortex.Engine, a *cortex.Action, books *Ledger) error {
	_, err := e.Do(ctx, a, sessionOf("s"))
	var held *cortex.Held
	if !errors.As(err, &held) {
		return err
	}
	books.Acknowledged(held.Decision.ID, record.KindDecision)
	if err := e.Approve(ctx, held.Approval.Token, ana); err != nil {
		return err
	}
	books.Granted(held.Approval.Token)
	_, err = e.Do(ctx, a, sessionOf("s"))
	return err
}

// riskyMachine is a machine whose tool notes what it does.
func riskyMachine(tb testing.TB, seed uint64, books *Ledger) *Machine {
	return NewMachine(tb, seed, cortex.Options{Live: true, Rules: rulesOf(testRules),
		Approvals: cortex.ApprovalOptions{Classes: map[string][]string{"operator": {"ana"}}},
		Tools: []act.Tool{{Schema: toolNamed("risky"),
			Actuator: act.Func(func(_ context.Context, c act.Call) (cortex.Receipt, error) {
				books.Effect(c.Key, c.Action)
				return cortex.Receipt{State: act.Done}, nil
			})}}})
}

// Wherever the power goes, from the first change to the disk on, also while the engine opens:
// one yes is good for one effect, and what was said is on record.
func TestMachine_PowerGoesAnywhere(t *testing.T) {
	step := map[bool]int{true: 13, false: 1}[testing.Short()]
	cuts, effects := 0, 0
	for n, through := 1, false; !through; n += step {
		books := NewLedger()
		m := riskyMachine(t, uint64(n), books)
		a := action(t, "risky", `(:what "x")`)
		m.CutPowerAt(n)
		first := risky(t.Context(), m.Start(), a, books)
		if through = m.Cuts() == 0; through {
			require.NoError(t, first)
			require.Equal(t, 1, books.Effects())
		}
		e := m.Start()
		require.NoError(t, books.Check(e.Journal()), "change %d", n)
		_, err := e.Do(t.Context(), a, sessionOf("s"))
		require.True(t, err == nil || errors.As(err, new(*cortex.Held)) || errors.As(err, new(*cortex.NotAllowed)),
			"change %d: %v", n, err)
		require.LessOrEqual(t, books.Effects(), 1, "change %d", n)
		require.NoError(t, books.CheckOpen(t.Context(), e), "change %d", n)
		require.NoError(t, books.Check(e.Journal()), "change %d", n)
		m.Close()
		cuts, effects = cuts+1, effects+books.Effects()
	}
	assert.Greater(t, cuts, 4)
	assert.Positive(t, effects)
	crashtest.Result{Harness: "machine", Trials: cuts, Effects: effects}.Report(t)
}

// When the power is gone the engine says yes to nothing, and another start finds only what
// was on record.
func TestMachine_ADeadMachineSaysNothing(t *testing.T) {
	books := NewLedger()
	m := riskyMachine(t, 1, books)
	e := m.Start()
	a := action(t, "risky", `(:what "x")`)
	d, err := e.Decide(t.Context(), a, sessionOf("s"))
	require.NoError(t, err)
	last := e.Journal().Last()
	m.CutPower()
	assert.Equal(t, 1, m.Cuts())
	require.ErrorIs(t, e.Approve(t.Context(), d.Approval, ana), ErrPower)
	_, err = e.Decide(t.Context(), a, sessionOf("s"))
	require.ErrorIs(t, err, ErrPower)

	e = m.Start()
	assert.Equal(t, 1, m.Cuts())
	assert.Equal(t, last+1, e.Journal().Last(), "and that it was opened")
	boot, up := m.Clock.Uptime()
	assert.Equal(t, "boot-1", boot)
	assert.Zero(t, up)
	require.NoError(t, e.Approve(t.Context(), d.Approval, ana))
}

// On a full disk nothing is begun, also after a power cut, until there is space.
func TestMachine_FullDisk(t *testing.T) {
	books := NewLedger()
	m := riskyMachine(t, 1, books)
	m.SetFree(1 << 30)
	e := m.Start()
	a := action(t, "risky", `(:what "x")`)
	require.NoError(t, risky(t.Context(), e, a, books))
	full := func(want bool) bool {
		return assert.Eventually(t, func() bool {
			st, err := e.Status(t.Context())
			return err == nil && errors.Is(st.Full, journal.ErrFull) == want
		}, 10*time.Second, time.Millisecond)
	}
	m.SetFree(1 << 20)
	full(true)
	require.ErrorIs(t, risky(t.Context(), e, a, books), journal.ErrFull)
	m.CutPower()
	m.Close()
	_, err := m.open()
	require.ErrorIs(t, err, journal.ErrFull, "the disk remembers")
	m.SetFree(1 << 30)
	e = m.Start()
	full(false)
	require.NoError(t, risky(t.Context(), e, a, books))
	require.NoError(t, books.Check(e.Journal()))
	assert.Equal(t, 2, books.Effects())
}

// What is wrong with a machine fails its test.
func TestMachine_Fails(t *testing.T) {
	assert.Contains(t, fmt.Sprint(judge(t, func(tb testing.TB) {
		NewMachine(tb, 1, cortex.Options{Dir: "state"})
	})), "leave Options.Dir empty")
	assert.Contains(t, fmt.Sprint(judge(t, func(tb testing.TB) {
		NewMachine(tb, 1, cortex.Options{Live: true, Dry: true}).Start()
	})), "Options.Dry contradicts")
	assert.Empty(t, judge(t, func(tb testing.TB) {
		m := NewMachine(tb, 1, cortex.Options{})
		m.Start()
		m.CutPower()
	}))
	assert.PanicsWithError(t, "cortextest: a machine has a disk of its own: leave Options.Dir empty", func() {
		NewMachine(nil, 1, cortex.Options{Dir: "state"})
	})
}

// A script that was not played to its end fails the test, and so does one that cannot be read.
func TestScript(t *testing.T) {
	play := func(tb testing.TB, turns int) {
		m := NewMachine(tb, 1, cortex.Options{Rules: rulesOf(testRules), Live: true,
			Models: cortex.Models{Providers: []model.Provider{Script(tb, `(:reply "one") (:reply "two")`)}}})
		e := m.Start()
		for n := range turns {
			out, err := e.Submit(context.Background(), cortex.Signal{Text: "hello", Session: "s"})
			require.NoError(t, err)
			assert.Equal(t, []string{"one", "two"}[n], out.Text)
		}
	}
	assert.Empty(t, judge(t, func(tb testing.TB) { play(tb, 2) }))
	assert.Equal(t, []string{"the model was not asked for the replies at [script.lisp:1:16]"},
		judge(t, func(tb testing.TB) { play(tb, 1) }))
	assert.Contains(t, fmt.Sprint(judge(t, func(tb testing.TB) { Script(tb, `(:replay "one")`) })), ":replay is unknown")
}

// The two clocks of a machine go together, but where somebody sets one of them.
func TestClock(t *testing.T) {
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := NewClock(begun)
	shows := func(wall, up time.Duration, boot string) {
		t.Helper()
		name, at := c.Uptime()
		assert.Equal(t, begun.Add(wall), c.Now())
		assert.Equal(t, up, at)
		assert.Equal(t, boot, name)
	}
	shows(0, 0, "boot-0")
	c.Add(time.Hour)
	shows(time.Hour, time.Hour, "boot-0")
	c.Set(-3 * time.Hour)
	shows(-2*time.Hour, time.Hour, "boot-0")
	c.Reboot(time.Minute)
	shows(-2*time.Hour+time.Minute, 0, "boot-1")
	c.Add(time.Second)
	shows(-2*time.Hour+time.Minute+time.Second, time.Second, "boot-1")
	wall := c.Now()
	c.Run()
	c.Run()
	_, up := c.Uptime()
	assert.WithinDuration(t, wall, c.Now(), 10*time.Second)
	assert.GreaterOrEqual(t, up, time.Second)
	assert.False(t, c.Now().Before(wall))
}
