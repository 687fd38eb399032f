package event

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/plans/work"
)

// SessionCreated is the first event of a log. It says that there is one.
type SessionCreated struct{}

func (*SessionCreated) check() error       { return nil }
func (*SessionCreated) key(Scope) []string { return nil }

// RunStarted says which plan the run carries out. The hash is what counts; where the source
// came from is a note.
type RunStarted struct {
	Workflow   WorkflowID   `json:"workflowId"`
	Hash       WorkflowHash `json:"workflowHash"`
	SourceKind string       `json:"workflowSourceKind"` // bundled, user, project, remote, plugin
	SourceRef  string       `json:"workflowSourceRef"`
}

func (d *RunStarted) check() error {
	return all(bounded("workflowId", string(d.Workflow), 128), validDigest("workflowHash", d.Hash),
		oneOf("workflowSourceKind", d.SourceKind, "bundled", "user", "project", "remote", "plugin"))
}

func (*RunStarted) key(s Scope) []string { return []string{string(s.Run)} }

// NodeKind says what a node is.
type NodeKind string

// The kinds of nodes.
const (
	StepNode       NodeKind = "step"
	CheckpointNode NodeKind = "checkpoint"
	BlockedNode    NodeKind = "blocked_attempt"
)

// NodeCreated adds a node to the graph of the run.
type NodeCreated struct {
	NodeKind NodeKind     `json:"nodeKind"`
	Parent   *NodeID      `json:"parentNodeId"` // null for the root alone
	Hash     WorkflowHash `json:"workflowHash"` // the run's
	Snapshot SnapshotRef  `json:"snapshotRef"`
	// Reply is the digest of what was answered, without its ticket, where no advance has it: of a
	// start and of a checkpoint. It is kept, so that a repeat gets the same bytes.
	Reply ContentDigest `json:"replyRef,omitempty"`
}

func (d *NodeCreated) check() error {
	err := all(oneOf("nodeKind", d.NodeKind, StepNode, CheckpointNode, BlockedNode),
		validDigest("workflowHash", d.Hash), validDigest("snapshotRef", d.Snapshot))
	if err == nil && d.Reply != "" {
		err = validDigest("replyRef", d.Reply)
	}
	if err != nil || d.Parent == nil {
		return err
	}
	return validID("parentNodeId", *d.Parent)
}

func (*NodeCreated) key(s Scope) []string { return []string{string(s.Run), string(s.Node)} }

// EdgeKind says what led from a node to the next.
type EdgeKind string

// The kinds of edges. A fork is none: it is a second edge from the same node.
const (
	AckedStep      EdgeKind = "acked_step"
	CheckpointEdge EdgeKind = "checkpoint"
)

// CauseKind says why an edge came to be.
type CauseKind string

// The causes of edges.
const (
	IdempotentReplay  CauseKind = "idempotent_replay"
	IntentionalFork   CauseKind = "intentional_fork"
	NonTipAdvance     CauseKind = "non_tip_advance"
	CheckpointCreated CauseKind = "checkpoint_created"
)

// Cause is why an edge came to be, and the event that led to it.
type Cause struct {
	Kind  CauseKind `json:"kind"`
	Event ID        `json:"eventId"`
}

// EdgeCreated joins a node to the one that came of it.
type EdgeCreated struct {
	EdgeKind EdgeKind `json:"edgeKind"`
	From     NodeID   `json:"fromNodeId"`
	To       NodeID   `json:"toNodeId"`
	Cause    Cause    `json:"cause"`
}

func (d *EdgeCreated) check() error {
	err := all(oneOf("edgeKind", d.EdgeKind, AckedStep, CheckpointEdge), validID("fromNodeId", d.From),
		validID("toNodeId", d.To), validID("cause.eventId", d.Cause.Event),
		oneOf("cause.kind", d.Cause.Kind, IdempotentReplay, IntentionalFork, NonTipAdvance, CheckpointCreated))
	if err != nil {
		return err
	}
	if (d.EdgeKind == CheckpointEdge) != (d.Cause.Kind == CheckpointCreated) {
		return fmt.Errorf("edgeKind %q does not go with cause %q", d.EdgeKind, d.Cause.Kind)
	}
	return nil
}

func (d *EdgeCreated) key(s Scope) []string {
	return []string{string(s.Run), string(d.From) + "->" + string(d.To), string(d.EdgeKind)}
}

// AdvanceRecorded is the result of one attempt, for ever. Its scope is the node that was
// acted on.
type AdvanceRecorded struct {
	Attempt AttemptID `json:"attemptId"`
	Intent  string    `json:"intent"` // ack_pending
	Outcome Outcome   `json:"outcome"`
	// Reply is the digest of what was answered, without its ticket. It is kept, so that a
	// repeat gets the same bytes.
	Reply ContentDigest `json:"replyRef,omitempty"`
}

// Outcome is how an attempt ended.
type Outcome struct {
	Kind     string    `json:"kind"` // advanced, or blocked in old logs
	To       NodeID    `json:"toNodeId,omitempty"`
	Blockers *Blockers `json:"blockers,omitempty"`
}

func (d *AdvanceRecorded) check() error {
	err := all(validID("attemptId", d.Attempt), oneOf("intent", d.Intent, "ack_pending"),
		oneOf("outcome.kind", d.Outcome.Kind, "advanced", "blocked"))
	if err != nil {
		return err
	}
	if d.Reply != "" {
		if err := validDigest("replyRef", d.Reply); err != nil {
			return err
		}
	}
	if d.Outcome.Kind == "advanced" {
		return all(validID("outcome.toNodeId", d.Outcome.To),
			absent("outcome.blockers", "advanced", d.Outcome.Blockers != nil))
	}
	if d.Outcome.Blockers == nil {
		return errors.New("outcome.blockers is missing: a block says what blocks")
	}
	return all(absent("outcome.toNodeId", "blocked", d.Outcome.To != ""), d.Outcome.Blockers.Check())
}

func (d *AdvanceRecorded) key(s Scope) []string { return []string{string(s.Node), string(d.Attempt)} }

// ContextSet gives the run its variables: all of them, after a delta was merged in.
type ContextSet struct {
	ID     ContextID     `json:"contextId"`
	Ref    ContentDigest `json:"contextRef,omitempty"` // of the canonical JSON, which is kept; in the record
	Text   MapText       `json:"context,omitempty"`    // the same, written out; in a bundle
	Source string        `json:"source"`               // initial, agent_delta
	// Sources are the sources of the keys that no agent and no output set. A bundle has none: what
	// comes from elsewhere is trusted as little as what an agent wrote.
	Sources work.Sources `json:"sources,omitempty"`
	// Attempt is the attempt that brought the delta.
	Attempt AttemptID `json:"attemptId,omitempty"`
}

// MapText is the JSON of an object.
type MapText = json.RawMessage

func (d *ContextSet) check() error {
	if err := all(validID("contextId", d.ID), oneOf("source", d.Source, "initial", "agent_delta")); err != nil {
		return err
	}
	for key, from := range d.Sources {
		if err := oneOf("sources."+key, from, work.FromHost, work.FromPerson, work.FromTrusted); err != nil {
			return err
		}
	}
	if (d.Ref == "") == (len(d.Text) == 0) {
		return fmt.Errorf("contextRef and context: %w", errOneOf)
	}
	if d.Ref != "" {
		if err := validDigest("contextRef", d.Ref); err != nil {
			return err
		}
	}
	if d.Source == "initial" {
		return absent("attemptId", "initial", d.Attempt != "")
	}
	return validID("attemptId", d.Attempt)
}

func (d *ContextSet) key(s Scope) []string {
	if d.Source == "initial" {
		return []string{string(s.Run), "initial"}
	}
	return []string{string(s.Run), string(d.Attempt)}
}
