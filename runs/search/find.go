package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Run is what is known of a run, as far as one searches for it.
type Run struct {
	Session, ID string // of the log, and of the run
	Label       string // as it stands in tickets
	Owner       string // the principal
	Last        uint64 // the record of the last append to the log
	Complete    bool   // nothing is left to do at the preferred tip

	Words    Set    // of the notes on the way to the preferred tip, and of the goal
	Workflow Set    // the words of its id and its name
	Branch   string // that it began on, as the host saw it; likewise:
	SHA      string // the commit, 40 hexadecimal digits
	Root     string // the SHA-256 of the path of the repository, in hexadecimal
}

// Query is what is searched for. What is "" finds nothing.
type Query struct {
	Text    string // words; or the id or the label of a run
	Session string
	ID      string
	Branch  string
	SHA     string

	// Owner limits the search to the runs of a principal, unless Anyones is set.
	Owner   string
	Anyones bool
	// Root limits the search to runs of this repository, if Rooted is set.
	Root   string
	Rooted bool
}

// Signal is how a run was found. The set is closed.
type Signal string

// The signals.
const (
	ByID       Signal = "matched_id"
	ByNotes    Signal = "matched_notes"       // all words are in the notes or the goal
	ByWorkflow Signal = "matched_workflow_id" // all words are in the id or the name of the workflow
	BySHA      Signal = "matched_head_sha"
	ByBranch   Signal = "matched_branch"   // the same branch, or one whose name goes on after it
	ByRecency  Signal = "recency_fallback" // nothing else
)

// Tiers is the order of signals, the best first.
type Tiers string

// The orders. An id is always first, and recency last.
const (
	WordsFirst Tiers = ""       // notes, workflow, commit, branch: the words of users win
	Locked     Tiers = "locked" // commit, branch, notes, workflow: as the seed has it
)

// Check returns an error if t is not one of the orders.
func (t Tiers) Check() error {
	if t != WordsFirst && t != Locked {
		return fmt.Errorf("tiers %q: want %q or none", string(t), string(Locked))
	}
	return nil
}

func (t Tiers) order() []Signal {
	if t == Locked {
		return []Signal{ByID, BySHA, ByBranch, ByNotes, ByWorkflow}
	}
	return []Signal{ByID, ByNotes, ByWorkflow, BySHA, ByBranch}
}

// Match is a run that was found, and by what: the best signal first.
type Match struct {
	*Run
	Why  []Signal
	tier int
}

// query is a Query made ready.
type query struct {
	Query
	words Set
	order []Signal
}

// may says whether a run is among those that are searched.
func (q *query) may(r *Run) bool {
	return (q.Anyones || r.Owner == q.Owner) && (!q.Rooted || q.Root != "" && r.Root == q.Root)
}

// by says whether a signal finds a run.
func (q *query) by(s Signal, r *Run) bool {
	switch s {
	case ByID:
		return q.named(r)
	case ByNotes:
		return r.Words.Has(q.words)
	case ByWorkflow:
		return r.Workflow.Has(q.words)
	case BySHA:
		return q.SHA != "" && r.SHA == q.SHA
	case ByBranch:
		return q.Branch != "" && strings.HasPrefix(r.Branch, q.Branch)
	case ByRecency:
	}
	return false
}

// named says whether the query has the id of a run. Where it has two, both must be the run's.
func (q *query) named(r *Run) bool {
	if q.Session+q.ID != "" {
		return (q.Session == "" || q.Session == r.Session) && (q.ID == "" || q.ID == r.ID)
	}
	text := strings.TrimSpace(q.Text)
	return text != "" && (text == r.Session || text == r.ID || text == r.Label)
}

// Find returns the runs that may be meant, in order: by the best signal that finds each; then those
// that are not complete; then the one that was appended to last; then by the name of the log. What
// no signal finds comes behind, by recency.
func Find(runs []Run, q Query, t Tiers) (out []Match) {
	ready := &query{q, SetOf(q.Text), t.order()}
	for i := range runs {
		if ready.may(&runs[i]) {
			out = append(out, ready.match(&runs[i]))
		}
	}
	slices.SortFunc(out, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.tier, b.tier), cmp.Compare(number(a.Complete), number(b.Complete)),
			cmp.Compare(b.Last, a.Last), strings.Compare(a.Session, b.Session))
	})
	return out
}

// match is all that finds a run.
func (q *query) match(r *Run) Match {
	m := Match{Run: r, tier: len(q.order)}
	for i, s := range q.order {
		if q.by(s, r) {
			m.Why, m.tier = append(m.Why, s), min(m.tier, i)
		}
	}
	if m.Why == nil {
		m.Why = []Signal{ByRecency}
	}
	return m
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
