package engine

// Tests that need other processes: replay elsewhere, and death by SIGKILL.

import (
	"cmp"
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
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules"
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
	if os.Getenv("CORTEX_TEST_ROLE") == "replay" {
		e, err := open(t.Context(), Options{Dir: os.Getenv("CORTEX_TEST_DIR"), Inspect: true})
		require.NoError(t, err)
		defer e.Close()
		got, err := e.Replay(t.Context(), ReplayOptions{})
		require.NoError(t, err)
		fmt.Printf("replayed %d differ %d\n", got.Decisions, len(got.Differences))
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

// Two rulebooks compared on a record differ where each, against the record, says
// something else: found here by two replays, one decision at a time.
func TestReplayComparesTwoRulebooks(t *testing.T) {
	b := newBench(t, testRules, "")
	manyDecisions(t, b, 60, 11)
	load := func(old, changed string) *rules.Rulebook {
		book, err := reason.LoadRules(os.DirFS(writeRules(t, strings.Replace(testRules, old, changed, 1))))
		require.NoError(t, err)
		return book
	}
	before, after := load(`"secret"`, `"milk"`), load("<= (+", "< (* 3 ")
	says := func(d *Decision) string {
		if d.Action == nil {
			return d.Kind.String() + " " + d.Key
		}
		return d.Kind.String() + " " + d.Key + " " + d.Action.Canonical()
	}
	under := func(book *rules.Rulebook) map[uint64]string {
		got, err := b.Replay(t.Context(), ReplayOptions{Rules: book})
		require.NoError(t, err)
		out := map[uint64]string{}
		for _, d := range got.Differences {
			out[d.Seq] = says(d.Is)
		}
		return out
	}
	want, by := map[uint64][2]string{}, [2]map[uint64]string{under(before), under(after)}
	require.NoError(t, b.Journal().Records(1, func(r Record) error {
		if r.Kind != record.KindDecision {
			return nil
		}
		d, err := record.DecisionFrom(r)
		require.NoError(t, err)
		pair := [2]string{cmp.Or(by[0][r.Seq], says(d)), cmp.Or(by[1][r.Seq], says(d))}
		if pair[0] != pair[1] {
			want[r.Seq] = pair
		}
		return nil
	}))
	require.NotEmpty(t, by[0], "the rulebooks differ from the record")
	require.NotEmpty(t, by[1])

	got := map[uint64][2]string{}
	out, err := b.Replay(t.Context(), ReplayOptions{Before: before, Rules: after, Most: 1, Each: func(d Difference) {
		got[d.Seq] = [2]string{says(d.Was), says(d.Is)}
	}})
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Len(t, out.Differences, 1)
	assert.Equal(t, len(want), out.Flips)

	out, err = b.Replay(t.Context(), ReplayOptions{Before: after, Rules: after})
	require.NoError(t, err)
	assert.Empty(t, out.Differences)
	_, err = b.Replay(t.Context(), ReplayOptions{Before: after})
	assert.ErrorContains(t, err, "no Rules")
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
(defskill s :gate ((deny odd :when (odd? action.args.n) :reason "odd")))`, "", func(o *Options) {
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
