package engine

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/clock"
	"github.com/opencortex-go/cortex/cortex/internal/history"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason"
)

// machine has a wall clock that anybody may set, and an uptime that nobody can.
type machine struct {
	mu   sync.Mutex
	wall time.Time
	up   time.Duration
	boot int
}

func (m *machine) now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.wall
}

func (m *machine) uptime() (string, time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return fmt.Sprint("boot-", m.boot), m.up
}

// pass lets time pass, asleep or not.
func (m *machine) pass(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wall, m.up = m.wall.Add(d), m.up+d
}

// set moves the wall clock alone.
func (m *machine) set(by time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wall = m.wall.Add(by)
}

func (m *machine) restart(off time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wall, m.up, m.boot = m.wall.Add(off), 0, m.boot+1
}

const year = 365 * 24 * time.Hour

func newMachine(t *testing.T, rules string, change ...func(*Options)) (*bench, *machine) {
	m := &machine{wall: start, up: time.Hour}
	dir := t.TempDir()
	return newBench(t, rules, "", append([]func(*Options){func(o *Options) {
		o.Dir, o.Clock.Now, o.Clock.Uptime = dir, m.now, m.uptime
	}}, change...)...), m
}

// granted asks and says yes.
func (b *bench) granted(args string) *Decision {
	b.t.Helper()
	d := b.decideOn("risky", args)
	require.Equal(b.t, reason.Ask, d.Kind)
	require.NoError(b.t, b.Approve(b.t.Context(), d.Approval, ana))
	return d
}

func TestI2_NoGrantLivesLongerByAnyClock(t *testing.T) {
	crashtest.Long(t)
	for name, c := range map[string]struct {
		happen func(b *bench, m *machine)
		kind   reason.Kind
	}{
		"young":             {func(_ *bench, m *machine) { m.pass(23 * time.Hour) }, reason.Allow},
		"old":               {func(_ *bench, m *machine) { m.pass(24 * time.Hour) }, reason.Ask},
		"a year forward":    {func(_ *bench, m *machine) { m.set(year) }, reason.Ask},
		"a year back":       {func(_ *bench, m *machine) { m.set(-year) }, reason.Ask},
		"a step of seconds": {func(_ *bench, m *machine) { m.set(-4 * time.Second) }, reason.Allow},
		"held back, hour by hour": {func(_ *bench, m *machine) {
			for range 25 {
				m.pass(time.Hour)
				m.set(-time.Hour)
			}
		}, reason.Ask},
		"held back, by seconds": {func(b *bench, m *machine) {
			for range 22_000 {
				m.pass(4 * time.Second)
				m.set(-4 * time.Second)
				b.clock2().Now()
			}
		}, reason.Ask},
		"asleep for two days":        {func(_ *bench, m *machine) { m.pass(48 * time.Hour) }, reason.Ask},
		"restart":                    {func(b *bench, m *machine) { m.restart(time.Minute); b.reopen() }, reason.Allow},
		"restart, wall a year back":  {func(b *bench, m *machine) { m.restart(-year); b.reopen() }, reason.Ask},
		"restart, wall a year ahead": {func(b *bench, m *machine) { m.restart(year); b.reopen() }, reason.Ask},
		"reopened after a jump back": {func(b *bench, m *machine) { m.set(-year); b.reopen() }, reason.Ask},
		"forward and back, unseen":   {func(_ *bench, m *machine) { m.set(year); m.set(-year) }, reason.Allow},
		"forward, seen, and back": {func(b *bench, m *machine) {
			m.set(year)
			b.decideOn("note", `(:text "x")`)
			m.set(-year)
		}, reason.Ask},
		"forward, seen, reopened, back, reopened": {func(b *bench, m *machine) {
			m.set(year)
			b.decideOn("note", `(:text "x")`)
			b.reopen()
			m.set(-year)
			b.reopen()
		}, reason.Ask},
		"forward, seen, restart, back": {func(b *bench, m *machine) {
			m.set(year)
			b.decideOn("note", `(:text "x")`)
			m.restart(-year)
			b.reopen()
		}, reason.Ask},
		"back and forward again": {func(b *bench, m *machine) {
			m.set(-time.Hour)
			b.decideOn("note", `(:text "x")`)
			m.set(time.Hour)
			m.pass(time.Second)
		}, reason.Allow},
	} {
		t.Run(name, func(t *testing.T) {
			b, m := newMachine(t, testRules)
			b.granted(`(:what "x")`)
			c.happen(b, m)
			d := b.decideOn("risky", `(:what "x")`)
			assert.Equal(t, c.kind, d.Kind)
			p, err := b.Begin(t.Context(), d)
			if c.kind == reason.Allow {
				require.NoError(t, err)
				require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))
			} else {
				require.Error(t, err)
			}
			b.intact()
		})
	}
}

func (b *bench) clock2() *clock.Clock { return b.Engine.clock }

// A decision that rests on a grant is not begun with once the clock has moved.
func TestI2_TheClockMovesBetweenDecideAndBegin(t *testing.T) {
	for _, by := range []time.Duration{year, -year} {
		b, m := newMachine(t, testRules)
		b.granted(`(:what "x")`)
		d := b.decideOn("risky", `(:what "x")`)
		require.Equal(t, reason.Allow, d.Kind)
		m.set(by)
		_, err := b.Begin(t.Context(), d)
		assert.ErrorAs(t, err, new(*ledger.NotAllowed), by)
		b.intact()
	}
}

// A used approval stays used, whatever the clock does.
func TestI2_AUsedApprovalIsNotRevivedByTheClock(t *testing.T) {
	b, m := newMachine(t, testRules)
	asked := b.granted(`(:what "x")`)
	p, err := b.Begin(t.Context(), b.decideOn("risky", `(:what "x")`))
	require.NoError(t, err)
	require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))
	for _, by := range []time.Duration{-year, 2 * year, -year, year, -2 * year} {
		m.set(by)
		assert.NotEqual(t, reason.Allow, b.decideOn("risky", `(:what "x")`).Kind)
		require.NoError(t, b.Operations().Maintain(t.Context()))
		b.reopen()
		a, err := b.Approvals().Get(t.Context(), asked.Approval)
		require.NoError(t, err)
		assert.Equal(t, approval.Consumed, a.State)
	}
	b.intact()
}

func TestACardOfAnUnknownAgeIsNotApproved(t *testing.T) {
	b, m := newMachine(t, testRules)
	d := b.decideOn("risky", `(:what "x")`)
	m.set(-time.Hour)
	assert.ErrorIs(t, b.Approve(t.Context(), d.Approval, ana), clock.ErrClock)
	again := b.decideOn("risky", `(:what "x")`)
	assert.NotEqual(t, d.Approval, again.Approval, "it is asked anew")
	require.NoError(t, b.Approve(t.Context(), again.Approval, ana))
	assert.Equal(t, reason.Allow, b.decideOn("risky", `(:what "x")`).Kind, "and then time goes on from there")
	b.intact()
}

// Deadlines of permits go by uptime alone.
func TestPermitsKnowNoWallClock(t *testing.T) {
	b, m := newMachine(t, testRules)
	p, err := b.Begin(t.Context(), b.decideOn("note", `(:text "milk")`))
	require.NoError(t, err)
	for _, by := range []time.Duration{year, -2 * year, year} {
		m.set(by)
		b.noDoubt()
	}
	m.pass(ledger.PermitTime)
	assert.Len(t, must(b.Operations().Doubts(t.Context())), 1)
	m.set(-year)
	assert.Len(t, must(b.Operations().Doubts(t.Context())), 1, "what is in doubt stays so")
	assert.Equal(t, reason.KeyInDoubt, b.decideOn("note", `(:text "milk")`).Key)
	require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))
	b.intact()
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// What was spent is as old as it is, whatever the clock says.
func TestBudgetsOutliveTheWallClock(t *testing.T) {
	for name, happen := range map[string]func(b *bench, m *machine){
		"forward":           func(_ *bench, m *machine) { m.set(year) },
		"back":              func(_ *bench, m *machine) { m.set(-year) },
		"back and forward":  func(b *bench, m *machine) { m.set(-year); b.decideOn("note", `(:text "x")`); m.set(year) },
		"forward, reopened": func(b *bench, m *machine) { b.reopen(); m.set(year); b.reopen() },
		"back, restart":     func(b *bench, m *machine) { m.restart(-year); b.reopen() },
	} {
		t.Run(name, func(t *testing.T) {
			b, m := newMachine(t, testRules)
			p, err := b.Begin(t.Context(), b.decideOn("send_money", `(:recipient "a" :amount 600)`))
			require.NoError(t, err)
			require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))
			happen(b, m)
			assert.Equal(t, reason.Deny, b.decideOn("send_money", `(:recipient "b" :amount 600)`).Kind)
			m.pass(48 * time.Hour)
			assert.Equal(t, reason.Allow, b.decideOn("send_money", `(:recipient "b" :amount 600)`).Kind)
			b.reopen()
			b.intact()
		})
	}
}

func TestEscalationWaitsByBothClocks(t *testing.T) {
	b, m := newMachine(t, testRules, func(o *Options) {
		o.Approvals.Escalate = map[string]Escalation{"operator": {After: time.Hour, To: "finance"}}
	})
	d := b.decideOn("risky", `(:what "x")`)
	cho := approval.Approver{Name: "cho"}
	m.set(2 * time.Hour)
	require.NoError(t, b.Operations().Maintain(t.Context()))
	assert.ErrorIs(t, b.Approve(t.Context(), d.Approval, cho), approval.ErrNotApprover)
	m.pass(time.Hour)
	require.NoError(t, b.Operations().Maintain(t.Context()))
	require.NoError(t, b.Approve(t.Context(), d.Approval, cho))
	b.intact()
}

// However the machine's clocks are treated, an allow that rests on a grant is one
// whose yes is younger than its duration in real time.
func TestI2_RandomClocks(t *testing.T) {
	crashtest.Long(t)
	lives, first := crashtest.Size(12)
	for seed := first; seed < first+uint64(lives); seed++ {
		rng := rand.New(rand.NewPCG(seed, 7))
		b, m := newMachine(t, testRules)
		var real time.Duration // time that has passed, whatever clocks say
		born := map[string]time.Duration{}
		for range 60 {
			what := fmt.Sprintf(`(:what "%d")`, rng.IntN(3))
			switch rng.IntN(7) {
			case 0:
				d := time.Duration(rng.IntN(12)) * time.Hour
				real += d
				m.pass(d)
			case 1:
				m.set(time.Duration(rng.IntN(5)-2) * []time.Duration{time.Second, time.Hour, 24 * time.Hour, year}[rng.IntN(4)])
			case 2:
				b.reopen()
			case 3:
				m.restart(time.Duration(rng.IntN(3)-1) * year)
				b.reopen()
			case 4:
				if d := b.decideOn("risky", what); d.Kind == reason.Ask && b.Approve(t.Context(), d.Approval, ana) == nil {
					a, err := b.Approvals().Get(t.Context(), d.Approval)
					require.NoError(t, err)
					_ = a
					born[what] = real
				}
			case 5:
				require.NoError(t, b.Operations().Maintain(t.Context()))
			case 6:
				d := b.decideOn("risky", what)
				if d.Kind != reason.Allow {
					continue
				}
				p, err := b.Begin(t.Context(), d)
				require.NoError(t, err)
				require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))
				require.Contains(t, born, what, "seed %d", seed)
				assert.Less(t, real-born[what], 24*time.Hour, "seed %d", seed)
				delete(born, what)
			}
		}
		b.intact()
		require.NoError(t, b.Close())
		b.Engine = nil
		b.reopen()
	}
}

// What is granted after the clock was set back stays granted over a restart, though
// the record's last pages are of a later time.
func TestAGrantAfterAJumpBackSurvivesARestart(t *testing.T) {
	b, m := newMachine(t, testRules)
	b.decideOn("note", `(:text "before")`)
	m.set(-time.Hour)
	b.decideOn("note", `(:text "after")`)
	b.granted(`(:what "x")`)
	for range 2 {
		m.pass(time.Minute)
		b.reopen()
		require.Equal(t, 1, b.clock2().Era, "it was set back once")
	}
	assert.Equal(t, reason.Allow, b.decideOn("risky", `(:what "x")`).Kind)
	b.intact()
}

// How long ago a session's calls were made is known whatever the wall clock was set to since, and words are no calls.
func TestWhenCallsWereMade(t *testing.T) {
	b, m := newMachine(t, hostRules)
	calls := func(within time.Duration) *history.Span {
		got, err := b.Hosts().Calls(t.Context(), "s1", within)
		require.NoError(t, err)
		return got
	}
	_, err := b.Hosts().Read(t.Context(), "s1", "api", "a file", "words")
	require.NoError(t, err)
	require.Nil(t, calls(time.Hour))
	b.decideOn("edit", `(:path "a.txt")`)
	m.pass(time.Minute)
	b.decideOn("edit", `(:path "b.txt")`)
	m.pass(time.Minute)
	m.set(-year)
	for range 2 {
		assert.Equal(t, &history.Span{First: 2 * time.Minute, Last: time.Minute}, calls(time.Hour))
		assert.Equal(t, &history.Span{First: time.Minute, Last: time.Minute}, calls(90*time.Second))
		assert.Nil(t, calls(time.Second))
		b.reopen()
	}
}
