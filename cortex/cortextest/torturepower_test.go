package cortextest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// lifetimes is how many engines work on one record before another is begun.
const lifetimes = 20

// powerWorld cuts the power of one record again and again, and returns what is
// known of it in the end. It counts in seen where the cuts fell.
func powerWorld(t *testing.T, seed uint64, cuts int, fault string, seen map[string]int) *witness {
	rng := rand.New(rand.NewPCG(seed, 2))
	l, m := newWitness(), NewMachine(nil, seed, cortex.Options{})
	for life := range cuts {
		c := &powerCut{witness: l, m: m}
		switch {
		case life == 0: // over many seeds, every operation of opening and of the first work
			c.operation = 1 + int(seed%150)
		case life%2 == 0:
			c.point, c.turn = crashPoints[rng.IntN(len(crashPoints))], 1+rng.IntN(3)
			if strings.HasSuffix(c.point, "-"+record.KindOpen) {
				c.turn = 1 // an engine opens once
			}
		case rng.IntN(4) == 0:
			c.operation = 1 + rng.IntN(30)
		default:
			c.operation, c.working = 1+rng.IntN(60), true
		}
		where, err := c.run(t.Context(), &toiler{life: life, seed: seed + uint64(life), fault: fault})
		if err != nil {
			l.wrong("life %d: %v", life, err)
		}
		if seen[where]++; len(l.bad) > 0 {
			break
		}
	}
	return l
}

// crashPoints are where a tortured engine is killed by name.
var crashPoints = []string{
	"before-open", "after-open", "before-signal", "after-signal", "before-decision", "after-decision", "before-approval",
	"after-approval",
	"before-events", "after-events", "before-advance", "after-advance", "after-step", "after-wake",
	"before-intent", "after-intent", "before-effect", "after-effect", "before-receipt", "after-receipt", "before-answer",
	"after-answer",
}

// powerCut is one engine on a machine, and when the power goes.
type powerCut struct {
	witness   *witness
	m         *Machine
	operation int    // before which change to the disk; 0: not there
	working   bool   // counted from when the engine is up
	point     string // at which point, or ""
	turn      int    // which time it gets there

	mu sync.Mutex
}

// reached takes the power away at its point.
func (c *powerCut) reached(point string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if point == c.point {
		if c.turn--; c.turn == 0 {
			c.m.CutPower()
		}
	}
}

// hear hears what the engine says. What it says when the power is gone is still true of
// what is on record, and of effects; of all else it is the babble of a dead machine.
func (c *powerCut) hear(e event) {
	if !c.m.power.on() && (e.Do == "rec" || e.Do == "bad" || e.Do == "ready") {
		return
	}
	if c.witness.hear(e) && c.working {
		c.m.CutPowerAt(c.operation)
	}
}

// run lets an engine work until the power goes, and says where.
func (c *powerCut) run(ctx context.Context, w *toiler) (where string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	c.witness.begin()
	w.happened, w.reach, w.say = c.witness.Happened, c.reached, c.hear
	c.m.opt, c.m.hooks.Wrap = w.options(), wrapped(w.fault, w.reach)
	c.m.power.gone = cancel
	if where = c.point; where == "" {
		where = "operation"
		if !c.working {
			c.m.CutPowerAt(c.operation)
		}
	}
	e, err := c.m.open()
	if err == nil {
		err = w.run(ctx, e)
	}
	if c.m.power.on() {
		return "", fmt.Errorf("it ended before the power went at %s%d: %w", c.point, c.operation, err)
	}
	c.m.restore()
	return where, nil
}

// Wherever the power goes, whatever the disk then keeps of what was not synced:
// nothing acknowledged is lost, nothing is done twice, and nothing is done
// without a recorded allow over its bytes.
func TestTorturePower(t *testing.T) {
	crashtest.Long(t)
	cuts, seed := campaign(400)
	seen := map[string]int{}
	failures, acked, effects := 0, 0, 0
	for i := 0; i*lifetimes < cuts; i++ {
		l := powerWorld(t, seed+uint64(i), lifetimes, "", seen)
		l.ok(t, fmt.Sprint("seed ", seed+uint64(i)))
		failures += len(l.bad)
		acked, effects = acked+l.Told(), effects+l.Effects()
	}
	assert.Positive(t, effects)
	if cuts >= 20*len(crashPoints) {
		for _, p := range crashPoints {
			assert.Positive(t, seen[p], "no cut at %s: %v", p, seen)
		}
	}
	crashtest.Result{Harness: "torture-power", Trials: cuts, Seed: seed, Failures: failures, Acknowledged: acked,
		Effects: effects}.Report(t)
}

// The harness finds each seeded fault.
func TestTorturePower_NegativeControls(t *testing.T) {
	crashtest.Long(t)
	for _, fault := range faults {
		t.Run(fault, func(t *testing.T) {
			for seed := range uint64(20) {
				if l := powerWorld(t, 1+seed, lifetimes, fault, map[string]int{}); len(l.bad) > 0 {
					crashtest.Control{Harness: "torture-power", Fault: fault, Seed: 1 + seed, Symptom: symptoms[fault]}.Found(t, l.bad)
					return
				}
			}
			require.Fail(t, "not found")
		})
	}
}
