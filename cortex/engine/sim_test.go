package engine

// A simulation of months in the life of an engine, in a bubble of its own time:
// people, models, tools, clocks and crashes are drawn from a seed, and whatever
// happens at an instant happens in one order. So the same seed gives the same
// record, to the byte, and what it found once it finds again.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/integrity"
	"github.com/opencortex-go/cortex/cortex/internal/clock"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/retention"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason/model"
)

// simRules have what linearRules have, and a tool that honours its key.
const simRules = linearRules + `
(deftool wire :doc "Send a wire." :params (:what string) :tier :ask :effect :external :idempotent t)
`

// simTTL is how long a simulated card lasts.
const simTTL = 24 * time.Hour

// What comes again and again in a simulation never falls on one instant, for there
// it is open who is first. An engine looks whether to sign its record at each quarter
// of simSign from the instant of its opening on, and that may be the end of a day. So
// its heart beats, and days end, a few nanoseconds beside whole seconds.
const (
	simSign = 12 * time.Hour
	simBeat = 3607*time.Second + 11*time.Nanosecond
	simDay  = 24*time.Hour + 13*time.Nanosecond
)

// simulation is one engine after another on one record, and the world around it.
type simulation struct {
	seed  uint64
	fault simFault
	dir   string // of the checkpoints
	rng   *rand.Rand
	disk  *simDisk
	host  *host
	world *simWorld
	books *simLedger
	crew  sync.WaitGroup // clients that are at something

	mu     sync.Mutex
	e      *Engine
	gone   chan struct{} // closed when that ends
	life   int
	steps  int
	orders time.Duration // given out so far; see stagger
	counts map[string]int
}

// host is the simulated machine: a wall clock that anybody may set, an uptime that
// goes on while it sleeps, and nothing while it is off.
type host struct {
	mu    sync.Mutex
	wall  time.Duration // how far the wall clock is ahead of the bubble's time
	slept time.Duration // so is the uptime, by this
	boots int
	since time.Time // the last of them
}

func (h *host) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Now().Add(h.wall)
}

func (h *host) uptime() (string, time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return fmt.Sprint("boot-", h.boots), time.Since(h.since) + h.slept
}

// stamp is when something got to the disk, by clocks that the engine cannot err about.
type stamp struct {
	wall time.Time
	boot string
	up   time.Duration
}

func (h *host) stamp() stamp {
	boot, up := h.uptime()
	return stamp{h.now(), boot, up}
}

func (h *host) set(by time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wall += by
}

func (h *host) sleep(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wall, h.slept = h.wall+d, h.slept+d
}

func (h *host) boot(off time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wall, h.slept, h.boots, h.since = h.wall+off, 0, h.boots+1, time.Now()
}

// stagger gives anyone who asks an instant of their own, in the order of asking: of
// those who are let go at the same time none gets in the other's way.
func (s *simulation) stagger() (wait func()) {
	s.mu.Lock()
	s.orders += 1009 * time.Nanosecond
	d := s.orders % time.Second
	s.mu.Unlock()
	return func() { time.Sleep(d) }
}

func (s *simulation) options() Options {
	opt := Options{
		Live: true, Rules: rulesOf(simRules), Dir: s.dir, Clock: ClockOptions{Now: s.host.now, Uptime: s.host.uptime},
		Approvals: ApprovalOptions{TTL: simTTL, Classes: map[string][]string{"operator": people},
			Escalate: map[string]Escalation{"operator": {After: 5 * time.Hour, To: "finance"}}}, Heartbeat: simBeat,
		Retain: retention.Retain{Age: 7 * 24 * time.Hour},

		Checkpoints: integrity.Checkpoints{After: simSign, Outside: filepath.Join(s.dir, "outside")},
		Models:      Models{Providers: []model.Provider{slowly{parrot{}, s}}},
		sizes:       sizes{group: 1},
	}
	opt.stagger = s.stagger
	opt.mount = func(Options) (journal.Store, error) { return s.disk.mount(), nil }
	for _, name := range []string{"note", "send_money", "risky", "grave", "wire"} {
		opt.Tools = append(opt.Tools, act.Tool{Schema: toolNamed(name), Actuator: s.world})
	}
	if s.fault.change != nil {
		s.fault.change(s, &opt)
	}
	return opt
}

// slowly is a model that takes its time.
type slowly struct {
	model.Provider
	s *simulation
}

func (p slowly) Complete(ctx context.Context, prompt model.Prompt) (model.Completion, error) {
	last := p.s.stagger()
	select {
	case <-time.After(time.Duration(len(prompt.Messages)) * 700 * time.Millisecond):
	case <-ctx.Done():
	}
	last()
	return p.Provider.Complete(ctx, prompt)
}

func (s *simulation) engine() *Engine {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.e
}

func (s *simulation) count(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[what]++
}

// open begins the next life on the record, and looks at what it finds. The power may
// go once more before it is up.
func (s *simulation) open() {
	s.world.next()
	e, err := open(context.Background(), s.options())
	if err != nil {
		if s.disk.on() {
			s.books.wrong("life %d does not open: %v", s.life, err)
			return
		}
		s.off()
		s.open()
		return
	}
	s.mu.Lock()
	s.e, s.gone, s.life = e, make(chan struct{}), s.life+1
	s.mu.Unlock()
	s.books.check(e)
	if e.ledger.Killed.Load() { // the one who did so was cut off
		s.err("kill", e.Operations().KillSwitch(context.Background(), false, ana))
	}
	synctest.Wait() // what has begun with it has looked at the clock, before somebody sets that
}

// close ends a life. Where the power has gone, anyone who still works on it works in
// vain: neither disk nor world changes any more.
func (s *simulation) close() {
	close(s.gone)
	if err := s.engine().Close(); err != nil && s.disk.on() {
		s.books.wrong("life %d does not close: %v", s.life, err)
	}
	s.crew.Wait()
}

// off is the machine without power, for a while.
func (s *simulation) off() {
	s.disk.repower()
	off := time.Duration(s.rng.Int64N(int64(3 * time.Hour)))
	if s.rng.IntN(3) == 0 { // the battery of its clock is old
		off = -off
	}
	s.host.boot(off)
	s.count("crash")
}

// restart ends a life and begins the next, by whatever it ended.
func (s *simulation) restart() {
	s.close()
	if s.disk.on() {
		s.count("restart")
	} else {
		s.off()
	}
	s.open()
}

// run lives through so many days.
func (s *simulation) run(days int) {
	s.open()
	for day := 0; day < days && s.books.fine(); day++ {
		s.day()
		s.audit(day%7 == 6 || day == days-1)
	}
	s.close()
}

// day has its events at instants that the seed gives.
func (s *simulation) day() {
	left := simDay
	for n := 20 + s.rng.IntN(20); n > 0 && s.books.fine(); n-- {
		d := time.Duration(s.rng.Int64N(int64(2 * left / time.Duration(n+1))))
		time.Sleep(d)
		left -= d
		if !s.disk.on() {
			s.restart()
		}
		s.event()
	}
	time.Sleep(left)
	if !s.disk.on() {
		s.restart()
	}
}

// event is one of what happens in a day: a client begins something, or a clock, the
// power or an operator does something to the engine.
func (s *simulation) event() {
	s.mu.Lock()
	s.steps++
	s.mu.Unlock()
	switch n := s.rng.IntN(100); {
	case n < 84:
		s.client()
	case n < 88:
		s.books.check(s.engine()) // before retention sees the new time
		s.host.set(time.Duration(s.rng.IntN(7)-3) * []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour,
			year}[s.rng.IntN(5)])
		s.count("jump")
	case n < 90:
		s.books.check(s.engine())
		s.host.sleep(time.Duration(s.rng.Int64N(int64(20 * time.Hour))))
		s.count("suspend")
	case n < 93:
		s.restart()
	case n < 95:
		s.disk.cutAfter(s.rng.IntN(30), s.rng.IntN(2) == 0)
	case n < 96:
		s.books.check(s.engine())
		s.disk.cutAfter(0, false)
		s.restart()
	case n < 97:
		s.kill()
	default:
		s.err("maintain", s.engine().Operations().Maintain(context.Background()))
	}
}

// kill turns everything off for a while.
func (s *simulation) kill() {
	e := s.engine()
	s.err("kill", e.Operations().KillSwitch(context.Background(), true, ana))
	time.Sleep(time.Duration(s.rng.Int64N(int64(time.Minute))))
	s.err("kill", e.Operations().KillSwitch(context.Background(), false, ana))
}

// audit ends a day: the record is held against what is known outside of it.
func (s *simulation) audit(whole bool) {
	e := s.engine()
	s.err("maintain", e.Operations().Maintain(context.Background()))
	s.err("wait", e.Operations().Wait(context.Background()))
	if !s.disk.on() {
		s.restart()
		return
	}
	s.books.check(e)
	s.books.open(e)
	if !whole {
		return
	}
	if err := e.Journal().Verify(context.Background()); err != nil {
		s.books.wrong("%v", err)
	}
	got, err := e.Replay(context.Background(), ReplayOptions{Most: 1})
	if err != nil || got.Flips > 0 {
		s.books.wrong("replay: %d come out differently, %v %v", got.Flips, got.Differences, err)
	}
}

// err takes an answer that is no reason to worry, or says why it is.
func (s *simulation) err(what string, err error) {
	var no *ledger.NotAllowed
	var state *approval.StateError
	var busy *admission.BusyError
	for _, known := range []error{ledger.ErrUsed, approval.ErrUnknownToken, approval.ErrNotApprover, clock.ErrClock,
		ledger.ErrNoDoubt, ledger.ErrFinished, ledger.ErrClosed,
		ledger.ErrKilled, ledger.ErrOldTry, ledger.ErrElsewhere, act.ErrUsed, journal.ErrClosed, context.Canceled} {
		if errors.Is(err, known) {
			return
		}
	}
	if err != nil && s.disk.on() && !errors.As(err, &no) && !errors.As(err, &state) && !errors.As(err, &busy) &&
		!errors.Is(err, journal.ErrRemoved) {
		s.books.wrong("%s: %v", what, err)
	}
}

// simulate lives through so many days in a bubble and returns what is left.
func simulate(t *testing.T, seed uint64, days int, fault simFault) (s *simulation) {
	// the same in each process: it is on record
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("cortex-sim-%d", os.Getuid()))
	unlock, err := lockedfile.MutexAt(dir + ".lock").Lock()
	require.NoError(t, err)
	defer unlock()
	require.NoError(t, os.MkdirAll(dir, 0o700))
	defer func() { require.NoError(t, os.RemoveAll(dir)) }()
	t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
		cryptotest.SetGlobalRandom(t, seed+fault.dice)
		synctest.Test(t, func(t *testing.T) {
			s = &simulation{seed: seed, fault: fault, dir: dir, rng: rand.New(rand.NewPCG(seed, 11)),
				host: &host{since: time.Now()}, counts: map[string]int{}}
			s.host.set(time.Until(start))
			s.disk = &simDisk{host: s.host, begun: time.Now(), stamps: map[uint64]stamp{}}
			s.world = &simWorld{s: s, done: map[string]int{}}
			s.books = newSimLedger(s)
			s.run(days)
		})
	})
	return s
}

// Two that begin at one instant do not fall on one again while a simulation lasts.
func TestSim_NothingMeets(t *testing.T) {
	years := func(a, b time.Duration) float64 {
		g, rest := a, b
		for rest != 0 {
			g, rest = rest, g%rest
		}
		return (a / g).Seconds() * b.Seconds() * float64(time.Second) / (365 * simDay.Seconds())
	}
	assert.Greater(t, years(simDay, simSign/4), 1000.0)
	assert.Greater(t, years(simDay, simBeat), 1000.0)
	assert.Greater(t, years(simBeat, simSign/4), 1000.0)
	assert.Less(t, years(24*time.Hour, simSign/4), 0.01, "the ends of whole days do")
}

// simDays is how long a simulation lasts, and how many there are.
func simDays() (days, worlds int) {
	if n := crashtest.Number("CORTEX_SIM", 0); n > 0 {
		return n, 1
	}
	return 12, 2
}

// Whatever people, tools, clocks and power cuts do for weeks: nothing is done that
// was not allowed, nothing twice, nothing too late, and nothing is lost. And the
// same seed gives the same bytes.
func TestSim(t *testing.T) {
	crashtest.Long(t)
	days, worlds := simDays()
	_, seed := campaign(0)
	begun, failures, acked, effects, counts, digests := time.Now(), 0, 0, 0, map[string]int{}, ""
	for i := range uint64(worlds) {
		one := simulate(t, seed+i, days, simFault{})
		two := simulate(t, seed+i, days, simFault{})
		assert.Empty(t, one.books.bad, "seed %d", seed+i)
		failures += len(one.books.bad)
		digests += one.disk.digest()[:16] + " "
		if at := one.disk.differs(two.disk); at != "" {
			failures++
			t.Errorf("seed %d does not give the same twice: %s", seed+i, at)
		}
		acked, effects = acked+one.books.told, effects+one.world.effects()
		for k, n := range one.counts {
			counts[k] += n
		}
		counts["steps"] += one.steps
		counts["records"] += len(one.books.hashes)
	}
	assert.Positive(t, effects)
	crashtest.Result{
		Harness: "sim", Trials: days * worlds, Seed: seed, Failures: failures, Acknowledged: acked, Effects: effects,
		More: fmt.Sprintf("trials-are=days seconds=%.0f sha256=%q %s", time.Since(begun).Seconds(),
			strings.TrimSpace(digests), tally(counts)),
	}.Report(t)
}

func tally(counts map[string]int) (text string) {
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		text += fmt.Sprintf("%s=%d ", k, counts[k])
	}
	return text
}
