package runs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// tortureLives is how many engines work on one record before another is begun. Each of them
// repeats all calls of those before it: the short form has fewer.
func tortureLives() int {
	if testing.Short() {
		return 4
	}
	return 8
}

var errPower = errors.New("the power is gone")

// power is a disk until its power goes.
type power struct {
	disk   *storetest.Disk
	rng    *rand.Rand
	cancel func()

	mu    sync.Mutex
	left  *storetest.Disk // once the power is gone
	after int             // changes to the disk; 0 for never
}

func (p *power) on() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left == nil
}

func (p *power) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cutNow()
}

func (p *power) cutNow() {
	if p.left == nil {
		p.left = p.disk.PowerCut([]int{0, 50, 100}[p.rng.IntN(3)], p.rng)
		p.cancel()
	}
}

func (p *power) change(storetest.Op) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.after > 0 {
		if p.after--; p.after == 0 {
			p.cutNow()
		}
	}
	return nil
}

// powered is a store that works as long as there is power: a dead machine tells nothing.
type powered struct {
	journal.Store
	power *power
}

func (s powered) Commit(writes []journal.Write) error {
	if !s.power.on() {
		return errPower
	}
	err := s.Store.Commit(writes)
	if !s.power.on() {
		return errPower
	}
	return err
}

// live lets a client work until the power goes: the nth time at a point, or before a change to the
// disk. It returns what is left, and reports whether the power went.
func live(t *testing.T, disk *storetest.Disk, l *witness, w *toiler, point string, n, clients int) (
	*storetest.Disk, bool) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := &power{disk: disk, rng: rand.New(rand.NewPCG(w.seed, 2)), cancel: cancel}
	disk.Watch(p.change)
	if point != "" {
		w.reach = func(at string) {
			if at == point {
				if n--; n == 0 {
					p.cut()
				}
			}
		}
	} else {
		w.reach = func(string) {}
	}
	w.say = func(s said) {
		if s.Do == "ready" && point == "" {
			p.mu.Lock()
			p.after = n
			p.mu.Unlock()
		}
		if p.on() || s.Do == "call" {
			l.hear(s)
		}
	}
	st, err := store.Open("state", store.Options{Disk: disk, Segment: 64 << 10})
	require.NoError(t, err)
	e, r, err := tortureRuns(t.Context(), powered{st, p}, "", w)
	require.NoError(t, err)
	w.toil(ctx, r, clients, 60)
	gone := !p.on()
	p.cut()
	_ = e.Close() // the power is gone
	return p.left, gone
}

// powerWorld cuts the power of one record at points, and in between at random.
func powerWorld(t *testing.T, seed uint64, points []string, early bool) (l *witness, cuts map[string]int) {
	rng, disk := rand.New(rand.NewPCG(seed, 1)), storetest.NewDisk(nil)
	l, cuts = newWitness(), map[string]int{}
	for life, point := range points {
		w := l.next(life, seed, point, early)
		n, clients := 1+rng.IntN(3), 1
		if point == "" {
			n, clients = 1+rng.IntN(60), 4
		}
		var gone bool
		if disk, gone = live(t, disk, l, w, point, n, clients); gone {
			cuts[point]++
		}
		st, err := store.Open("state", store.Options{Disk: disk, Segment: 64 << 10})
		require.NoError(t, err)
		e, r, err := tortureRuns(t.Context(), st, "", nil)
		require.NoError(t, err)
		l.check(t.Context(), e, r)
		require.NoError(t, e.Close())
		if len(l.wrong) > 0 {
			return l, cuts
		}
	}
	return l, cuts
}

// Wherever the power goes: no acknowledged call is lost, no attempt has two outcomes, no log has a
// hole, and a repeat of the last call is answered with the same bytes.
func TestTorturePowerRuns(t *testing.T) {
	each, seed := crashtest.Size(5)
	total, answered, failures := map[string]int{}, 0, 0
	random := each * len(torturePoints())
	if testing.Short() {
		random /= 8
	}
	for i, points := range crashtest.Deal(torturePoints(), each, random, tortureLives()) {
		l, cuts := powerWorld(t, seed+1000*uint64(i), points, false)
		for _, why := range l.wrong {
			t.Errorf("seed %d: %s", seed+1000*uint64(i), why)
		}
		for p, n := range cuts {
			total[p] += n
		}
		answered, failures = answered+l.answered, failures+len(l.wrong)
	}
	for _, p := range append(torturePoints(), "") {
		assert.Positive(t, total[p], "no cut at %q: %v", p, total)
	}
	crashtest.Result{Harness: "torture-power-runs", Trials: sum(total), Seed: seed, Failures: failures,
		Acknowledged: answered, More: fmt.Sprint(total)}.Report(t)
}

func sum(of map[string]int) (n int) {
	for _, x := range of {
		n += x
	}
	return n
}

// The harness finds a store that acknowledges what is not durable yet.
func TestTorturePowerRuns_NegativeControl(t *testing.T) {
	for seed := range uint64(20) {
		l, _ := powerWorld(t, 1+seed, torturePoints(), true)
		if len(l.wrong) > 0 {
			crashtest.Control{
				Harness: "torture-power-runs", Fault: "ack-before-commit", Seed: 1 + seed, Symptom: "acknowledged, and is lost",
			}.Found(t, l.wrong)
			return
		}
	}
	require.Fail(t, "not found")
}
