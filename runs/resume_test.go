package runs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/search"
	"github.com/opencortex-go/cortex/runs/tools"
)

// resume asks for candidates, and sees that this writes nothing.
func (b *bench) resume(by Caller, params string) *tools.Candidates {
	b.t.Helper()
	before := b.e.Journal().Head()
	out, err := b.call(by, tools.Resume, params)
	if err != nil {
		require.NoError(b.t, err, err.Because(nil).Error())
	}
	require.Equal(b.t, before, b.e.Journal().Head(), "it only reads")
	return out.(*tools.Candidates)
}

// labels are the runs that were found, in order.
func labels(b *bench, c *tools.Candidates) (out []string) {
	for _, x := range c.Candidates {
		out = append(out, string(event.Label(event.SessionID(x.SessionID), event.WorkflowID(x.Workflow))))
	}
	return out
}

// sees makes a host that sees the same of each folder.
func sees(branch, sha, root string) func(context.Context, string) []*event.ObservationRecorded {
	one := func(key, kind, value string) *event.ObservationRecorded {
		return &event.ObservationRecorded{Name: key, Value: event.Observed{Type: kind, Value: value}, Confidence: "high"}
	}
	return func(_ context.Context, workspace string) []*event.ObservationRecorded {
		hash := strings.TrimPrefix(string(event.DigestOf([]byte(root+workspace))), "sha256:")
		return []*event.ObservationRecorded{one("git_branch", "short_string", branch), one("git_head_sha", "git_sha1", sha),
			one("repo_root", "path", root+workspace), one("repo_root_hash", "sha256", hash)}
	}
}

func TestT74_AllWordsOfTheNotes(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	rep := b.start("acme.notes", "")
	b.notes(rep.ContinueToken, "The login now goes through OAuth.")
	other := b.start("acme.notes", "")
	b.notes(other.ContinueToken, "The login page is white.")
	got := b.resume(agent, `{"query":"oauth LOGIN"}`)
	require.Len(t, got.Candidates, 2)
	first := got.Candidates[0]
	assert.Equal(t, rep.Run.RunID, first.RunID)
	assert.Equal(t, []string{"matched_notes"}, first.Why)
	assert.Equal(t, "strong", first.Confidence)
	assert.Equal(t, "get it done", first.Title)
	assert.Equal(t, "The login now goes through OAuth.", first.Snippet)
	assert.Equal(t, "two", first.Pending)
	assert.False(t, first.IsComplete)
	assert.Equal(t, []string{"recency_fallback"}, got.Candidates[1].Why, "one word is missing")
	for query, why := range map[string]string{"auth": "recency_fallback", "": "recency_fallback",
		"...": "recency_fallback", "done": "matched_notes", "acme": "matched_workflow_id", rep.Run.Label: "matched_id"} {
		assert.Equal(t, why, b.resume(agent, `{"query":"`+query+`"}`).Candidates[0].Why[0], query)
	}

	next := first.NextCall
	assert.Equal(t, tools.Continue, next.Tool)
	assert.Equal(t, map[string]string{"continueToken": first.Token, "intent": "rehydrate"}, next.Params)
	again := b.reply(next.Tool, textOf(next.Params))
	assert.Equal(t, rep.Run.RunID, again.Run.RunID)
	assert.Contains(t, again.Recovery, "The login now goes through OAuth.")
	assert.True(t, b.notes(again.ContinueToken, "did two").IsComplete)
	assert.True(t, b.resume(agent, `{"query":"oauth login"}`).Candidates[0].IsComplete)
}

func TestT75_WordsOrTheCommitFirst(t *testing.T) {
	sha := strings.Repeat("a", 40)
	for _, tiers := range []search.Tiers{search.WordsFirst, search.Locked} {
		b := newBench(t, Options{Tiers: tiers}, flow("acme.notes", twoSteps))
		worded := b.start("acme.notes", "")
		b.notes(worded.ContinueToken, "oauth")
		b.opt.Observe = sees("feature/login", sha, "/home")
		b.open()
		onCommit := b.start("acme.notes", `,"workspacePath":"/w"`)
		got := b.resume(agent, `{"query":"oauth","gitHeadSha":"`+sha+`","gitBranch":"feature"}`)
		require.Len(t, got.Candidates, 2)
		at := map[string]tools.Candidate{}
		for _, c := range got.Candidates {
			at[c.RunID] = c
		}
		assert.Equal(t, []string{"matched_head_sha", "matched_branch"}, at[onCommit.Run.RunID].Why)
		assert.Equal(t, []string{"matched_notes"}, at[worded.Run.RunID].Why)
		want := map[search.Tiers]string{search.WordsFirst: worded.Run.RunID, search.Locked: onCommit.Run.RunID}
		assert.Equal(t, want[tiers], got.Candidates[0].RunID)

		same := b.resume(agent, `{"workspacePath":"/w","sameWorkspaceOnly":true}`)
		require.Equal(t, 1, same.Total)
		assert.Equal(t, onCommit.Run.RunID, same.Candidates[0].RunID)
		assert.Empty(t, b.resume(agent, `{"workspacePath":"/else","sameWorkspaceOnly":true}`).Candidates)
	}
}

func TestT76_WhatWentOnLastComesFirst(t *testing.T) {
	b := newBench(t, Options{}, rounds(100), flow("acme.notes", twoSteps))
	old := longRun(b, 60, 10)
	short := b.start("acme.notes", "")
	got := b.resume(agent, `{}`)
	assert.Equal(t, []string{short.Run.Label, old.Run.Label}, labels(b, got), "it has fewer events, and is newer")
	b.notes(old.ContinueToken, "one more")
	assert.Equal(t, []string{old.Run.Label, short.Run.Label}, labels(b, b.resume(agent, `{}`)))
	done := b.notes(b.notes(short.ContinueToken, "did one").ContinueToken, "did two")
	require.True(t, done.IsComplete)
	assert.Equal(t, []string{old.Run.Label, short.Run.Label}, labels(b, b.resume(agent, `{}`)), "what is complete is last")
}

func TestT77_FiveOfSeven(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	long := "found " + strings.Repeat("é", 1497) // 3,000 bytes
	for range 7 {
		b.notes(b.start("acme.notes", "").ContinueToken, long)
	}
	got := b.resume(agent, `{"query":"found"}`)
	assert.Len(t, got.Candidates, 5)
	assert.Equal(t, 7, got.Total)
	for _, c := range got.Candidates {
		assert.Equal(t, []string{"matched_notes"}, c.Why)
		assert.LessOrEqual(t, len(c.Snippet), 2048)
		assert.True(t, strings.HasSuffix(c.Snippet, canon.Marker))
	}
	b.notes(b.start("acme.notes", "").ContinueToken, strings.Repeat("x ", 3000)) // is cut, with a mark
	assert.Equal(t, []string{"recency_fallback"}, b.resume(agent, `{"query":"truncated"}`).Candidates[0].Why)
}

func TestT77_WhatIsSupersededIsNotFound(t *testing.T) {
	for _, begun := range []bool{true, false} {
		b := newBench(t, Options{}, flow("acme.notes", twoSteps))
		rep := b.notes(b.start("acme.notes", "").ContinueToken, "mistaken")
		if begun { // the index is there before
			assert.Equal(t, []string{"matched_notes"}, b.resume(agent, `{"query":"mistaken"}`).Candidates[0].Why)
		}
		log := b.log(rep)
		old := log.Tip().Outputs[0]
		attempt := event.Mint[event.AttemptID]()
		b.append(log, event.New(log.Session, event.Scope{Run: log.Run, Node: log.Root.ID}, &event.NodeOutputAppended{
			ID: event.RecapID(attempt), Supersedes: old.ID, Channel: event.Recap, Attempt: attempt, To: log.Tip().ID,
			Payload: event.Payload{Kind: "notes", Notes: "corrected"}}))
		assert.Equal(t, []string{"recency_fallback"}, b.resume(agent, `{"query":"mistaken"}`).Candidates[0].Why)
		assert.Equal(t, []string{"matched_notes"}, b.resume(agent, `{"query":"corrected"}`).Candidates[0].Why)
	}
}

func TestRunsOfOthersAreNotOffered(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	rep := b.start("acme.notes", "")
	session := b.log(rep).Session
	other := Caller{Principal: "other"}
	for _, params := range []string{`{}`, `{"query":"` + rep.Run.Label + `"}`, `{"sessionId":"` + string(session) + `"}`} {
		got := b.resume(other, params)
		assert.Empty(t, got.Candidates)
		assert.Zero(t, got.Total)
	}
	assert.Equal(t, 1, b.resume(Caller{Principal: "ana", Person: true}, `{}`).Total, "a person sees all")
	require.NoError(t, b.Give(t.Context(), ana, session, "other"))
	assert.Zero(t, b.resume(agent, `{}`).Total)
	assert.Equal(t, 1, b.resume(other, `{}`).Total)
	require.NoError(t, b.Delete(t.Context(), ana, session))
	assert.Zero(t, b.resume(other, `{}`).Total)
}

// The index goes along with what is appended, and finds what one finds that reads all anew.
func TestTheIndexAgainstOneThatReadsAll(t *testing.T) {
	steps := 40
	if testing.Short() {
		steps = 15
	}
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 7))
		b := newBench(t, Options{Cached: 2}, rounds(4))
		var tickets []string
		for range steps {
			switch n := r.IntN(8); {
			case n == 0 || len(tickets) == 0:
				tickets = append(tickets, b.start("acme.long", "").ContinueToken)
			case n == 1:
				b.reply(tools.Checkpoint, `{"checkpointToken":"`+tickets[r.IntN(len(tickets))]+`","notes":"mark"}`)
			case n == 2: // an old place again, from which another way goes
				if rep := b.read(tickets[r.IntN(len(tickets))]); rep.ContinueToken != "" {
					tickets = append(tickets, rep.ContinueToken)
				}
			default:
				rep := b.notes(tickets[r.IntN(len(tickets))], fmt.Sprint("word", r.IntN(9), " word", r.IntN(9)))
				if rep.ContinueToken != "" {
					tickets = append(tickets, rep.ContinueToken)
				}
			}
			fresh, err := New(b.opt)
			require.NoError(t, err)
			for _, by := range []Caller{agent, {Principal: "ana", Person: true}} {
				got, err := b.shelf.Searchable(t.Context(), by.Principal, by.Person)
				require.NoError(t, err)
				want, err := fresh.shelf.Searchable(t.Context(), by.Principal, by.Person)
				require.NoError(t, err)
				require.Equal(t, want, got, "seed %d", seed)
			}
		}
	}
}
