package engine

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// coverRules ask about what a text chose, unless a person has covered it.
const coverRules = `
(deftool read_list :params (:name string) :effect :none :tier :allow)
(deftool mail :params (:to string) :required (:to) :tier :allow :effect :external :class :comm :roles (:to :principal))
(deftool call :params (:to string) :required (:to) :tier :allow :effect :external :class :comm :roles (:to :principal))
(defskill told
  :gate ((deny banned :when (and (in action.tool ("mail" "call")) (= action.args.to "mallory@list.example")))
         (ask text :when (and (in action.tool ("mail" "call"))
                              (in (origin action.args.to) ("prose" "zone"))
                              (not (covered?)))
           :approvers :operator)
         (ask both :when (and (= action.tool "call") (in (origin action.args.to) ("prose" "zone")) (not (covered?)))
           :approvers :finance)))
`

// coverBench has a session with two lists of people.
func coverBench(t *testing.T) *bench {
	b := newBench(t, coverRules, "", func(o *Options) { o.Dir = t.TempDir() })
	for _, s := range []string{"s1", "s2"} {
		b.ran(s, "read_list", sexpr.Plist("name", "a"), Receipt{State: act.Done, Result: sexpr.Str(
			"These are new: a@list.example, b@list.example, c@list.example, d@list.example, mallory@list.example.")})
		b.ran(s, "read_list", sexpr.Plist("name", "b"), Receipt{State: act.Done, Result: sexpr.Str(
			"These are old: z@list.example, y@list.example.")})
	}
	return b
}

// tells decides on a message to somebody, and carries it out if it is allowed.
func (b *bench) tells(session, who, tool, to string) *Decision {
	b.t.Helper()
	a := action(b.t, tool, fmt.Sprintf(`(:to "%s@list.example")`, to))
	d, err := b.Decide(b.t.Context(), a, asking(session, who))
	require.NoError(b.t, err)
	if d.Kind == reason.Allow {
		p, err := b.Begin(b.t.Context(), d)
		require.NoError(b.t, err)
		require.NoError(b.t, p.Finish(b.t.Context(), Receipt{State: act.Done, Result: sexpr.Str("sent")}))
	}
	return d
}

func (b *bench) covers(session string) []Cover {
	b.t.Helper()
	out, err := b.Approvals().Covers(b.t.Context(), session)
	require.NoError(b.t, err)
	return out
}

func TestACoverSparesQuestionsOfItsKind(t *testing.T) {
	b := coverBench(t)
	first := b.tells("s1", "agent", "mail", "a")
	require.NotEmpty(t, first.Approval)
	require.NoError(t, b.Approvals().ApproveAndCover(t.Context(), first.Approval, ana, CoverTerms{Calls: 3,
		For: 10 * time.Minute}))
	require.Len(t, b.covers("s1"), 1)
	assert.Equal(t, 3, b.covers("s1")[0].Left)

	assert.Equal(t, "told/banned", b.tells("s1", "agent", "mail", "mallory").Key, "a denial stays one")
	assert.NotEmpty(t, b.tells("s1", "agent", "mail", "z").Approval, "another source")
	assert.NotEmpty(t, b.tells("s1", "agent", "call", "b").Approval, "another tool")
	assert.NotEmpty(t, b.tells("s1", "other", "mail", "b").Approval, "another principal")
	assert.NotEmpty(t, b.tells("s2", "agent", "mail", "b").Approval, "another session")

	assert.True(t, b.tells("s1", "agent", "mail", "a").Kind == reason.Allow, "the approved one")
	b.reopen()
	assert.NotEmpty(t, b.tells("s1", "agent", "mail", "a").Approval, "an approval is used once")
	assert.True(t, b.tells("s1", "agent", "mail", "b").Kind == reason.Allow)
	assert.Equal(t, 1, b.covers("s1")[0].Left)
	assert.True(t, b.tells("s1", "agent", "mail", "c").Kind == reason.Allow)
	assert.Empty(t, b.covers("s1"), "it is used up")
	assert.NotEmpty(t, b.tells("s1", "agent", "mail", "d").Approval)
	b.intact()
}

func TestACoverEnds(t *testing.T) {
	for name, end := range map[string]func(*bench){
		"with its time": func(b *bench) { b.clock.Add(601) },
		"when it is taken back": func(b *bench) {
			id := b.covers("s1")[0].ID
			assert.ErrorIs(b.t, b.Approvals().Uncover(b.t.Context(), "s1", id, approval.Approver{Name: "eve"}),
				approval.ErrNotApprover)
			require.NoError(b.t, b.Approvals().Uncover(b.t.Context(), "s1", id, ana))
			assert.ErrorContains(b.t, b.Approvals().Uncover(b.t.Context(), "s1", id, ana), "no cover")
		},
		"with its session": func(b *bench) {
			require.NoError(b.t, b.Operations().EndSession(b.t.Context(), "s1", ana))
			b.ran("s1", "read_list", sexpr.Plist("name", "a"),
				Receipt{State: act.Done, Result: sexpr.Str("These are new: b@list.example.")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := coverBench(t)
			d := b.tells("s1", "agent", "mail", "a")
			require.NoError(t, b.Approvals().ApproveAndCover(t.Context(), d.Approval, ana, CoverTerms{Calls: 5,
				For: 10 * time.Minute}))
			require.Equal(t, reason.Allow, b.tells("s1", "agent", "mail", "a").Kind)
			end(b)
			assert.Empty(t, b.covers("s1"))
			assert.NotEmpty(t, b.tells("s1", "agent", "mail", "b").Approval)
		})
	}
}

func TestWhoMayCover(t *testing.T) {
	b := coverBench(t)
	d := b.tells("s1", "agent", "call", "a")
	cover := func(who approval.Approver, n int, long time.Duration) error {
		return b.Approvals().ApproveAndCover(t.Context(), d.Approval, who, CoverTerms{Calls: n, For: long})
	}
	assert.ErrorIs(t, cover(approval.Approver{Name: "eve"}, 3, time.Minute), approval.ErrNotApprover)
	assert.ErrorIs(t, cover(approval.Approver{Name: "agent"}, 3, time.Minute), approval.ErrNotApprover)
	assert.ErrorContains(t, cover(ana, 3, time.Minute), "other people have to say yes first")
	assert.Equal(t, approval.Pending, b.pending()[0].State)
	require.NoError(t, b.Approve(t.Context(), d.Approval, ana))
	for _, n := range []int{-1, 0, 1, 51} {
		assert.ErrorContains(t, cover(cho, n, time.Minute), "2 to 50 calls")
	}
	for _, long := range []time.Duration{-1, 0, 9 * time.Hour} {
		assert.ErrorContains(t, cover(cho, 3, long), "within 8 hours")
	}
	assert.Empty(t, b.covers("s1"))
	require.NoError(t, cover(cho, 3, time.Minute))
	assert.Len(t, b.covers("s1"), 1)
}

// Calls that are decided side by side do not share the last of a cover.
func TestTwoCallsDoNotShareTheLastOfACover(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		b := coverBench(t) // closed by its cleanup
		d := b.tells("s1", "agent", "mail", "a")
		require.NoError(t, b.Approvals().ApproveAndCover(t.Context(), d.Approval, ana, CoverTerms{Calls: 2,
			For: 10 * time.Minute}))
		require.True(t, b.tells("s1", "agent", "mail", "a").Kind == reason.Allow)
		var allowed, began atomic.Int32
		var wg sync.WaitGroup
		for _, to := range []string{"b", "c", "d"} {
			wg.Go(func() {
				a := action(t, "mail", fmt.Sprintf(`(:to "%s@list.example")`, to))
				d, err := b.Decide(t.Context(), a, asking("s1", "agent"))
				if assert.NoError(t, err) && d.Kind == reason.Allow {
					allowed.Add(1)
					if _, err := b.Begin(t.Context(), d); err == nil {
						began.Add(1)
					}
				}
			})
		}
		wg.Wait()
		assert.EqualValues(t, 1, allowed.Load())
		assert.LessOrEqual(t, began.Load(), int32(1), "0 if another decision made it stale")
		b.intact()
	}
}

// Under the guard one yes with a cover spares the next question of its tool, its source and
// its principal, and no other.
func TestACoverSparesTheGuardsQuestions(t *testing.T) {
	dir := t.TempDir()
	b := newBench(t, "", "", withGuard(t), func(o *Options) { o.Dir = dir })
	b.happens(sessionOf(t, "s1", "Send a mail to the growers: we come at nine.",
		`[{"tool":"open-page","args":{"url":"https://garden.example/list"},"result":"Growers of the valley: the mill, `+
			`mill@valley.example, the farm, farm@valley.example, and the orchard, desk@orchard.example, in a corner."},`+
			`{"tool":"open-page","args":{"url":"https://garden.example/fair"},"result":"At the fair you meet the hill, `+
			`hill@fair.example, and many others from near and far."}]`, `{}`))
	mail := func(who, to, body string) *Decision {
		t.Helper()
		d, err := b.Decide(t.Context(), action(t, "send-mail", fmt.Sprintf(`(:to %q :body %q)`, to, body)), asking("s1", who))
		require.NoError(t, err)
		if d.Kind == reason.Allow {
			p, err := b.Begin(t.Context(), d)
			require.NoError(t, err)
			require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done, Result: sexpr.Str("sent")}))
		}
		return d
	}
	const body = "We come at nine."
	first := mail("agent", "desk@orchard.example", body)
	require.NotEmpty(t, first.Approval)
	assert.Equal(t, "guard-steering/told", first.Reasons[0].Key)
	assert.NotEmpty(t, mail("agent", "mill@valley.example", body).Approval, "without a cover each is a question")
	require.NoError(t, b.Approvals().ApproveAndCover(t.Context(), first.Approval, ana, CoverTerms{Calls: 3,
		For: 10 * time.Minute}))
	require.Equal(t, reason.Allow, mail("agent", "desk@orchard.example", body).Kind, "the approved one")

	assert.NotEmpty(t, mail("agent", "hill@fair.example", body).Approval, "another source")
	assert.NotEmpty(t, mail("other", "farm@valley.example", body).Approval, "another principal")
	assert.NotEmpty(t, mail("agent", "farm@valley.example", "The password is nine.").Approval, "a secret")
	share, err := b.Decide(t.Context(), action(t, "share-note", `(:id "n-1" :person "farm@valley.example")`),
		asking("s1", "agent"))
	require.NoError(t, err)
	assert.NotEqual(t, reason.Allow, share.Kind, "another tool")
	b.reopen()
	assert.Equal(t, reason.Allow, mail("agent", "farm@valley.example", body).Kind, "it is covered")
	assert.Equal(t, 1, b.covers("s1")[0].Left)
	assert.Equal(t, reason.Allow, mail("agent", "farm@valley.example", "See you.").Kind)
	assert.NotEmpty(t, mail("agent", "farm@valley.example", "Until then.").Approval, "it is used up")
	b.intact()
}
