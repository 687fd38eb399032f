package engine

// Tests that need other processes: replay elsewhere, and death by SIGKILL.

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// child runs one of this file's roles in a process of its own.
func child(t *testing.T, role string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$", "-test.v")
	cmd.Env = append(append(os.Environ(), "CORTEX_TEST_ROLE="+role), env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// TestChild is what a child process does. On its own it has nothing to do.
func TestChild(t *testing.T) {
	switch os.Getenv("CORTEX_TEST_ROLE") {
	case "replay":
		e, err := open(t.Context(), Options{Dir: os.Getenv("CORTEX_TEST_DIR"), Inspect: true})
		require.NoError(t, err)
		defer e.Close()
		got, err := e.Replay(t.Context(), ReplayOptions{})
		require.NoError(t, err)
		fmt.Printf("replayed %d differ %d\n", got.Decisions, len(got.Differences))
	case "toil":
		toilUntilKilled(t)
	}
}

// manyDecisions fills a record with decisions of every kind.
func manyDecisions(t *testing.T, b *bench, n int, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	texts := []string{"milk", "a rude word", "a secret", strings.Repeat("long ", 20), "", "x"}
	for range n {
		s := asking(fmt.Sprint("s", rng.IntN(4)), fmt.Sprint("p", rng.IntN(2)))
		var a *Action
		switch rng.IntN(4) {
		case 0:
			a = action(t, "send_money", fmt.Sprintf(`(:recipient "r%d" :amount %d)`, rng.IntN(3), rng.IntN(400)))
		case 1:
			a = action(t, []string{"risky", "never", "nope"}[rng.IntN(3)], `(:what "x")`)
		default:
			a = action(t, "note", sexpr.Plist("text", sexpr.Str(texts[rng.IntN(len(texts))])).String())
		}
		d, err := b.Decide(t.Context(), a, s)
		require.NoError(t, err)
		if d.Kind == reason.Ask && rng.IntN(2) == 0 {
			require.NoError(t, b.Approve(t.Context(), d.Approval, ana))
		}
		p, err := b.Begin(t.Context(), d)
		if err != nil || rng.IntN(10) == 0 {
			continue // refused, or left open
		}
		state := []act.State{act.Done, act.Done, act.Failed, act.Nothing, act.Unknown}[rng.IntN(5)]
		require.NoError(t, p.Finish(t.Context(), Receipt{State: state, Text: "x"}))
		b.clock.Add(int64(rng.IntN(7200)))
	}
}

// The same journal gives the same decisions in other processes, whatever the
// number of processors.
func TestI5_ReplayInOtherProcesses(t *testing.T) {
	crashtest.Long(t)
	dir := t.TempDir()
	b := newBench(t, testRules, "", func(o *Options) { o.Dir = dir })
	manyDecisions(t, b, 300, 7)
	b.intact()
	n := b.kinds()["decision"]
	require.NoError(t, b.Engine.Close())
	for _, procs := range []string{"1", "2"} {
		out, err := child(t, "replay", "CORTEX_TEST_DIR="+dir, "GOMAXPROCS="+procs).Output()
		require.NoError(t, err, string(out))
		assert.Contains(t, string(out), fmt.Sprintf("replayed %d differ 0", n))
	}
	b.reopen()
}

// Under other rules, a replay lists what would flip.
func TestReplayUnderOtherRules(t *testing.T) {
	b := newBench(t, testRules, "")
	allowed := b.decideOn("note", `(:text "milk")`)
	b.decideOn("note", `(:text "rude")`)
	book, err := reason.LoadRules(os.DirFS(writeRules(t, strings.Replace(testRules, `"rude"`, `"milk"`, 1))))
	require.NoError(t, err)
	got, err := b.Replay(t.Context(), ReplayOptions{Rules: book})
	require.NoError(t, err)
	require.Len(t, got.Differences, 2)
	assert.Equal(t, allowed.ID, got.Differences[0].Seq)
	assert.Equal(t, reason.Deny, got.Differences[0].Is.Kind)
	assert.Equal(t, reason.Allow, got.Differences[1].Is.Kind)
}

// A record whose rules call a function that this program lacks can still be
// looked at and answered; its decisions are left out of a replay, aloud.
func TestReplayWithoutTheFunctionsOfTheDay(t *testing.T) {
	dir := t.TempDir()
	odd := facts.Function{Name: "odd?", Doc: "Whether a number is odd.",
		Params: []facts.Param{{Name: "n", Type: facts.Type{Kind: facts.Int}}},
		Result: facts.Type{Kind: facts.Bool}, Cost: 1,
		Call: func(_ *skills.Case, args []any) (any, error) { return args[0].(int64)%2 != 0, nil }}
	b := newBench(t, `(deftool count :params (:n integer) :tier :ask)
(defskill s :gate ((reject odd :when (odd? action.args.n) :reason "odd")))`, "", func(o *Options) {
		o.Dir, o.Functions = dir, []facts.Function{odd}
	})
	asked := b.decideOn("count", `(:n 2)`)
	assert.Equal(t, "s/odd", b.decideOn("count", `(:n 3)`).Key)
	require.NoError(t, b.Engine.Close())

	e, err := open(t.Context(), Options{Dir: dir, Inspect: true, Clock: b.opt.Clock, Approvals: b.opt.Approvals})
	require.NoError(t, err)
	got, err := e.Replay(t.Context(), ReplayOptions{})
	require.NoError(t, err)
	assert.Equal(t, 2, got.Skipped)
	assert.Len(t, got.Others, 1)
	assert.Empty(t, got.Differences)
	require.NoError(t, e.Approve(t.Context(), asked.Approval, ana))
	require.NoError(t, e.Close())
	b.reopen()
}

func writeRules(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "r.lisp"), []byte(text), 0o600))
	return dir
}
