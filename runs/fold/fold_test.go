package fold

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/runs/event"
)

// script writes a log.
type script struct {
	t       testing.TB
	s       State
	log     []*event.Event
	session event.SessionID
	run     event.RunID
	n       int
}

var plan = event.DigestOf([]byte("plan"))

func begin(t testing.TB) *script {
	x := &script{t: t, session: event.Derive[event.SessionID](t.Name()), run: event.Derive[event.RunID](t.Name())}
	x.add("", &event.SessionCreated{})
	x.add("", &event.RunStarted{Workflow: "acme.notes", Hash: plan, SourceKind: "project"})
	return x
}

func (x *script) try(node event.NodeID, d event.Data) error {
	scope := event.Scope{Run: x.run, Node: node}
	if _, ok := d.(*event.SessionCreated); ok {
		scope = event.Scope{}
	}
	e := event.New(x.session, scope, d)
	e.Index = uint64(len(x.log))
	err := x.s.Apply(e)
	if err == nil {
		x.log = append(x.log, e)
	}
	return err
}

func (x *script) add(node event.NodeID, d event.Data) {
	x.t.Helper()
	require.NoError(x.t, x.try(node, d))
}

func id[T event.NodeID | event.AttemptID | event.GapID | event.CapObsID | event.ChangeID](x *script) T {
	x.n++
	return event.Derive[T](fmt.Sprint(x.n))
}

// node adds a node of this kind below parent, and its edge.
func (x *script) node(kind event.NodeKind, parent *event.NodeID) event.NodeID {
	to := id[event.NodeID](x)
	x.add(to, &event.NodeCreated{NodeKind: kind, Parent: parent, Hash: plan, Snapshot: plan})
	if parent != nil {
		edge, cause := event.AckedStep, event.IntentionalFork
		if kind == event.CheckpointNode {
			edge, cause = event.CheckpointEdge, event.CheckpointCreated
		}
		x.add(
			"",
			&event.EdgeCreated{EdgeKind: edge, From: *parent, To: to, Cause: event.Cause{Kind: cause, Event: x.log[0].ID}},
		)
	}
	return to
}

func (x *script) notes(from, to event.NodeID, text string, supersedes event.OutputID) (event.OutputID, error) {
	a := id[event.AttemptID](x)
	return event.RecapID(a), x.try(from, &event.NodeOutputAppended{ID: event.RecapID(a), Supersedes: supersedes,
		Channel: event.Recap, Attempt: a, To: to, Payload: event.Payload{Kind: "notes", Notes: text}})
}

func (x *script) gap(node event.NodeID, resolves event.GapID) event.GapID {
	g := &event.GapRecorded{ID: id[event.GapID](x), Severity: event.Critical, Summary: "short",
		Reason: event.Reason{
			Category: "contract_violation",
			Detail:   "missing_required_output",
		}, Resolution: event.Resolution{Kind: "unresolved"}}
	if resolves != "" {
		g.Resolution = event.Resolution{Kind: "resolves", Gap: resolves}
	}
	x.add(node, g)
	return g.ID
}

func (x *script) mode(node event.NodeID, to event.Autonomy) {
	effective := x.s.Node(node).Preferences()
	effective.Autonomy = to
	x.add(node, &event.PreferencesChanged{ID: id[event.ChangeID](x), Source: "user",
		Delta: []event.Change{{Name: "autonomy", Value: string(to)}}, Effective: effective})
}

func (x *script) capability(node event.NodeID, status event.Status, p event.Provenance) {
	x.add(
		node,
		&event.CapabilityObserved{ID: id[event.CapObsID](x), Capability: "delegation", Status: status, Provenance: p},
	)
}

func TestT40_eachBranchHasItsOwnNotes(t *testing.T) {
	x := begin(t)
	root := x.node(event.StepNode, nil)
	a, b := x.node(event.StepNode, &root), x.node(event.StepNode, &root)
	for to, text := range map[event.NodeID]string{a: "of a", b: "of b"} {
		_, err := x.notes(root, to, text, "")
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"of b"}, slices.Collect(x.s.Notes(x.s.Node(b), nil)))
}

func TestT53_aClaimOpensNothing(t *testing.T) {
	x := begin(t)
	root := x.node(event.StepNode, nil)
	child := x.node(event.StepNode, &root)
	x.capability(
		root,
		event.Available,
		event.Provenance{Kind: "manual_claim", ClaimedBy: "agent", Claim: event.Available},
	)
	n := x.s.Node(child)
	assert.Equal(t, event.Unknown, n.Capability("delegation", true))
	assert.Equal(t, event.Available, n.Capability("delegation", false))
	x.capability(
		root,
		event.Available,
		event.Provenance{Kind: "probe_step", Template: "p", Step: "probe", Result: "success"},
	)
	assert.Equal(t, event.Available, n.Capability("delegation", true))
	assert.Equal(t, event.Unknown, n.Capability("web_browsing", true))
}

func TestT55_preferencesReachWhatComesAfter(t *testing.T) {
	x := begin(t)
	root := x.node(event.StepNode, nil)
	before := x.node(event.StepNode, &root)
	x.mode(root, event.NeverStop)
	after := x.node(event.StepNode, &root)
	assert.Equal(t, event.Guided, x.s.Node(before).Preferences().Autonomy)
	assert.Equal(t, event.NeverStop, x.s.Node(after).Preferences().Autonomy)
}

func TestT69_whatAnOutputMaySupersede(t *testing.T) {
	x := begin(t)
	root := x.node(event.StepNode, nil)
	a, b := x.node(event.StepNode, &root), x.node(event.StepNode, &root)
	first, err := x.notes(root, a, "A", "")
	require.NoError(t, err)
	_, err = x.notes(root, b, "other branch", first)
	require.ErrorIs(t, err, ErrCorrupt)
	_, err = x.notes(root, a, "later", event.RecapID(event.Derive[event.AttemptID]("none")))
	require.ErrorIs(t, err, ErrCorrupt)
	second, err := x.notes(root, a, "B", first)
	require.NoError(t, err)
	_, err = x.notes(root, a, "C", second)
	require.NoError(t, err)
	got := x.s.Current(x.s.Node(a), event.Recap)
	require.Len(t, got, 1)
	assert.Equal(t, "C", got[0].Payload.Notes)
}

func TestT70_thePreferredTip(t *testing.T) {
	x := begin(t)
	root := x.node(event.StepNode, nil)
	a, b := x.node(event.StepNode, &root), x.node(event.StepNode, &root)
	assert.Equal(t, b, x.s.Tip().ID)
	x.gap(a, "")
	assert.Equal(t, a, x.s.Tip().ID, "a gap on the older branch")
	x.gap(root, "")
	assert.Equal(t, b, x.s.Tip().ID, "equal: the younger")
}

func TestT71_aCheckpointIsNoTip(t *testing.T) {
	x := begin(t)
	root := x.node(event.StepNode, nil)
	x.node(event.CheckpointNode, &root)
	assert.True(t, x.s.IsTip(x.s.Node(root)))
	step := x.node(event.StepNode, &root)
	require.Len(t, x.s.Tips(), 1)
	assert.Equal(t, step, x.s.Tips()[0].ID)
}

func TestNotesAreNewestFirst(t *testing.T) {
	x := begin(t)
	at := x.node(event.StepNode, nil)
	for _, text := range []string{"first", "second", "third"} {
		to := x.node(event.StepNode, &at)
		_, err := x.notes(at, to, text, "")
		require.NoError(t, err)
		at = to
	}
	tip := x.s.Node(at)
	assert.Equal(t, []string{"third", "second", "first"}, slices.Collect(x.s.Notes(tip, nil)))
	assert.Equal(t, []string{"third"}, slices.Collect(x.s.Notes(tip, tip.Parent)))
}

func TestStatusReadsInheritedModes(t *testing.T) {
	x := begin(t)
	root := x.node(event.StepNode, nil)
	g := x.gap(root, "")
	assert.Equal(t, Blocked, x.s.Status(false))
	x.mode(root, event.NeverStop)
	assert.Equal(t, InProgress, x.s.Status(false))
	tip := x.node(event.StepNode, &root)
	assert.Equal(t, event.NeverStop, x.s.Node(tip).Preferences().Autonomy)
	assert.Equal(t, CompleteWithGaps, x.s.Status(true))
	x.gap(tip, g)
	assert.Equal(t, Complete, x.s.Status(true))
}

// slowTip finds the tip from the events alone, each leaf by a walk of its own.
func slowTip(log []*event.Event) (best event.NodeID) {
	parent, kind, born := map[event.NodeID]event.NodeID{}, map[event.NodeID]event.NodeKind{}, map[event.NodeID]uint64{}
	inner := map[event.NodeID]bool{}
	for _, e := range log {
		if d, ok := e.Data.(*event.NodeCreated); ok {
			kind[e.Scope.Node], born[e.Scope.Node] = d.NodeKind, e.Index
			if d.Parent != nil {
				parent[e.Scope.Node] = *d.Parent
				inner[*d.Parent] = inner[*d.Parent] || d.NodeKind != event.CheckpointNode
			}
		}
	}
	about := func(e *event.Event) []event.NodeID {
		if d, ok := e.Data.(*event.EdgeCreated); ok {
			if d.EdgeKind == event.CheckpointEdge {
				return []event.NodeID{d.To}
			}
			return []event.NodeID{d.From, d.To}
		}
		if d, ok := e.Data.(*event.NodeOutputAppended); ok {
			return []event.NodeID{d.To}
		}
		return []event.NodeID{e.Scope.Node}
	}
	var top uint64
	for n := range kind {
		if kind[n] == event.CheckpointNode || inner[n] {
			continue
		}
		var last uint64
		for at, ok := n, true; ok; at, ok = parent[at] {
			for _, e := range log {
				if slices.Contains(about(e), at) {
					last = max(last, e.Index)
				}
			}
		}
		if best == "" || last > top || last == top && born[n] > born[best] {
			best, top = n, last
		}
	}
	return best
}

func TestTheTipAgainstASlowReference(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0))
		x := begin(t)
		x.node(event.StepNode, nil)
		for range 30 {
			all := slices.DeleteFunc(slices.Clone(x.s.Nodes()), func(n *Node) bool { return n.Kind == event.CheckpointNode })
			at := all[r.IntN(len(all))]
			switch r.IntN(6) {
			case 0, 1:
				x.node(event.StepNode, &at.ID)
			case 2:
				x.node(event.CheckpointNode, &at.ID)
			case 3:
				x.gap(at.ID, "")
			case 4:
				x.mode(at.ID, event.StopOnAsk)
			case 5:
				if at.Parent != nil {
					_, err := x.notes(at.Parent.ID, at.ID, "n", "")
					require.NoError(t, err)
				}
			}
			require.Equal(t, slowTip(x.log), x.s.Tip().ID, "seed %d", seed)
		}
	}
}
