package cortextest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/internal/hooks"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason"
)

// ioFaults are the ways in which a disk fails from its nth operation on.
var ioFaults = map[string]func(d *badDisk, op storetest.Op) error{
	// One operation fails, and the disk is well again.
	"EIO once": func(d *badDisk, _ storetest.Op) error { return d.once(syscall.EIO) },
	// Nothing works any more.
	"EIO for ever": func(d *badDisk, _ storetest.Op) error { d.hit(); return syscall.EIO },
	"ENOSPC once": func(d *badDisk, op storetest.Op) error {
		if !takesSpace(op) {
			return nil
		}
		return d.once(syscall.ENOSPC)
	},
	// Everything that takes space fails, until there is some.
	"ENOSPC until cleared": func(d *badDisk, op storetest.Op) error {
		if !takesSpace(op) || d.cleared {
			return nil
		}
		d.hit()
		return syscall.ENOSPC
	},
	// The same, and so soon that a call may be under way.
	"ENOSPC for a while": func(d *badDisk, op storetest.Op) error {
		if !takesSpace(op) || d.cleared {
			return nil
		}
		if d.hit(); d.hits > d.patience {
			d.cleared = true
			return nil
		}
		return syscall.ENOSPC
	},
	"short write": func(d *badDisk, op storetest.Op) error {
		if op.Kind != "write" {
			return nil
		}
		return d.once(storetest.ErrShort)
	},
	// A sync fails, and the next one says that all is well.
	"sync fails once": func(d *badDisk, op storetest.Op) error {
		if !strings.HasPrefix(op.Kind, "sync") {
			return nil
		}
		return d.once(syscall.EIO)
	},
	"no space for a sync": func(d *badDisk, op storetest.Op) error {
		if !strings.HasPrefix(op.Kind, "sync") {
			return nil
		}
		return d.once(syscall.ENOSPC)
	},
	"read fails once": func(d *badDisk, op storetest.Op) error {
		if !isRead(op) {
			return nil
		}
		return d.once(syscall.EIO)
	},
}

func isRead(op storetest.Op) bool { return op.Kind == "read" || op.Kind == "open" || op.Kind == "list" }

func takesSpace(op storetest.Op) bool {
	switch op.Kind {
	case "create", "write", "rename", "link", "mkdir", "allocate":
		return true
	}
	return false
}

// recovers reports whether an engine must go on after this fault by itself.
func recovers(fault string) bool { return strings.HasPrefix(fault, "ENOSPC") }

// badDisk makes a disk fail from its nth operation on.
type badDisk struct {
	fault    func(*badDisk, storetest.Op) error
	reads    bool // are counted too
	n        int
	patience int // how many refusals "for a while" lasts

	mu      sync.Mutex
	ops     int
	hits    int // operations that failed
	cleared bool
}

func (d *badDisk) watch(op storetest.Op) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if isRead(op) && !d.reads {
		return nil
	}
	if d.ops++; d.ops <= d.n {
		return nil
	}
	return d.fault(d, op)
}

func (d *badDisk) hit() { d.hits++ }

func (d *badDisk) once(err error) error {
	if d.hits > 0 {
		return nil
	}
	d.hit()
	return err
}

func (d *badDisk) state() (hits int, cleared bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.hits, d.cleared
}

func (d *badDisk) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cleared = true
}

// ioSteps is how long the script is, and ioLives how many engines run it.
const (
	ioSteps = 200
	ioLives = 4
)

// ioTrial runs the script on one record while one operation fails.
type ioTrial struct {
	t      *testing.T
	name   string // of the fault
	bad    *badDisk
	disk   *storetest.Disk
	ledger *witness
	wrap   func(journal.Store) journal.Store // of a negative control, or nil
	broken bool                              // an engine ended by the fault
	acks   atomic.Int64                      // what the step under way was told to be durable
}

func (x *ioTrial) wrong(format string, args ...any) {
	x.ledger.mu.Lock()
	defer x.ledger.mu.Unlock()
	x.ledger.wrong(format, args...)
}

func (x *ioTrial) say(e event) {
	if e.Do == "ack" && e.Kind != record.KindSignal {
		x.acks.Add(1)
	}
	x.ledger.hear(e)
}

// worker is an engine's hand, before the engine is open.
func (x *ioTrial) worker(life int, say func(event)) *toiler {
	return &toiler{life: life, seed: 7, say: say, happened: x.ledger.Happened, reach: func(string) {}}
}

// open opens an engine for a worker. The log is in files so small that several change in
// a life.
func (x *ioTrial) open(ctx context.Context, w *toiler, wrap func(journal.Store) journal.Store) error {
	opt := w.options()
	st, err := store.Open("state", store.Options{Disk: x.disk, Segment: 32 << 10})
	if err == nil {
		w.e, err = engine.OpenHooked(ctx, opt, st, &hooks.Hooks{Wrap: wrap})
	}
	return err
}

// run runs the whole script, and then looks at what is left with a good disk.
func (x *ioTrial) run() {
	ctx := x.t.Context()
	for life := 0; life < ioLives && !x.broken; life++ {
		x.life(ctx, life)
	}
	x.bad.clear()
	x.disk.Watch(nil)
	x.disk.WatchReads(nil)
	// What a power cut leaves now, and what is there without one, are two worlds.
	seen, left := x.ledger, x.disk
	for _, x.disk = range []*storetest.Disk{left.PowerCut(0, rand.New(rand.NewPCG(uint64(x.bad.n), 3))), left} {
		x.ledger = seen.fork()
		x.look(ctx)
		seen.bad = append(seen.bad, x.ledger.bad...)
	}
	x.ledger = seen
}

// look opens the record and compares it with what was said.
func (x *ioTrial) look(ctx context.Context) {
	x.ledger.begin()
	w := x.worker(ioLives, func(e event) {
		if e.Do != "effect" { // what it does itself is of its own world
			x.ledger.hear(e)
		}
	})
	if err := x.open(ctx, w, nil); err != nil {
		x.wrong("it does not open any more: %v", err)
		return
	}
	w.inspect(ctx)
	if err := w.e.Close(); err != nil {
		x.wrong("closing: %v", err)
	}
}

// life runs a part of the script in one engine, as far as the disk lets it.
func (x *ioTrial) life(ctx context.Context, life int) {
	w := x.worker(life, x.say)
	var err error
	x.inTime(func() { err = x.open(ctx, w, x.wrap) })
	if err != nil && !x.notOpened(ctx, w, err) {
		return
	}
	if life > 0 {
		x.inTime(func() { w.settle(ctx) })
	}
	rng := rand.New(rand.NewPCG(7, uint64(life)))
	jobs := []func(context.Context, int, *rand.Rand) error{w.notes, w.pay, w.ask, w.ask, w.talk}
	for n := range ioSteps / ioLives {
		x.step(ctx, w, n, rng, jobs[n%len(jobs)])
	}
	x.end(ctx, w)
}

// inTime does something. What waits for space in the middle of it gets it after a
// time.
func (x *ioTrial) inTime(do func()) {
	done, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		tick := time.NewTicker(300 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if hits, _ := x.bad.state(); hits > 0 {
					x.bad.clear()
				}
			}
		}
	}()
	do()
	close(done)
	<-left
}

// notOpened judges an engine that could not be opened, and opens it once there is
// space again.
func (x *ioTrial) notOpened(ctx context.Context, w *toiler, err error) (opened bool) {
	hits, _ := x.bad.state()
	if hits == 0 {
		x.wrong("opening: %v", err)
	}
	if !recovers(x.name) {
		x.broken = true
		return false
	}
	if !errors.Is(err, journal.ErrFull) {
		x.wrong("opening without space: %v", err)
	}
	x.bad.clear()
	if err := x.open(ctx, w, x.wrap); err != nil {
		x.wrong("opening with space again: %v", err)
		x.broken = true
	}
	return !x.broken
}

// step does one thing, and checks that nothing is allowed that cannot be recorded.
func (x *ioTrial) step(ctx context.Context, w *toiler, n int, rng *rand.Rand,
	job func(context.Context, int, *rand.Rand) error) {
	dead, full := w.dead() != nil, w.full() != nil
	hits, was := x.bad.state()
	x.acks.Store(0)
	var err error
	x.inTime(func() { err = job(ctx, n, rng) })
	after, is := x.bad.state()
	switch {
	case err != nil && !w.expected(ctx, err) && after == 0:
		x.wrong("step %d: %v", n, err)
	case dead && x.acks.Load() > 0:
		x.wrong("step %d: decided on a dead record", n)
	case full && recovers(x.name) && was == is && w.full() != nil && x.acks.Load() > 0 && hits == after:
		x.wrong("step %d: something new was begun without space", n)
	case full && !recovers(x.name) && !dead:
		x.wrong("step %d: there is space, and the engine says there is none", n)
	}
}

// end closes an engine. Before, one whose disk has space again must work again, and
// one whose disk has failed must be closed to everything.
func (x *ioTrial) end(ctx context.Context, w *toiler) {
	hits, _ := x.bad.state()
	dead := w.dead()
	switch {
	case hits > 0 && recovers(x.name):
		if dead != nil {
			x.wrong("for want of space the record is dead: %v", dead)
		}
		x.bad.clear()
		if err := worksAgain(ctx, w); err != nil {
			x.wrong("with space again: %v", err)
		}
	case dead != nil:
		x.broken = true
		if hits == 0 {
			x.wrong("dead without cause: %v", dead)
		}
		d, err := w.do(ctx, "note", `(:text "after its death")`, "n0")
		if err == nil || d != nil && d.Kind == reason.Allow {
			x.wrong("a dead record allows")
		}
		if !errors.Is(err, journal.ErrReadOnly) {
			x.wrong("a dead record says: %v", err)
		}
	}
	err := w.e.Close()
	if hits, _ := x.bad.state(); err != nil && hits == 0 {
		x.wrong("closing: %v", err)
	}
}

// worksAgain takes an action from decision to receipt, once the engine has noticed
// that there is space.
func worksAgain(ctx context.Context, w *toiler) error {
	var err error
	for range 1000 {
		if err = w.full(); err == nil {
			break
		}
		select { // the store asks the disk by itself, at most so often
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err != nil {
		return err
	}
	d, err := w.do(ctx, "note", fmt.Sprintf(`(:text "works again %d")`, w.life), "again")
	if err == nil && d.Kind != reason.Allow {
		err = fmt.Errorf("decided %s", d.Kind)
	}
	return err
}

// runIO runs the script with one fault at one operation; with counted operations
// fewer than n nothing fails.
func runIO(t *testing.T, fault string, n int, wrap func(journal.Store) journal.Store) (l *witness, hits int) {
	x := &ioTrial{t: t, name: fault, ledger: newWitness(), disk: storetest.NewDisk(nil), wrap: wrap,
		bad: &badDisk{fault: ioFaults[fault], n: n, patience: 1 + n%7, reads: fault == "read fails once"}}
	x.disk.Watch(x.bad.watch)
	x.disk.WatchReads(x.bad.watch)
	x.run()
	hits, _ = x.bad.state()
	return x.ledger, hits
}

// whichOps reads which operations are to fail: each CORTEX_IO_EVERYth, from
// CORTEX_IO_FROM on, at most CORTEX_TORTURE for each fault.
func whichOps(usual int) (step, from, most int) {
	step, from, most = usual, 17, 1<<30
	for name, v := range map[string]*int{"CORTEX_IO_EVERY": &step, "CORTEX_IO_FROM": &from, "CORTEX_TORTURE": &most} {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			*v = n
		}
	}
	return max(1, step), from, most
}

// Whichever operation fails, and however: the process lives, nothing is allowed
// that cannot be recorded, no effect is without its recorded allow, nothing
// acknowledged is lost, and where it was for want of space, the same engine works
// again when there is some.
func TestTortureIO(t *testing.T) {
	crashtest.Long(t)
	step, from, most := whichOps(1801)
	for fault := range ioFaults {
		t.Run(fault, func(t *testing.T) {
			trials, failures, n := 0, 0, from
			for ; trials < most; n += step {
				l, hits := runIO(t, fault, n, nil)
				l.ok(t, fmt.Sprintf("operation %d", n))
				if failures += len(l.bad); failures > 20 {
					break
				}
				if hits == 0 {
					break // the script was over before
				}
				trials++
			}
			assert.Positive(t, trials)
			report(t, "torture-io", trials, uint64(from), failures,
				fmt.Sprintf("fault=%q operations=%d every=%d", fault, n, step))
		})
	}
}

// deaf says that a commit is durable whatever the disk says.
type deaf struct{ journal.Store }

func (s deaf) Commit(writes []journal.Write) error {
	_ = s.Store.Commit(cloned(writes)) // a dead store may go on reading them
	return nil
}

// The harness finds a store that acknowledges what a failed sync was to write.
func TestTortureIO_NegativeControls(t *testing.T) {
	crashtest.Long(t)
	for _, fault := range []string{"sync fails once", "EIO once", "ENOSPC until cleared", "short write"} {
		t.Run(fault, func(t *testing.T) {
			for n := 200; n < 600; n += 7 {
				if l, _ := runIO(t, fault, n, func(s journal.Store) journal.Store { return deaf{s} }); len(l.bad) > 0 {
					t.Logf("RESULT control=ack-despite-failed-write found-by=torture-io fault=%q operation=%d: %s", fault, n, l.bad[0])
					return
				}
			}
			require.Fail(t, "not found")
		})
	}
}
