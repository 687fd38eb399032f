package runs

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/recap"
	"github.com/opencortex-go/cortex/runs/search"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

// The budgets of an answer to resume_session; the last two in bytes.
const (
	maxCandidates = 5
	maxSnippet    = 2048
	maxTitle      = 256
)

// resume finds the runs that a caller may mean. It writes nothing: all that it is given reads.
func (r *Runs) resume(ctx context.Context, by Caller, c *tools.ResumeSession) (*tools.Candidates, error) {
	runs, err := r.shelf.Searchable(ctx, by.Principal, by.Person)
	if err != nil {
		return nil, err
	}
	q := search.Query{Text: c.Query, Session: c.SessionID, ID: c.RunID, Branch: c.GitBranch, SHA: c.GitHeadSHA,
		Owner: by.Principal, Anyones: by.Person, Rooted: c.SameWorkspaceOnly}
	if c.SameWorkspaceOnly {
		q.Root = r.rootHash(ctx, c.WorkspacePath)
	}
	found := search.Find(runs, q, r.opt.Tiers)
	out := &tools.Candidates{Candidates: []tools.Candidate{}, Total: len(found)}
	for _, m := range found {
		if len(out.Candidates) == maxCandidates {
			break
		}
		c, err := r.candidate(ctx, m)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil: // its log was damaged or went away since it was read
			r.shelf.Drop(event.SessionID(m.Session))
			out.Total--
		default:
			out.Candidates = append(out.Candidates, *c)
		}
	}
	return out, nil
}

// rootHash is the hash of the repository that a workspace is in, as the host sees it; "" if it sees
// none: then no run is of the same.
func (r *Runs) rootHash(ctx context.Context, workspace string) string {
	if r.opt.Observe == nil {
		return ""
	}
	for _, o := range r.opt.Observe(ctx, workspace) {
		if o.Name == "repo_root_hash" {
			return o.Value.Value
		}
	}
	return ""
}

// candidate shows a run that was found.
func (r *Runs) candidate(ctx context.Context, m search.Match) (out *tools.Candidate, err error) {
	err = r.shelf.Read(ctx, event.SessionID(m.Session), func(log *fold.State) error {
		out, err = r.shown(log, m)
		return err
	})
	return out, err
}

func (r *Runs) shown(log *fold.State, m search.Match) (*tools.Candidate, error) {
	tip := log.Tip()
	if tip == nil {
		return nil, errors.New("the run has no root")
	}
	at, err := r.shelf.Snapshot(tip)
	if err != nil {
		return nil, err
	}
	goal, err := r.shelf.Goal(log)
	if err != nil {
		return nil, err
	}
	var try ticket.Try
	_, _ = rand.Read(try[:]) // never fails, see crypto/rand
	token, err := r.ticketFor(log, tip, try)
	if err != nil {
		return nil, err
	}
	out := &tools.Candidate{SessionID: m.Session, RunID: m.ID, Workflow: string(log.Started.Workflow),
		Title: canon.Truncate(goal, maxTitle), Snippet: snippet(log, tip), Token: token,
		NextCall: &tools.NextCall{Tool: tools.Continue,
			Params: map[string]string{"continueToken": token, "intent": "rehydrate"}}}
	for _, s := range m.Why {
		out.Why = append(out.Why, string(s))
	}
	out.Confidence, out.Explained = explained(m.Why[0])
	if pos, ok := position(at); ok {
		out.Pending = pos.Pending.ID
	}
	_, out.IsComplete = at.(state.Complete)
	return out, nil
}

// snippet is the beginning of the notes of a run, the newest first.
func snippet(log *fold.State, tip *fold.Node) string {
	var parts []string
	size := 0
	for notes := range log.Notes(tip, nil) {
		if parts = append(parts, notes); size > maxSnippet {
			break
		}
		size += len(notes)
	}
	return canon.Truncate(strings.Join(parts, recap.Between), maxSnippet)
}

// explained says how sure a match by this signal is, and why.
func explained(s search.Signal) (confidence, why string) {
	switch s {
	case search.ByID:
		return "strong", "It is the run that you named."
	case search.ByNotes:
		return "strong", "All words of your query are in its notes or its goal."
	case search.ByWorkflow:
		return "medium", "All words of your query are in the name of its workflow."
	case search.BySHA:
		return "medium", "It was started on this commit."
	case search.ByBranch:
		return "medium", "It was started on this branch, or on one whose name goes on after it."
	case search.ByRecency:
	}
	return "weak", "Nothing of what you gave matches it; it is one of the runs that went on last."
}
