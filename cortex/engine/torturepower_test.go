package engine

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

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// campaign reads how many trials are wanted and from which seed on.
func campaign(usual int) (trials int, seed uint64) { return crashtest.Size(usual) }

// report prints the line that docs/proof/reliability.md quotes.
func report(t *testing.T, harness string, trials int, seed uint64, failures int, more string) {
	t.Helper()
	crashtest.Result{Harness: harness, Trials: trials, Seed: seed, Failures: failures, More: more}.Report(t)
}

// lifetimes is how many engines work on one record before another is begun.
const lifetimes = 20

// powerWorld cuts the power of one record again and again, and returns what is
// known of it in the end. It counts in seen where the cuts fell.
func powerWorld(t *testing.T, seed uint64, cuts int, fault string, seen map[string]int) *outsideRecord {
	rng := rand.New(rand.NewPCG(seed, 2))
	l, disk := newLedger(), storetest.NewDisk(nil)
	for life := range cuts {
		c := &powerCut{t: t, ledger: l, disk: disk, rng: rng, percent: []int{0, 50, 100}[rng.IntN(3)]}
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
		if err := c.run(&toiler{life: life, seed: seed + uint64(life), fault: fault}); err != nil {
			l.wrong("life %d: %v", life, err)
		}
		seen[c.where]++
		if disk = c.left; len(l.bad) > 0 {
			break
		}
	}
	return l
}

// crashPoints are where a tortured engine is killed by name.
var crashPoints = []string{
	"before-open", "after-open", "before-signal", "after-signal", "before-decision", "after-decision", "before-approval",
	"after-approval",
	"before-intent", "after-intent", "before-effect", "after-effect", "before-receipt", "after-receipt", "before-answer",
	"after-answer",
}

// powerCut is one engine on a disk, and when the power goes.
type powerCut struct {
	t         *testing.T
	ledger    *outsideRecord
	disk      *storetest.Disk
	rng       *rand.Rand
	percent   int    // of what was not synced that is left
	operation int    // before which change to the disk; 0: not there
	working   bool   // counted from when the engine is up
	point     string // at which point, or ""
	turn      int    // which time it gets there

	mu    sync.Mutex // held while the world changes, and while the power goes
	up    bool
	ops   int
	left  *storetest.Disk // once the power is gone
	where string          // it went
}

// cut takes the power away. The caller holds mu.
func (c *powerCut) cut(where string, end context.CancelFunc) {
	if c.left == nil {
		c.left, c.where = c.disk.PowerCut(c.percent, c.rng), where
		end()
	}
}

// run lets an engine work until the power goes.
func (c *powerCut) run(w *toiler) error {
	ctx, cancel := context.WithTimeout(c.t.Context(), 20*time.Second)
	defer cancel()
	had := c.ledger.mark()
	c.disk.Watch(func(storetest.Op) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.up || !c.working {
			c.ops++
		}
		if c.ops == c.operation && c.point == "" {
			c.cut("operation", cancel)
		}
		return nil
	})
	w.happened = c.ledger.happened
	w.reach = func(p string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if p == c.point {
			if c.turn--; c.turn <= 0 {
				c.cut(p, cancel)
			}
		}
	}
	w.say = func(e event) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.left == nil && c.ledger.hear(e) {
			c.up = true
			c.ledger.check(had)
		}
	}
	opt := w.options()
	opt.Dir, opt.mount = "state", on(c.disk)
	err := w.run(ctx, opt)
	c.ledger.snapshot = nil
	if c.left == nil {
		c.left = c.disk
		return fmt.Errorf("it ended before the power went at %s%d: %w", c.point, c.operation, err)
	}
	return nil
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
		ledgerOK(t, l, fmt.Sprint("seed ", seed+uint64(i)))
		failures += len(l.bad)
		acked, effects = acked+len(l.acked), effects+len(l.effects)
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
					assert.Regexp(t, symptoms[fault], l.bad[0], "found, and not for what it is")
					t.Logf("RESULT control=%s found-by=torture-power seed=%d: %s", fault, 1+seed, l.bad[0])
					return
				}
			}
			require.Fail(t, "not found")
		})
	}
}
