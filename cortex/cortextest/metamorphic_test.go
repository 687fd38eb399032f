package cortextest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason/model"
)

// world is one way to run an engine. Whatever it is, a script must come out the
// same.
type world struct {
	name    string
	change  func(*Machine)
	restart func(n int, rng *rand.Rand) bool // before which steps; nil: never
	procs   int                              // GOMAXPROCS; 0: as it is
	clients int                              // how many take turns; 0: one
	watch   bool                             // somebody reads, replays and verifies all the while
	real    bool                             // the record is on the machine's own disk
}

// always and sometimes are when an engine is restarted.
func always(int, *rand.Rand) bool { return true }

func sometimes(_ int, rng *rand.Rand) bool { return rng.IntN(5) == 0 }

// files are the rules in so many files, in this order or the other way round.
// The order of files is that of their names.
func files(turned bool) func(*Machine) {
	return func(m *Machine) {
		forms := strings.Split(strings.TrimSpace(testRules), "\n(")
		all := fstest.MapFS{}
		for i, f := range forms {
			if i > 0 {
				f = "(" + f
			}
			name := fmt.Sprintf("r%02d.lisp", i)
			if turned {
				name = fmt.Sprintf("r%02d.lisp", len(forms)-i)
			}
			all[name] = &fstest.MapFile{Data: []byte(f)}
		}
		m.opt.Rules = all
	}
}

// withUptime has a second clock, which goes with the first.
func withUptime(m *Machine) { m.opt.Clock = m.Clock.Options() }

func queued(queue, group int) func(*Machine) {
	return func(m *Machine) { m.hooks.Queue, m.hooks.Group = queue, group }
}

func smallFiles(m *Machine) { m.segment = 32 << 10 }

func remembering(bytes int) func(*Machine) {
	return func(m *Machine) {
		m.opt.Caps.Memory, m.opt.Caps.SessionMemory, m.opt.Caps.PrincipalMemory = bytes, bytes, bytes
	}
}

func all(changes ...func(*Machine)) func(*Machine) {
	return func(m *Machine) {
		for _, f := range changes {
			f(m)
		}
	}
}

// worlds are those that each script is run in. The first is the one that the
// others are compared with.
var worlds = []world{
	{name: "in memory", change: inMemory},
	{name: "on a disk"},
	{name: "on the machine's disk", real: true},
	{name: "one update a commit", change: queued(0, 1)},
	{name: "a short queue", change: queued(1, 0)},
	{name: "small files", change: smallFiles},
	{name: "restarted before every step", restart: always},
	{name: "restarted now and then", restart: sometimes},
	{name: "restarted now and then on the machine's disk", real: true, restart: sometimes},
	{name: "restarted, small files", change: smallFiles, restart: sometimes},
	{name: "memory for a few sessions", change: remembering(64 << 10)},
	{name: "memory for a few sessions, restarted now and then", change: remembering(64 << 10),
		restart: sometimes},
	{name: "a file for every rule", change: files(false)},
	{name: "files in the other order", change: files(true)},
	{name: "one processor", procs: 1},
	{name: "two processors", procs: 2},
	{name: "eight processors", procs: 8},
	{name: "five clients take turns", clients: 5},
	{name: "a clock of uptime, restarted now and then", change: withUptime, restart: sometimes},
	{name: "watched", watch: true},
	{name: "watched, restarted, eight processors", watch: true, restart: sometimes, procs: 8},
	{name: "other order, restarted, one update a commit",
		change: all(files(true), queued(1, 1)), restart: sometimes},
	{name: "clients, one processor, on a disk, restarted before every step", restart: always, clients: 3,
		procs: 1},
}

// play runs a script in a world and returns what there is to compare.
func (w world) play(t testing.TB, lines []line, seed uint64) (log []string, err error) {
	if w.procs > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(w.procs))
	}
	changes := []func(*Machine){func(m *Machine) { m.opt.Models.Providers = []model.Provider{parrot{}} }}
	if w.real {
		dir, err := os.MkdirTemp("", "metamorphic")
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		changes = append(changes, inFolder(dir))
	}
	if w.change != nil {
		changes = append(changes, w.change)
	}
	b := newBench(t, changes...)
	defer b.m.Close()
	a := &actor{e: b.Engine, names: map[string]string{},
		later: func(s int64) { b.m.Clock.Add(time.Duration(s) * time.Second) }}
	if w.watch {
		defer w.watchOver(a.e)()
	}
	rng := rand.New(rand.NewPCG(seed, 8))
	for i, l := range lines {
		if w.restart != nil && w.restart(i, rng) {
			b.reopen()
			a.e = b.Engine
			if err := a.e.Operations().Wait(context.Background()); err != nil {
				return nil, err
			}
		}
		if err := w.turn(a, l); err != nil {
			return nil, err
		}
	}
	if err := a.e.Journal().Verify(context.Background()); err != nil {
		return nil, err
	}
	return a.log()
}

// turn lets a client do a step; where there are several, each time another.
func (w world) turn(a *actor, l line) error {
	if w.clients == 0 {
		return a.do(l)
	}
	done := make(chan error)
	go func() { done <- a.do(l) }()
	return <-done
}

// watchOver reads, replays and verifies until stop is called.
func (w world) watchOver(e *cortex.Engine) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range e.Journal().Subscribe(ctx, e.Journal().Last()+1) { //nolint:errcheck // its error says that it has ended
			_, _ = e.Replay(ctx, cortex.ReplayOptions{}) // what they find, others check
			_ = e.Journal().Verify(ctx)
		}
	}()
	return func() { cancel(); <-ended }
}

// differs returns where two logs part, or "".
func differs(want, got []string) string {
	for i := range max(len(want), len(got)) {
		at := func(l []string) string {
			if i < len(l) {
				return l[i]
			}
			return "(nothing)"
		}
		if at(want) != at(got) {
			return fmt.Sprintf("line %d:\n  here  %s\n  there %s", i+1, at(want), at(got))
		}
	}
	return ""
}

// compare runs a script in two worlds and returns where they part, or "".
func compare(t testing.TB, one, other world, lines []line, seed uint64) string {
	want, err := one.play(t, lines, seed)
	if err != nil {
		return fmt.Sprintf("%s: %v", one.name, err)
	}
	got, err := other.play(t, lines, seed)
	if err != nil {
		return fmt.Sprintf("%s: %v", other.name, err)
	}
	return differs(want, got)
}

// shrink drops steps, many at first, as long as the script still fails.
func shrink(lines []line, fails func([]line) bool) []line {
	for size := len(lines) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(lines); {
			if less := slices.Delete(slices.Clone(lines), at, at+size); fails(less) {
				lines = less
			} else {
				at += size
			}
		}
	}
	return lines
}

// recipe is what somebody needs to see a failure again.
func recipe(one, other world, lines []line, seed uint64, why string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %q is not %q; %d steps suffice:\n", seed, other.name, one.name, len(lines))
	for _, l := range lines {
		fmt.Fprintln(&b, "  ", l)
	}
	return b.String() + why
}

// failing shrinks a script that came out differently, and tells how.
func failing(t testing.TB, one, other world, lines []line, seed uint64) (short []line, text string) {
	short = shrink(lines, func(l []line) bool { return compare(t, one, other, l, seed) != "" })
	return short, recipe(one, other, short, seed, compare(t, one, other, short, seed))
}

// scriptLength is how many steps a script has.
const scriptLength = 40

// A script comes out the same, record by record, however the engine is run.
func TestMetamorphic(t *testing.T) {
	crashtest.Long(t)
	scripts := crashtest.Number("CORTEX_METAMORPHIC", 4)
	_, seed := campaign(0)
	failures, begun, records := 0, time.Now(), 0
	for i := range uint64(scripts) {
		lines := script(seed+i, scriptLength)
		want, err := worlds[0].play(t, lines, seed+i)
		require.NoError(t, err)
		records += len(want) - len(lines)
		for _, w := range worlds[1:] {
			got, err := w.play(t, lines, seed+i)
			if err == nil && differs(want, got) == "" {
				continue
			}
			if failures++; failures > 3 {
				continue
			}
			_, text := failing(t, worlds[0], w, lines, seed+i)
			t.Errorf("%v\n%s", err, text)
		}
	}
	assert.Positive(t, records)
	report(t, "metamorphic", scripts*len(worlds), seed, failures,
		fmt.Sprintf("scripts=%d worlds=%d steps=%d records=%d seconds=%.0f", scripts, len(worlds), scripts*scriptLength,
			records, time.Since(begun).Seconds()))
}

// What scripts do is worth comparing: everything happens in some of them.
func TestMetamorphic_ScriptsReachEverything(t *testing.T) {
	crashtest.Long(t)
	seen := map[string]int{}
	for seed := range uint64(8) {
		log, err := worlds[0].play(t, script(1+seed, scriptLength), seed)
		require.NoError(t, err)
		text := strings.Join(log, "\n")
		for _, want := range []string{
			`:kind "allow"`, `:kind "ask"`, `:kind "deny"`, `:state "approved"`, `:state "denied"`, `:state "consumed"`,
			`:state "withdrawn"`, `:state "superseded"`,
			`:state "expired"`, `:state "unknown"`, "payments-stay-small", "in-doubt", "true <nil>", "kill-switch",
			"I have seen", "PREVIOUS PROPOSAL REJECTED", `:by "ana"`, "(too long)",
		} {
			seen[want] += strings.Count(text, want)
		}
	}
	for want, n := range seen {
		if want != "PREVIOUS PROPOSAL REJECTED" {
			assert.Positive(t, n, want)
		}
	}
}

// Worlds with a bug are found out, and the script that shows it becomes short.
func TestMetamorphic_NegativeControls(t *testing.T) {
	crashtest.Long(t)
	broken := func(f fault) func(*Machine) { return withFault(f) }
	for name, tt := range map[string]struct {
		world world
		shows string // a step without which the bug does not show
		most  int    // steps that suffice
	}{
		"dedupe keys are forgotten at a restart": {world{change: broken(faultForgetful), restart: always}, "say", 2},
		"a no is not kept":                       {world{change: broken(faultLostDeny)}, "deny", 4},
		"a grant is used twice":                  {world{change: broken(faultReused)}, "approve", 5},
		"a budget of another size": {world{change: func(m *Machine) {
			m.opt.Rules = rulesOf(strings.Replace(testRules, "1000)", "900)", 1))
		}}, "act", 6},
		"an hour too late": {world{change: func(m *Machine) {
			clock := m.opt.Clock.Now
			m.opt.Clock.Now = func() time.Time { return clock().Add(time.Hour) }
		}}, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			tt.world.name = name
			for seed := range uint64(40) {
				lines := script(1+seed, scriptLength)
				if compare(t, worlds[0], tt.world, lines, seed) == "" {
					continue
				}
				short, text := failing(t, worlds[0], tt.world, lines, seed)
				t.Logf("RESULT control=%q found-by=metamorphic %s", name, text)
				assert.LessOrEqual(t, len(short), tt.most)
				assert.True(t, slices.ContainsFunc(short, func(l line) bool {
					return tt.shows == "" || l.do == tt.shows || tt.shows == "act" && l.do == "say"
				}), "%v", short)
				return
			}
			require.Fail(t, "not found")
		})
	}
}
