package cortextest

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/internal/hooks"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
)

// Machine is a computer for tests, with a disk in memory on which one engine at a time has
// its record. What the engine acts on, such as a test's tools, is outside: it outlives the
// machine's power.
//
// A machine is for one goroutine, but for CutPower, which any may call.
type Machine struct {
	// Clock is what the machine's engines go by, unless the options have a clock. It stands
	// still until the test moves it.
	Clock *Clock

	tb    testing.TB
	opt   cortex.Options
	rng   *rand.Rand
	disk  *storetest.Disk
	free  *uint64 // bytes, as SetFree said last
	power *power  // of this run
	cuts  int     // before it
	eng   *cortex.Engine

	hooks   hooks.Hooks                   // of this module's tests
	segment int64                         // the same: how large a file of the log is, if not smallLog
	mount   func() (journal.Store, error) // the same: a store in place of the disk's
}

// smallLog is how large a file of the log becomes on a machine's disk: such a disk copies the
// whole of it at each sync, and grows byte by byte as far as the log is filled ahead.
const smallLog = 64 << 10

// NewMachine returns a machine for engines with these options, without Dir. The seed decides
// what a disk keeps of writes that were not synced when the power went: nothing, all, or
// some blocks.
//
// What goes wrong ends the test, and the machine ends with it. Examples, and others that have
// no [testing.TB], pass nil: then the methods panic, and Close is the caller's.
func NewMachine(tb testing.TB, seed uint64, opt cortex.Options) *Machine {
	m := &Machine{Clock: NewClock(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)), tb: tb, opt: opt,
		rng: rand.New(rand.NewPCG(seed, 2)), disk: storetest.NewDisk(nil)}
	m.power = &power{disk: m.disk, rng: m.rng}
	m.mount = m.onDisk
	if tb != nil {
		tb.Helper()
		tb.Cleanup(m.Close)
	}
	if opt.Dir != "" {
		m.fail(errors.New("cortextest: a machine has a disk of its own: leave Options.Dir empty"))
	}
	if opt.Clock.Now == nil {
		m.opt.Clock = m.Clock.Options()
	}
	return m
}

func (m *Machine) fail(err error) {
	if err == nil {
		return
	}
	if m.tb == nil {
		panic(err)
	}
	m.tb.Helper()
	m.tb.Fatal(err)
}

func (m *Machine) context() context.Context {
	if m.tb == nil {
		return context.Background()
	}
	return m.tb.Context()
}

// Start opens an engine on the disk and returns it. An earlier one is closed first; if the
// power was cut, the new one finds what the cut left. If the power goes while the engine
// opens, the machine is started once more.
func (m *Machine) Start() *cortex.Engine {
	if m.tb != nil {
		m.tb.Helper()
	}
	m.Close()
	eng, err := m.open()
	for err != nil && !m.power.on() {
		m.restore()
		eng, err = m.open()
	}
	m.fail(err)
	m.eng = eng
	return eng
}

// open tries to open an engine in this run.
func (m *Machine) open() (*cortex.Engine, error) {
	if err := m.opt.Check(); err != nil {
		return nil, err
	}
	st, err := m.mount()
	if err != nil {
		return nil, err
	}
	eng, err := engine.OpenHooked(m.context(), m.opt, powered{st, m.power}, &m.hooks)
	if err == nil && !m.power.on() {
		return nil, errors.Join(ErrPower, eng.Close())
	}
	return eng, err
}

func (m *Machine) onDisk() (journal.Store, error) {
	m.disk.Watch(m.power.change)
	if m.free != nil {
		m.disk.SetFree(*m.free)
	}
	return store.Open("state", store.Options{Disk: m.disk, Logger: m.opt.Logger, Reserve: m.opt.Reserve,
		Segment: cmp.Or(m.segment, smallLog)})
}

// restore gives the machine its power back.
func (m *Machine) restore() {
	m.disk = m.power.left
	m.power = &power{disk: m.disk, rng: m.rng}
	m.cuts++
	m.Clock.Reboot(0)
}

// Close ends the engine: in order, if there is power. It waits for what the engine does, as
// [cortex.Engine.Close] does.
func (m *Machine) Close() {
	var err error
	if m.eng != nil {
		err, m.eng = m.eng.Close(), nil
	}
	if m.power.on() {
		m.fail(err)
		return
	}
	m.restore()
}

// CutPower takes the power away at this moment. From now on the engine can record nothing:
// its calls fail, and no effect begins. An effect whose intent is on record may still reach
// the world, as if it had been under way. [Machine.Start] gives the power back.
//
// A tool may call it, so that its effect is there and the receipt is not.
func (m *Machine) CutPower() { m.power.cut() }

// CutPowerAt takes the power away before the nth change to the disk from now, counted from
// 1: a file is made, written, synced, renamed or removed. A test that cuts at each n in turn,
// until [Machine.Cuts] says that the power outlasted it, has seen a crash at every place.
func (m *Machine) CutPowerAt(n int) {
	m.power.mu.Lock()
	defer m.power.mu.Unlock()
	m.power.after = n
}

// Cuts returns how often the power has gone.
func (m *Machine) Cuts() int {
	if m.power.on() {
		return m.cuts
	}
	return m.cuts + 1
}

// Options are those of the engines that are started from now on.
func (m *Machine) Options(opt cortex.Options) {
	if opt.Clock.Now == nil {
		opt.Clock = m.Clock.Options()
	}
	m.opt = opt
}

// Wrap puts a store between the disk and the engines that are started from now on, such as
// [Points]: a test that cuts the power at named points. nil puts none there.
func (m *Machine) Wrap(f func(journal.Store) journal.Store) { m.hooks.Wrap = f }

// SetFree makes the disk say that it has this many bytes free, also after power cuts. An
// engine begins nothing new below Options.Reserve. It asks the disk from time to time.
func (m *Machine) SetFree(bytes uint64) {
	m.free = &bytes
	m.disk.SetFree(bytes)
}
