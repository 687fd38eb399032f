package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// orders are what a child that is to be killed is told.
type orders struct {
	Dir     string
	Life    int
	Seed    uint64
	Early   bool
	Prefer  string
	Tickets []string
	Point   string // it kills itself there, the nth time; "" waits to be killed
	N       int
	Clients int
}

// TestTorturedRunsChild is what a child process does. On its own it has nothing to do.
func TestTorturedRunsChild(t *testing.T) {
	var o orders
	say, ok := crashtest.Orders(t, &o)
	if !ok {
		return
	}
	w := &toiler{life: o.Life, seed: o.Seed, early: o.Early, prefer: o.Prefer, tickets: o.Tickets,
		say: func(s said) { say(s) }, reach: crashtest.DieAt(o.Point, o.N)}
	ctx := context.Background()
	st, err := store.Open(o.Dir, store.Options{})
	require.NoError(t, err)
	e, r, err := tortureRuns(ctx, st, o.Dir, w)
	require.NoError(t, err)
	w.toil(ctx, r, o.Clients, 400)
	w.say(said{Do: "bad", Text: "it never came to " + o.Point})
	require.NoError(t, e.Close())
}

// killOne lets a child work until it is killed at a point, or some time after it came up.
func killOne(t *testing.T, l *witness, o orders, after time.Duration) {
	child := crashtest.Child{Test: "TestTorturedRunsChild", Orders: o, Hear: func(line []byte) bool {
		var s said
		require.NoError(t, json.Unmarshal(line, &s), "%s", line)
		l.hear(s)
		return s.Do == "ready"
	}}
	if o.Point == "" {
		child.After = max(1, after)
	}
	if killed, how := child.Kill(t); !killed || !l.ready {
		l.fault("life %d was not killed at %q: %s", o.Life, o.Point, how)
	}
}

// killWorld kills the engines of one record at points, and in between at random.
func killWorld(t *testing.T, seed uint64, points []string, early bool) *witness {
	rng, dir, l := rand.New(rand.NewPCG(seed, 4)), filepath.Join(t.TempDir(), "state"), newWitness()
	for life, point := range points {
		w := l.next(life, seed, point, early)
		o := orders{Dir: dir, Life: life, Seed: w.seed, Early: early, Prefer: w.prefer, Tickets: w.tickets, Point: point,
			N: 1 + rng.IntN(3), Clients: 1}
		if point == "" {
			o.Clients = 4
		}
		killOne(t, l, o, time.Duration(rng.IntN(60_000))*time.Microsecond)
		st, err := store.Open(dir, store.Options{})
		require.NoError(t, err)
		e, r, err := tortureRuns(t.Context(), st, dir, nil)
		require.NoError(t, err)
		l.check(t.Context(), e, r)
		require.NoError(t, e.Close())
		if len(l.wrong) > 0 {
			break
		}
	}
	return l
}

// A process that is killed anywhere keeps what it acknowledged, as one that loses its power does.
func TestTortureKillRuns(t *testing.T) {
	crashtest.Long(t)
	each, seed := crashtest.Size(2)
	kills, answered, failures := 0, 0, 0
	for i, points := range crashtest.Deal(torturePoints(), each, each*len(torturePoints()), tortureLives()) {
		l := killWorld(t, seed+1000*uint64(i), points, false)
		for _, why := range l.wrong {
			t.Errorf("seed %d: %s", seed+1000*uint64(i), why)
		}
		kills, answered, failures = kills+len(points), answered+l.answered, failures+len(l.wrong)
	}
	crashtest.Result{Harness: "torture-kill-runs", Trials: kills, Seed: seed, Failures: failures, Acknowledged: answered,
		More: fmt.Sprintf("each=%d", each)}.Report(t)
}

// The harness finds a store that acknowledges what is not durable yet.
func TestTortureKillRuns_NegativeControl(t *testing.T) {
	crashtest.Long(t)
	for seed := range uint64(20) {
		if l := killWorld(t, 1+seed, torturePoints(), true); len(l.wrong) > 0 {
			crashtest.Control{
				Harness: "torture-kill-runs", Fault: "ack-before-commit", Seed: 1 + seed, Symptom: "acknowledged, and is lost",
			}.Found(t, l.wrong)
			return
		}
	}
	require.Fail(t, "not found")
}
