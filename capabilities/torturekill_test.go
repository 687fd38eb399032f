package capabilities

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// orders are what a child that is to be killed is told.
type orders struct {
	Dir     string
	Life    int
	Seed    uint64
	Point   string // it kills itself there, the Nth time; "" waits to be killed
	N       int
	Clients int
	Keys    map[string]bool // the effects that have happened
}

// TestTorturedPlansChild is what a child process does. On its own it has nothing to do.
func TestTorturedPlansChild(t *testing.T) {
	var o orders
	say, ok := crashtest.Orders(t, &o)
	if !ok {
		return
	}
	w := newToiler(o.Life, o.Seed, o.Point, o.Keys)
	w.say, w.reach = func(s told) { say(s) }, crashtest.DieAt(o.Point, o.N)
	ctx := context.Background()
	st, err := store.Open(o.Dir, store.Options{})
	require.NoError(t, err)
	e, err := engine.Open(ctx, w.options(o.Dir), newPointed(st, w.at))
	require.NoError(t, err)
	require.NoError(t, w.begin(ctx, e))
	w.toil(ctx, o.Clients, 40)
	w.say(told{Do: "bad", Text: "it never came to " + o.Point})
	require.NoError(t, e.Close())
}

// lookAt opens a record that a killed engine left, as look does.
func lookAt(t *testing.T, dir string, l *witness, end bool) {
	w := newToiler(1000, 1, "", l.keys)
	w.say, w.reach = l.hear, func(string) {}
	opt := w.options(dir)
	opt.Live = end
	st, err := store.Open(dir, store.Options{})
	require.NoError(t, err)
	w.e, err = engine.Open(t.Context(), opt, st)
	require.NoError(t, err)
	if end {
		l.finish(t.Context(), w.e, w.caps, w)
	} else {
		l.check(t.Context(), w.e, w.caps)
	}
	require.NoError(t, w.e.Close())
}

// killWorld kills the engines of one record at points, and in between at random.
func killWorld(t *testing.T, seed uint64, points []string) *witness {
	rng, dir, l := rand.New(rand.NewPCG(seed, 4)), filepath.Join(t.TempDir(), "state"), newWitness()
	for n, point := range points {
		child := crashtest.Child{Test: "TestTorturedPlansChild", Orders: orders{Dir: dir, Life: n, Seed: seed, Point: point,
			N: 1 + rng.IntN(2), Clients: map[bool]int{true: 3, false: 1}[point == ""], Keys: l.keys},
			Hear: func(line []byte) bool {
				var s told
				require.NoError(t, json.Unmarshal(line, &s), "%s", line)
				l.hear(s)
				return s.Do == "ready"
			}}
		if point == "" {
			child.After = time.Duration(1+rng.IntN(60_000)) * time.Microsecond
		}
		if killed, how := child.Kill(t); !killed {
			l.fault("life %d was not killed at %q: %s", n, point, how)
		}
		if lookAt(t, dir, l, false); len(l.wrong) > 0 {
			return l
		}
	}
	lookAt(t, dir, l, true)
	return l
}

// A process that is killed anywhere leaves what one leaves that loses its power.
func TestTortureKillPlans(t *testing.T) {
	crashtest.Long(t)
	each, seed := crashtest.Size(1)
	points := torturePoints()
	kills, effects, runs, failures := 0, 0, 0, 0
	for i, world := range crashtest.Deal(points, each, each*len(points)/2, tortureLives) {
		l := killWorld(t, seed+1000*uint64(i), world)
		for _, why := range l.wrong {
			t.Errorf("seed %d: %s", seed+1000*uint64(i), why)
		}
		kills, effects, runs, failures = kills+len(world), effects+len(l.effects), runs+l.runs, failures+len(l.wrong)
	}
	assert.Positive(t, effects)
	crashtest.Result{Harness: "torture-kill-plans", Trials: kills, Seed: seed, Failures: failures, Acknowledged: runs,
		Effects: effects, More: fmt.Sprintf("each=%d", each)}.Report(t)
}
