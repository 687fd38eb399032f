package fold

import "github.com/opencortex-go/cortex/runs/event"

func (s *State) addNode(e *event.Event, d *event.NodeCreated) error {
	n := &Node{ID: e.Scope.Node, Kind: d.NodeKind, Snapshot: d.Snapshot, Reply: d.Reply, Index: e.Index,
		touched: e.Index, prefs: event.DefaultPreferences()}
	switch {
	case s.nodes[n.ID] != nil:
		return corrupt("node %s is there already", n.ID)
	case d.Hash != s.Started.Hash:
		return corrupt("node %s is of another plan than the run", n.ID)
	case d.Parent == nil && s.Root != nil:
		return corrupt("node %s is a second root", n.ID)
	case d.Parent == nil:
		s.Root = n
	default:
		p := s.nodes[*d.Parent]
		if p == nil {
			return corrupt("the parent of node %s is not there", n.ID)
		}
		// What holds at the parent now holds here; a later change there does not reach this branch.
		n.Parent, n.prefs = p, p.prefs
		p.children = append(p.children, n)
	}
	s.nodes[n.ID] = n
	s.order = append(s.order, n)
	return nil
}

func (s *State) addEdge(e *event.Event, d *event.EdgeCreated) error {
	from, to := s.nodes[d.From], s.nodes[d.To]
	switch {
	case from == nil || to == nil:
		return corrupt("a node of the edge is not there")
	case to.Parent != from:
		return corrupt("node %s is not the parent of %s", d.From, d.To)
	case to.Edge != nil:
		return corrupt("node %s has a second edge", d.To)
	case (d.EdgeKind == event.CheckpointEdge) != (to.Kind == event.CheckpointNode):
		return corrupt("an edge of kind %s leads to a node of kind %s", d.EdgeKind, to.Kind)
	}
	if _, ok := s.events[d.Cause.Event]; !ok {
		return corrupt("the cause of the edge is not in this log")
	}
	to.Edge, to.touched = d, e.Index
	if to.Kind != event.CheckpointNode {
		from.touched = e.Index
	}
	return nil
}

func (s *State) addAdvance(e *event.Event, d *event.AdvanceRecorded) error {
	if s.nodes[e.Scope.Node] == nil {
		return corrupt("node %s is not there", e.Scope.Node)
	}
	if s.advances[d.Attempt] != nil {
		return corrupt("attempt %s has a second outcome", d.Attempt)
	}
	s.advances[d.Attempt] = &Advance{AdvanceRecorded: d, ID: e.ID, Node: e.Scope.Node, Index: e.Index}
	return nil
}

// attach takes an event that is about node n.
func (s *State) attach(e *event.Event, n *Node) error {
	switch d := e.Data.(type) {
	case *event.NodeOutputAppended:
		return s.addOutput(e, d)
	case *event.GapRecorded:
		n.touched = e.Index
		return s.addGap(e, d, n)
	case *event.PreferencesChanged:
		if got := n.prefs.Apply(d.Delta); got != d.Effective {
			return corrupt("effective preferences %v, want %v", d.Effective, got)
		}
		n.prefs, n.touched = d.Effective, e.Index
	case *event.CapabilityObserved:
		n.seen = append(n.seen, observed{d, e.Index})
		n.touched = e.Index
	case *event.DivergenceRecorded:
		n.touched = e.Index
		if d.Reason == "policy_constraint" && d.Step != "" {
			n.left = append(n.left, d.Step)
		}
	case *event.DecisionTraceAppended:
		for _, x := range d.Entries {
			s.trace = append(s.trace, Traced{x, n.ID})
		}
	case *event.SessionCreated, *event.ObservationRecorded, *event.RunStarted, *event.NodeCreated,
		*event.EdgeCreated, *event.AdvanceRecorded, *event.ValidationPerformed, *event.ContextSet:
	}
	return nil
}

func (s *State) addOutput(e *event.Event, d *event.NodeOutputAppended) error {
	to := s.nodes[d.To]
	if to == nil || to.Parent == nil || to.Parent.ID != e.Scope.Node {
		return corrupt("output %s leads to %s, which did not come of %s", d.ID, d.To, e.Scope.Node)
	}
	if d.Supersedes != "" {
		old, ok := s.outputs[d.Supersedes]
		if !ok || old.node != e.Scope.Node || old.Channel != d.Channel || old.To != d.To {
			return corrupt(
				"output %s supersedes %s, which is not an earlier output of its node and channel",
				d.ID,
				d.Supersedes,
			)
		}
		old.superseded = true
		s.outputs[d.Supersedes] = old
	}
	s.outputs[d.ID] = placed{NodeOutputAppended: d, node: e.Scope.Node}
	to.Outputs = append(to.Outputs, d)
	to.touched = e.Index
	return nil
}

func (s *State) addGap(e *event.Event, d *event.GapRecorded, n *Node) error {
	g := &Gap{GapRecorded: d, Node: n.ID, Index: e.Index}
	if d.Resolution.Kind == "resolves" {
		old := s.byGap[d.Resolution.Gap]
		if old == nil {
			return corrupt("gap %s resolves %s, which is not there", d.ID, d.Resolution.Gap)
		}
		old.Resolved, old.By = true, d.ID
	}
	s.gaps, n.gaps = append(s.gaps, g), append(n.gaps, g)
	s.byGap[d.ID] = g
	return nil
}
