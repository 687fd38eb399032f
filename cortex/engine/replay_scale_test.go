package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/retention"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills/rules"
)

// scaleRules have what a decision can rest on: rewrites, asks, budgets, history,
// counts and look-ups. The second version refuses what the first one asks about.
const scaleRules = testRules + `
(deftool read :params (:path path) :required (:path) :tier :allow :effect :none)
(defskill files :priority 50 :trigger (= action.tool "read")
  :gate ((deny away :when (not (every-or-empty (paths action) (under? it "/tmp"))) :reason "only files in /tmp are read")
         (ask often :when (> (len (calls "read")) 8) :reason "that is a lot of reading")))
`

const scaleRulesLater = scaleRules + `
(defskill later :priority 10 :trigger (= action.tool "risky") :gate ((deny no :when t :reason "no more of that")))
`

// makeScale writes a record of n decisions of many sessions, by several engines
// one after another, the later ones with other rules, and says how it went.
func makeScale(t testing.TB, n int) (opt Options) {
	opt, b := options(t, scaleRules, "")
	opt.Dir = t.TempDir()
	opt.Approvals.Classes = map[string][]string{"operator": {"ana"}}
	opt.Retain = retention.Retain{}
	const runs, workers = 4, 64
	var made atomic.Int64
	for run := range runs {
		if run >= runs/2 {
			opt.Rules = fstest.MapFS{"rules.lisp": {Data: []byte(scaleRulesLater)}}
		}
		e, err := open(context.Background(), opt)
		require.NoError(t, err)
		var all sync.WaitGroup
		for w := range workers {
			all.Go(func() {
				rnd := rand.New(rand.NewPCG(uint64(run), uint64(w)))
				for i := 0; made.Add(1) <= int64(n*(run+1)/runs); i++ {
					b.one(t, e, rnd, fmt.Sprintf("%d-%d-%d", run%2, w, i/24), fmt.Sprintf("p%d-%d", w, i/200))
				}
				made.Add(-1)
			})
		}
		all.Wait()
		require.NoError(t, e.Close())
		b.clock.Add(600)
	}
	return opt
}

// one decides, acts, and answers, as it comes.
func (b *bench) one(t testing.TB, e *Engine, rnd *rand.Rand, name, who string) {
	ctx := context.Background()
	calls := []func() *Action{
		func() *Action { return action(t, "note", `(:text "a note")`) },
		func() *Action {
			return action(t, "note", `(:text "a note that is longer than forty letters, for certain")`)
		},
		func() *Action { return action(t, "note", `(:text "this is rude")`) },
		func() *Action {
			return action(t, "send_money", fmt.Sprintf(`(:recipient "x" :amount %d)`, rnd.IntN(120)))
		},
		func() *Action { return action(t, "read", `(:path "/tmp/a")`) },
		func() *Action { return action(t, "read", `(:path "/etc/passwd")`) },
		func() *Action { return action(t, "look", `{}`) },
		func() *Action { return action(t, "risky", fmt.Sprintf(`(:what "thing %d")`, rnd.IntN(5))) },
		func() *Action { return action(t, "unknown", `{}`) },
	}
	a := calls[rnd.IntN(len(calls))]()
	f := asking(name, who)
	d, err := e.Decide(ctx, a, f)
	if !assert.NoError(t, err) {
		return
	}
	if d.Kind == reason.Ask {
		switch said := rnd.IntN(64); { // few are left open: there is a cap on them
		case said == 0:
			return
		case said < 32:
			_ = e.Deny(ctx, d.Approval, approval.Approver{Name: "ana"}, "no") // or another worker was first
			return
		case e.Approve(ctx, d.Approval, approval.Approver{Name: "ana"}) != nil:
			return
		}
		d, err = e.Decide(ctx, a, f)
		assert.NoError(t, err)
	}
	if d.Kind != reason.Allow {
		return
	}
	if p, err := e.Begin(ctx, d); err == nil {
		assert.NoError(t, p.Finish(ctx, Receipt{State: []act.State{act.Done, act.Nothing}[rnd.IntN(2)], Text: "so"}))
	}
}

// TestI5_ReplayAtScale replays a record of mixed decisions, made by several runs of
// the engine with two rulebooks, on 1, 2 and 8 processors: no difference. The long
// form (CORTEX_RECORD decisions; make bench-record) says how fast it is, how long
// opening takes, and how much memory it needs.
func TestI5_ReplayAtScale(t *testing.T) {
	crashtest.Long(t)
	n := crashtest.Number("CORTEX_RECORD", 600)
	began := time.Now()
	opt := makeScale(t, n)
	made := time.Since(began)
	began = time.Now()
	e, err := open(context.Background(), opt)
	require.NoError(t, err)
	opened := time.Since(began)
	defer func() { require.NoError(t, e.Close()) }()
	heap := heapNow()
	var most atomic.Uint64
	replayed := 0
	for _, procs := range []int{1, 2, 8} {
		before := runtime.GOMAXPROCS(procs)
		stop := watchHeap(&most)
		began := time.Now()
		got, err := e.Replay(context.Background(), ReplayOptions{})
		took := time.Since(began)
		stop()
		runtime.GOMAXPROCS(before)
		require.NoError(t, err)
		require.Empty(t, got.Differences)
		require.Zero(t, got.Skipped)
		require.GreaterOrEqual(t, got.Decisions, n)
		replayed = got.Decisions
		t.Logf("GOMAXPROCS %d: %d decisions replayed in %s, %.0f a second, 0 differences", procs, got.Decisions,
			took.Round(time.Millisecond), float64(got.Decisions)/took.Seconds())
	}
	crashtest.Result{Harness: "replay", Trials: replayed, Seed: 1, More: "on 1, 2 and 8 processors"}.Report(t)
	t.Logf("%d records written in %s; opened in %s; heap %d MiB after opening, at most %d MiB in replay",
		e.Journal().Last(), made.Round(time.Millisecond),
		opened.Round(time.Millisecond), heap>>20, most.Load()>>20)

	// From the middle, what came before is read anew, and nothing is left over.
	late, err := e.Replay(context.Background(), ReplayOptions{From: e.Journal().Last() * 7 / 8})
	require.NoError(t, err)
	require.Positive(t, late.Decisions)
	require.Empty(t, late.Differences)
	require.Zero(t, e.history.Passed.Len())

	// By other rules: what would flip, counted. (Negative control: replay does see
	// a difference where there is one.)
	book, err := reason.Loader(rules.Loader{}).Load(rules.Root{FS: fstest.MapFS{"rules.lisp": {Data: []byte(
		scaleRulesLater)}}})
	require.NoError(t, err)
	got, err := e.Replay(context.Background(), ReplayOptions{Rules: book, Most: 10})
	require.NoError(t, err)
	require.Positive(t, got.Flips)
	assert.Len(t, got.Differences, min(10, got.Flips), "the list is bounded, the counts are not")
	assert.Equal(t, got.Flips, got.ByTool["risky"], "nothing else is judged otherwise: %v", got.ByTool)
	assert.Equal(t, got.Flips, got.ByRule["later/no"]+got.ByRule["tier/risky"], "%v", got.ByRule)
}

func heapNow() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// watchHeap keeps the largest heap that it sees until stop is called.
func watchHeap(most *atomic.Uint64) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), m.HeapInuse))
			select {
			case <-tick.C:
			case <-end:
				return
			}
		}
	}()
	return func() { close(end); <-ended }
}
