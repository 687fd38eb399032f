package cortextest

// One engine after another on one record, and the world around it.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing/synctest"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/internal/hooks"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/reason/model"
)

// What comes again and again in a simulation never falls on one instant, for there
// it is open who is first. An engine looks whether to sign its record at each quarter
// of simSign from the instant of its opening on, and that may be the end of a day. So
// its heart beats, and days end, a few nanoseconds beside whole seconds.
const (
	simSign = 12 * time.Hour
	simBeat = 3607*time.Second + 11*time.Nanosecond
	simDay  = 24*time.Hour + 13*time.Nanosecond
	simTTL  = 24 * time.Hour // of cards, if the options do not say
	year    = 365 * 24 * time.Hour
)

// simulation is one engine after another on one record, and the world around it.
type simulation struct {
	life  Life
	fault simFault
	dir   string // of the checkpoints
	rng   *rand.Rand
	disk  *simDisk
	clock *Clock
	world *simWorld
	books *Ledger
	crew  sync.WaitGroup // clients that are at something

	people   []string // who answer cards
	operator cortex.Approver
	honours  map[string]bool // tools that honour their keys

	mu     sync.Mutex
	e      *cortex.Engine
	gone   chan struct{} // closed when that ends
	lives  int
	steps  int
	orders time.Duration // given out so far; see stagger
	counts map[string]int
	bad    []string // what must never be
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

// options are those of the test, but for what is the simulation's own.
func (s *simulation) options() cortex.Options {
	opt := s.life.Options
	opt.Live, opt.Dir, opt.Clock, opt.Heartbeat = true, s.dir, s.clock.Options(), simBeat
	opt.Approvals.TTL = s.books.ttl
	opt.Retain.Age = cmp.Or(opt.Retain.Age, 7*24*time.Hour)
	opt.Checkpoints = cortex.Checkpoints{After: simSign, Outside: filepath.Join(s.dir, "outside")}
	opt.Models.Providers = []model.Provider{slowly{parrot{}, s}}
	opt.Tools = nil
	for _, tool := range s.life.Options.Tools {
		opt.Tools = append(opt.Tools, act.Tool{Schema: tool.Schema, Actuator: s.world})
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

func (s *simulation) engine() *cortex.Engine {
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
	e, err := engine.OpenHooked(context.Background(), s.options(), s.disk.mount(),
		&hooks.Hooks{Group: 1, Stagger: s.stagger, Wrap: s.fault.wrap})
	if err != nil {
		if s.disk.on() {
			s.wrong("life %d does not open: %v", s.lives, err)
			s.e = nil
			return
		}
		s.off()
		s.open()
		return
	}
	s.mu.Lock()
	s.e, s.gone, s.lives = e, make(chan struct{}), s.lives+1
	s.mu.Unlock()
	s.check(e)
	st, err := e.Status(context.Background())
	if s.err("status", err); st.Killed { // the one who did so was cut off
		s.err("kill", e.Operations().KillSwitch(context.Background(), false, s.operator))
	}
	synctest.Wait() // what has begun with it has looked at the clock, before somebody sets that
}

// close ends a life. Where the power has gone, anyone who still works on it works in
// vain: neither disk nor world changes any more.
func (s *simulation) close() {
	if s.engine() == nil {
		return // it did not open
	}
	close(s.gone)
	if err := s.engine().Close(); err != nil && s.disk.on() {
		s.wrong("life %d does not close: %v", s.lives, err)
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
	s.clock.Reboot(off)
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
	for day := 0; day < days && s.fine(); day++ {
		if s.day(); s.fine() {
			s.audit(day%7 == 6 || day == days-1)
		}
	}
	s.close()
}

// day has its events at instants that the seed gives.
func (s *simulation) day() {
	left := simDay
	for n := 20 + s.rng.IntN(20); n > 0 && s.fine(); n-- {
		d := time.Duration(s.rng.Int64N(int64(2 * left / time.Duration(n+1))))
		time.Sleep(d)
		left -= d
		if !s.disk.on() {
			s.restart()
		}
		if s.fine() {
			s.event()
		}
	}
	time.Sleep(left)
	if s.fine() && !s.disk.on() {
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
		s.check(s.engine()) // before retention sees the new time
		s.clock.Set(time.Duration(s.rng.IntN(7)-3) * []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour,
			year}[s.rng.IntN(5)])
		s.count("jump")
	case n < 90:
		s.check(s.engine())
		s.clock.Add(time.Duration(s.rng.Int64N(int64(20 * time.Hour))))
		s.count("suspend")
	case n < 93:
		s.restart()
	case n < 95:
		s.disk.cutAfter(s.rng.IntN(30), s.rng.IntN(2) == 0)
	case n < 96:
		s.check(s.engine())
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
	s.err("kill", e.Operations().KillSwitch(context.Background(), true, s.operator))
	time.Sleep(time.Duration(s.rng.Int64N(int64(time.Minute))))
	s.err("kill", e.Operations().KillSwitch(context.Background(), false, s.operator))
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
	s.check(e)
	now := stampOf(s.clock)
	s.found(s.books.checkOpen(context.Background(), e, &now))
	if !whole {
		return
	}
	if err := e.Journal().Verify(context.Background()); err != nil {
		s.wrong("%v", err)
	}
	got, err := e.Replay(context.Background(), cortex.ReplayOptions{Most: 1})
	if err != nil || got.Flips > 0 {
		s.wrong("replay: %d come out differently, %v %v", got.Flips, got.Differences, err)
	}
}

// err takes an answer that is no reason to worry, or says why it is.
func (s *simulation) err(what string, err error) {
	var no *cortex.NotAllowed
	var state *cortex.StateError
	var busy *cortex.BusyError
	for _, known := range []error{cortex.ErrUsed, cortex.ErrUnknownToken, cortex.ErrNotApprover, cortex.ErrClock,
		cortex.ErrNoDoubt, cortex.ErrFinished, cortex.ErrClosed,
		cortex.ErrKilled, cortex.ErrOldTry, cortex.ErrElsewhere, act.ErrUsed, journal.ErrClosed, context.Canceled} {
		if errors.Is(err, known) {
			return
		}
	}
	if err != nil && s.disk.on() && !errors.As(err, &no) && !errors.As(err, &state) && !errors.As(err, &busy) &&
		!errors.Is(err, journal.ErrRemoved) {
		s.wrong("%s: %v", what, err)
	}
}

// check holds the ledger against the record.
func (s *simulation) check(e *cortex.Engine) { s.found(s.books.Check(e.Journal())) }

// found notes what a check has found.
func (s *simulation) found(err error) {
	for _, line := range lines(err) {
		s.wrong("%s", line)
	}
}

// wrong notes what must never be.
func (s *simulation) wrong(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bad = append(s.bad, fmt.Sprintf("step %d: ", s.steps)+fmt.Sprintf(format, args...))
}

// fine reports whether nothing was wrong so far.
func (s *simulation) fine() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bad) == 0
}
