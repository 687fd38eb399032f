package runs

import (
	"context"
	"errors"
	"iter"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/shelf"
)

// Summary is a run in a list, for people.
type Summary struct {
	Label    string      `json:"label"`
	Session  string      `json:"sessionId"`
	Run      string      `json:"runId"`
	Workflow string      `json:"workflowId"`
	Goal     string      `json:"goal"`
	Status   fold.Status `json:"status"` // "" for a log that is not healthy
	Step     string      `json:"pendingStep,omitempty"`
	Owner    string      `json:"owner"`
	Kept     bool        `json:"kept,omitempty"`
	At       int64       `json:"lastAppend"` // Unix nanoseconds
	Health   string      `json:"health"`
	Last     uint64      `json:"-"` // the record of the last append
}

// Shown is a run as people look at it.
type Shown struct {
	Summary
	Preferences event.Preferences `json:"preferences"`
	Plan        string            `json:"planHash"` // of the plan that the run is pinned to
	// Drift is the hash of the plan that a start would run today, if it is another; "" if it is the
	// same, or if the workflow is not there any more.
	Drift string   `json:"planToday,omitempty"`
	Nodes []*Point `json:"nodes"` // as created; parents before children
	Gaps  []Gap    `json:"gaps,omitempty"`
	Work  string   `json:"work,omitempty"` // canonical JSON
	// Damage says what cannot be read. What is shown is then what was sound before it.
	Damage string `json:"damage,omitempty"`
}

// Point is a node of a run.
type Point struct {
	ID        string          `json:"nodeId"`
	Parent    string          `json:"parentNodeId,omitempty"`
	Kind      event.NodeKind  `json:"kind"`
	Due       string          `json:"due,omitempty"` // the step instance that is due here; "" at the end
	Cause     event.CauseKind `json:"cause,omitempty"`
	Tip       bool            `json:"preferredTip,omitempty"`
	Notes     []string        `json:"notes,omitempty"`
	Artifacts []string        `json:"artifacts,omitempty"` // digests
	Blockers  []state.Blocker `json:"blockers,omitempty"`
}

// Gap is a gap of a run.
type Gap struct {
	ID       string         `json:"gapId"`
	Node     string         `json:"nodeId"`
	Severity event.Severity `json:"severity"`
	Reason   string         `json:"reason"` // category:detail
	Summary  string         `json:"summary"`
	Resolved bool           `json:"resolved,omitempty"`
}

// Each goes through the runs, the one that was appended to last first, damaged ones included: all for 0, else those
// whose last append is the record from or an earlier one.
func (r *Runs) Each(ctx context.Context, from uint64) iter.Seq2[Summary, error] {
	return func(yield func(Summary, error) bool) {
		heads, err := r.logs.List(ctx)
		if err != nil {
			yield(Summary{}, err)
			return
		}
		for _, h := range heads {
			if h.Family != event.Family || from > 0 && h.Last > from {
				continue
			}
			s, err := r.summary(ctx, h)
			if errors.Is(err, logs.ErrNoLog) { // deleted meanwhile
				continue
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

func (r *Runs) summary(ctx context.Context, h logs.Head) (s Summary, err error) {
	s = Summary{Session: h.Log, Owner: h.Owner, Kept: h.Exempt, At: h.At, Last: h.Last, Health: string(logs.Healthy)}
	err = r.shelf.Read(ctx, event.SessionID(h.Log), func(log *fold.State) error {
		return r.describe(log, &s)
	})
	if errors.Is(err, shelf.ErrUnhealthy) {
		s.Health, err = "damaged", nil
	}
	return s, err
}

// describe fills what the log says of itself.
func (r *Runs) describe(log *fold.State, s *Summary) error {
	if log.Started == nil || log.Root == nil {
		return nil
	}
	s.Label, s.Run, s.Workflow = refOf(log).Label, string(log.Run), string(log.Started.Workflow)
	p, err := r.place(log, log.Tip())
	if err != nil {
		return err
	}
	_, complete := p.at.(state.Complete)
	s.Status, s.Goal = log.Status(complete), p.work.GetText(shelf.GoalKey)
	if pos, ok := position(p.at); ok {
		s.Step = string(pos.Pending.Key())
	}
	return nil
}

// Show returns a run with all its branches. Of a damaged log it shows what is sound, and says so.
func (r *Runs) Show(ctx context.Context, session event.SessionID) (*Shown, error) {
	head, err := r.logs.Head(string(session))
	if err != nil {
		return nil, err
	}
	log, damage, err := shelf.Prefix(ctx, r.logs, session)
	if err != nil {
		return nil, err
	}
	out := &Shown{Summary: Summary{Session: head.Log, Owner: head.Owner, Kept: head.Exempt, At: head.At,
		Health: string(damage.Condition)}, Nodes: []*Point{}}
	if damage.Err != nil {
		out.Damage = damage.Err.Error()
	}
	if err := r.describe(log, &out.Summary); err != nil || log.Root == nil {
		return out, errors.Join(err)
	}
	if out.Damage != "" {
		out.Status = ""
	}
	tip := log.Tip()
	out.Preferences, out.Plan = tip.Preferences(), string(log.Started.Hash)
	if flow, err := r.opt.Library.Find(out.Workflow); err == nil && flow.Plan.Hash().String() != out.Plan {
		out.Drift = flow.Plan.Hash().String()
	}
	for _, n := range log.Nodes() {
		p, err := r.point(log, n)
		if err != nil {
			return nil, err
		}
		p.Tip = n == tip
		out.Nodes = append(out.Nodes, p)
	}
	for _, g := range log.Gaps() {
		if g.Resolution.Kind == "unresolved" {
			out.Gaps = append(out.Gaps, Gap{string(g.ID), string(g.Node), g.Severity, g.Reason.Category + ":" + g.Reason.Detail,
				g.Summary, g.Resolved})
		}
	}
	if c := log.Context; c != nil && c.Ref != "" {
		out.Work, err = r.shelf.Content(c.Ref)
	}
	return out, err
}

// Views are a run's plan as it is written today, as it compiles today, and as the run is pinned to
// it. The first two are "" if the library does not have the workflow.
type Views struct {
	Source   string `json:"source,omitempty"`
	Compiled string `json:"compiled,omitempty"` // canonical JSON
	Pinned   string `json:"pinned"`             // canonical JSON
	Drift    bool   `json:"drift"`              // what compiles today is not what the run is pinned to
}

// Plan returns the views of a run's plan.
func (r *Runs) Plan(ctx context.Context, session event.SessionID) (v Views, err error) {
	log, _, err := shelf.Prefix(ctx, r.logs, session)
	if err != nil || log.Started == nil {
		return v, err
	}
	if v.Pinned, err = r.shelf.Content(log.Started.Hash); err != nil {
		return v, err
	}
	if flow, err := r.opt.Library.Find(string(log.Started.Workflow)); err == nil {
		v.Source, v.Compiled = flow.Text, string(flow.Plan.Canonical())
		v.Drift = v.Compiled != v.Pinned
	}
	return v, nil
}

func (r *Runs) point(log *fold.State, n *fold.Node) (*Point, error) {
	p := &Point{ID: string(n.ID), Kind: n.Kind}
	if n.Parent != nil {
		p.Parent = string(n.Parent.ID)
	}
	if n.Edge != nil {
		p.Cause = n.Edge.Cause.Kind
	}
	at, err := r.shelf.Snapshot(n)
	if err != nil {
		return nil, err
	}
	if pos, ok := position(at); ok {
		p.Due = string(pos.Pending.Key())
	}
	if b, ok := at.(state.Blocked); ok {
		p.Blockers = b.Block.Blockers
	}
	for _, o := range log.Current(n, event.Recap) {
		p.Notes = append(p.Notes, o.Payload.Notes)
	}
	for _, o := range log.Current(n, event.Artifact) {
		p.Artifacts = append(p.Artifacts, string(o.Payload.SHA256))
	}
	return p, nil
}
