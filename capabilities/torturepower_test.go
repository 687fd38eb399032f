package capabilities

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/cortextest"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// tortureLives is how many engines work on one record before another is begun.
const tortureLives = 6

// life is one engine on a machine until its power goes: the nth time at a point, or before a change to the
// disk. It reports whether the power went.
func life(t *testing.T, m *cortextest.Machine, l *witness, w *toiler, point string, n, clients int, early bool) bool {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cuts := m.Cuts()
	w.over = func() bool { return m.Cuts() > cuts }
	w.reach = func(at string) {
		if at == point {
			w.mu.Lock()
			n--
			now := n == 0
			w.mu.Unlock()
			if now {
				m.CutPower()
				cancel()
			}
		}
	}
	w.say = func(s told) {
		if s.Do == "ready" && point == "" {
			m.CutPowerAt(n)
		}
		if s.Do == "effect" || !w.over() { // a dead machine tells nothing, and what happens happens
			l.hear(s)
		}
	}
	m.Wrap(func(st journal.Store) journal.Store {
		if early { // a decision is acknowledged, and durable only two commits later
			st = cortextest.AckEarly(cortextest.AckEarly(st))
		}
		return newPointed(st, w.at)
	})
	m.Options(w.options(""))
	e := m.Start()
	if err := w.begin(ctx, e); err != nil && !w.over() {
		l.fault("%v", err)
	}
	w.toil(ctx, clients, 40)
	gone := w.over()
	m.CutPower()
	return gone
}

// look opens an engine that only looks, or brings the runs to their end.
func look(t *testing.T, m *cortextest.Machine, l *witness, end bool) {
	w := newToiler(1000, 1, "", l.keys)
	w.say, w.reach = l.hear, func(string) {}
	opt := w.options("")
	opt.Live = end
	m.Wrap(nil)
	m.Options(opt)
	e := m.Start()
	w.e = e
	if !end {
		l.check(t.Context(), e, w.caps)
		return
	}
	l.finish(t.Context(), e, w.caps, w)
}

// powerWorld cuts the power of one record at points, and in between at random.
func powerWorld(t *testing.T, seed uint64, points []string, early bool) (l *witness, cuts map[string]int) {
	rng, m := rand.New(rand.NewPCG(seed, 1)), cortextest.NewMachine(t, seed, cortex.Options{})
	l, cuts = newWitness(), map[string]int{}
	defer m.Close()
	for n, point := range points {
		turn, clients := 1+rng.IntN(2), 1
		if point == "" {
			turn, clients = 1+rng.IntN(150), 3
		}
		if life(t, m, l, newToiler(n, seed, point, l.keys), point, turn, clients, early) {
			cuts[point]++
		} else {
			l.fault("life %d never came to %q", n, point)
		}
		if look(t, m, l, false); len(l.wrong) > 0 {
			return l, cuts
		}
	}
	look(t, m, l, true)
	return l, cuts
}

// Wherever the power goes: no step happens twice, none without an allow over its bytes, no run is lost,
// nothing is made up for twice, and each run has one Result, told once.
func TestTorturePowerPlans(t *testing.T) {
	each, seed := crashtest.Size(2)
	points := torturePoints()
	if testing.Short() && each == 1 { // some of them
		points = []string{"before-intent-step", "after-receipt-step", "after-" + kindApplied}
	}
	total, effects, runs, failures := map[string]int{}, 0, 0, 0
	for i, world := range crashtest.Deal(points, each, each*len(points)/2, tortureLives) {
		l, cuts := powerWorld(t, seed+1000*uint64(i), world, false)
		for _, why := range l.wrong {
			t.Errorf("seed %d: %s", seed+1000*uint64(i), why)
		}
		for p, n := range cuts {
			total[p] += n
		}
		effects, runs, failures = effects+len(l.effects), runs+l.runs, failures+len(l.wrong)
	}
	few := slices.DeleteFunc(slices.Clone(points), func(p string) bool { return total[p] >= each })
	assert.Empty(t, few, "too few cuts")
	trials := 0
	for _, n := range total {
		trials += n
	}
	assert.Positive(t, effects)
	crashtest.Result{Harness: "torture-power-plans", Trials: trials, Seed: seed, Failures: failures, Acknowledged: runs,
		Effects: effects, More: fmt.Sprintf("each=%d random=%d", each, total[""])}.Report(t)
}

// The harness finds a step that is begun before its decision is durable.
func TestTorturePowerPlans_NegativeControl(t *testing.T) {
	crashtest.Long(t)
	for seed := range uint64(20) {
		l, _ := powerWorld(t, 1+seed, []string{"after-effect-step", "after-effect-undo", "after-effect-step"}, true)
		if len(l.wrong) > 0 {
			crashtest.Control{
				Harness: "torture-power-plans", Fault: "begun-before-decided", Seed: 1 + seed,
				Symptom: "an effect without an allow",
			}.Found(t, l.wrong)
			return
		}
	}
	require.Fail(t, "not found")
}
