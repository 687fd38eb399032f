package engine

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// diary is a reading that writes down what entered, one entry a line.
type diary struct {
	lines []string
	count func()
}

func (d *diary) Enter(e skills.Entry) {
	d.count()
	switch c := e.Turn.Call; {
	case c != nil:
		d.lines = append(d.lines, fmt.Sprintf("%d %s gave %s %s", e.Ref, c.Tool, c.Result, c.Error))
	default:
		d.lines = append(d.lines, fmt.Sprintf("%d said %q unnamed %t", e.Ref, e.Turn.User, e.Unnamed))
	}
}

func (d *diary) Bytes() int { return 100 * len(d.lines) }

const diaryRules = testRules + `
(defskill watch
  :gate ((deny warned :when (contains? (diary) "beware") :reason "it was warned")
         (deny part :when (and (= (get action.args.text "") "whole?") (not session.whole)) :reason "in part")
         (deny whole :when (= (get action.args.text "") "whole?") :reason "whole")))
`

// diaries gives a bench's rules a function that reads the diary of the session, and
// counts what was entered in all diaries.
func diaries(n *int) func(*Options) {
	var mu sync.Mutex
	count := func() { mu.Lock(); *n++; mu.Unlock() }
	return func(o *Options) {
		o.Functions = append(o.Functions, facts.Function{Name: "diary", Result: facts.Type{Kind: facts.String}, Doc: "All.",
			Call: func(c *skills.Case, _ []any) (any, error) {
				r, err := c.Reading(skills.Reader{Name: "diary", Blank: func(*skills.Session) skills.Reading {
					return &diary{count: count}
				}})
				if err != nil {
					return nil, err
				}
				return strings.Join(r.(*diary).lines, "\n"), nil
			}})
	}
}

// A reading takes in each entry of a session once, however many decisions are made, and
// is made again from the record after a restart. A replay finds the same.
func TestReadingIsIncrementalAndReplays(t *testing.T) {
	n := 0
	dir := t.TempDir()
	b := newBench(t, diaryRules, "", diaries(&n), func(o *Options) { o.Dir = dir })
	b.say("hello")
	for i := range 20 {
		d := b.decideOn("look", fmt.Sprintf(`(:text "%d")`, i))
		require.Equal(t, reason.Allow, d.Kind)
		p, err := b.Begin(t.Context(), d)
		require.NoError(t, err)
		require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done, Result: sexpr.Str(fmt.Sprint("saw ", i))}))
	}
	assert.Equal(t, 20, n, "the message and 19 results were entered, each once")
	b.reopen()
	n = 0
	d := b.decideOn("look", `(:text "after")`)
	require.Equal(t, reason.Allow, d.Kind)
	assert.Equal(t, 21, n, "all of it once more, from the record")
	p, err := b.Begin(t.Context(), d)
	require.NoError(t, err)
	require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done, Result: sexpr.Str("beware")}))
	d = b.decideOn("look", `(:text "more")`)
	assert.Equal(t, "watch/warned", d.Key)

	n = 0
	got, err := b.Replay(t.Context(), ReplayOptions{})
	require.NoError(t, err)
	assert.Zero(t, got.Flips)
	assert.Equal(t, 22, got.Decisions)
	assert.LessOrEqual(t, n, 2*22, "a replay goes on from decision to decision")
}

// A call that may have run, and whose result is not on record, leaves a session in part.
func TestSessionIsWholeOnlyWithEveryResult(t *testing.T) {
	n := 0
	b := newBench(t, diaryRules, "", diaries(&n))
	whole := func() bool { return b.decideOn("look", `(:text "whole?")`).Key == "watch/whole" }
	first := b.decideOn("look", `(:text "a")`)
	assert.False(t, whole(), "what it returned is not known")
	p, err := b.Begin(t.Context(), first)
	require.NoError(t, err)
	require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done, Result: sexpr.Str("x")}))
	assert.True(t, whole(), "the decision was made again, on the same action, and that was finished")
	got, err := b.Replay(t.Context(), ReplayOptions{})
	require.NoError(t, err)
	assert.Zero(t, got.Flips)
	assert.Equal(t, 4, got.Decisions)
}

// Decisions made at once in one session see the same session, each with a reading of its own.
func TestReadingsOfDecisionsAtOnce(t *testing.T) {
	n := 0
	b := newBench(t, diaryRules, "", diaries(&n))
	b.say("hello")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 5 {
				d, err := b.Decide(t.Context(), action(t, "look", fmt.Sprintf(`(:text "%d %d")`, i, k)), asking("s1", "agent"))
				if assert.NoError(t, err) {
					assert.Equal(t, reason.Allow, d.Kind)
				}
			}
		})
	}
	wg.Wait()
	got, err := b.Replay(t.Context(), ReplayOptions{})
	require.NoError(t, err)
	assert.Zero(t, got.Flips)
	b.intact()
}
