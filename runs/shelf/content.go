package shelf

import (
	"fmt"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/sexpr"
)

// GoalKey is the key of work that holds the goal of a run.
const GoalKey = "goal"

// Content returns kept content by its digest. Content that is missing, or is not what its digest says,
// is [ErrUnhealthy].
func (s *Shelf) Content(of event.Digest) (string, error) {
	d, err := sexpr.ParseDigest(string(of))
	if err != nil {
		return "", err
	}
	_, text, err := s.logs.Content(d)
	if err != nil {
		return "", unhealthy(err)
	}
	return text, nil
}

// Plan returns a plan that a log pinned.
func (s *Shelf) Plan(hash event.WorkflowHash) (*plans.Plan, error) {
	return s.plans.of(s, hash, plans.Load)
}

// Work reads the work that an event sets. Work that is missing or damaged is an error.
func (s *Shelf) Work(c *event.ContextSet) (w sexpr.Value, err error) {
	if c.Ref != "" {
		w, err = s.works.of(s, c.Ref, ReadJSON)
	} else {
		w, err = ReadJSON(c.Text)
	}
	if err != nil {
		return sexpr.EmptyObject(), fmt.Errorf("context %s: %w", c.ID, err)
	}
	return w, nil
}

// ReadJSON reads JSON that was measured before it was kept. Its limits are above what may be kept, so
// that nothing goes on record that cannot be read again.
func ReadJSON(text []byte) (sexpr.Value, error) {
	limits := sexpr.Limits{Depth: 2 * work.MaxDepth, Atoms: work.MaxBytes, String: work.MaxBytes}
	return sexpr.Reader{Limits: limits}.FromJSON("", text)
}

// Snapshot reads the state of the plan at a node.
func (s *Shelf) Snapshot(node *fold.Node) (state.State, error) {
	at, err := s.snapshots.of(s, node.Snapshot, state.Decode)
	if err != nil {
		return nil, fmt.Errorf("the snapshot of node %s: %w", node.ID, err)
	}
	return at, nil
}

// Artifacts are those of the attempt that led to a node.
func (s *Shelf) Artifacts(log *fold.State, node *fold.Node) (out []sexpr.Value, err error) {
	for _, o := range log.Current(node, event.Artifact) {
		text, err := s.Content(o.Payload.SHA256)
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", o.ID, err)
		}
		v, err := ReadJSON([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", o.ID, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// Goal is the goal that a run was started with. An agent may have changed the key since.
func (s *Shelf) Goal(log *fold.State) (string, error) {
	if log.Initial == nil {
		return "", logs.ErrNoEvent
	}
	w, err := s.Work(log.Initial)
	return w.GetText(GoalKey), err
}
