package fold

import (
	"iter"
	"slices"

	"github.com/opencortex-go/cortex/runs/event"
)

// Tips returns the nodes at which nothing has followed, in order. Checkpoints are none, and
// hide none.
func (s *State) Tips() (out []*Node) {
	for _, n := range s.order {
		if n.Kind != event.CheckpointNode && !slices.ContainsFunc(n.children, isStep) {
			out = append(out, n)
		}
	}
	return out
}

func isStep(n *Node) bool { return n.Kind != event.CheckpointNode }

// Ways returns the steps and the blocked attempts that followed n, in order.
func (n *Node) Ways() (out []*Node) {
	for _, c := range n.children {
		if isStep(c) {
			out = append(out, c)
		}
	}
	return out
}

// Newest returns the newest step that followed n, or nil.
func (s *State) Newest(n *Node) *Node {
	for _, c := range slices.Backward(n.children) {
		if isStep(c) {
			return c
		}
	}
	return nil
}

// IsTip reports whether nothing has followed n.
func (s *State) IsTip(n *Node) bool { return isStep(n) && !slices.ContainsFunc(n.children, isStep) }

// Tip returns the preferred tip: the one whose history from the root was touched last, and of
// equals the younger. It is nil before the root.
func (s *State) Tip() *Node { return s.TipBehind(s.Root) }

// TipBehind returns the preferred one of the tips among n and what followed it.
func (s *State) TipBehind(n *Node) (best *Node) {
	last := make(map[*Node]uint64, len(s.order))
	for _, at := range s.order { // a parent is before its children
		last[at] = max(at.touched, last[at.Parent])
	}
	for at := range s.Behind(n) {
		if s.IsTip(at) && (best == nil || last[at] >= last[best]) {
			best = at
		}
	}
	return best
}

// Behind yields n, and what followed it, in order.
func (s *State) Behind(n *Node) iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		behind := map[*Node]bool{}
		for _, at := range s.order {
			if at == n || behind[at.Parent] {
				if behind[at] = true; !yield(at) {
					return
				}
			}
		}
	}
}

// Status of a run.
type Status string

// What a run may be.
const (
	InProgress       Status = "in_progress"
	Blocked          Status = "blocked"
	Complete         Status = "complete"
	CompleteWithGaps Status = "complete_with_gaps"
)

// Status returns the status of the run. complete says whether nothing is left to do in the
// snapshot of the preferred tip.
func (s *State) Status(complete bool) Status {
	tip := s.Tip()
	switch {
	case tip == nil:
		return InProgress
	case complete && len(s.Unresolved()) > 0:
		return CompleteWithGaps
	case complete:
		return Complete
	case tip.prefs.Autonomy != event.NeverStop && (tip.Kind == event.BlockedNode || slices.ContainsFunc(tip.gaps, blocks)):
		return Blocked
	}
	return InProgress
}

func blocks(g *Gap) bool { return g.open() && g.Reason.Category != "unexpected" }

// open reports whether g is critical, and nothing has resolved it.
func (g *Gap) open() bool {
	return g.Severity == event.Critical && g.Resolution.Kind == "unresolved" && !g.Resolved
}

// Gaps returns all gaps in order.
func (s *State) Gaps() []*Gap { return s.gaps }

// Unresolved returns the critical gaps that nothing has resolved, in order.
func (s *State) Unresolved() (out []*Gap) {
	for _, g := range s.gaps {
		if g.open() {
			out = append(out, g)
		}
	}
	return out
}

// Gap returns a gap, or nil.
func (s *State) Gap(id event.GapID) *Gap { return s.byGap[id] }

// Stops returns the critical gaps for which the attempt that led to n was blocked: what a person
// has to resolve, in order. Those of an attempt that passed are none.
func (s *State) Stops(n *Node) (out []*Gap) {
	if n.Kind != event.BlockedNode || n.Edge == nil {
		return nil
	}
	from := s.events[n.Edge.Cause.Event]
	for _, g := range n.Parent.gaps {
		if g.Index > from && g.Index < n.Index && g.Severity == event.Critical {
			out = append(out, g)
		}
	}
	return out
}

// Open returns what a person has to resolve before the step that is due at n can go on.
func (s *State) Open(n *Node) (out []*Gap) {
	for _, g := range s.Waits(n) {
		if !g.Resolved {
			out = append(out, g)
		}
	}
	return out
}

// Waits returns what a person has to resolve, or had to, for the step that is due at n: for what
// the blocked attempts before it were stopped, and what the step waits for since it is due.
func (s *State) Waits(n *Node) (out []*Gap) {
	for ; n.Kind == event.BlockedNode; n = n.Parent {
		out = append(out, s.Stops(n)...)
	}
	for _, g := range n.gaps {
		if g.Severity == event.Info && g.Reason.Category == "user_only_dependency" && g.Resolution.Kind == "unresolved" {
			out = append(out, g)
		}
	}
	return out
}

// Released reports whether a person resolved what the attempt that led to n was stopped for.
func (s *State) Released(n *Node) bool {
	stops := s.Stops(n)
	return len(stops) > 0 && !slices.ContainsFunc(stops, func(g *Gap) bool { return !g.Resolved })
}

// Met reports whether a person resolved a gap for this reason for the step that is due at n.
func (s *State) Met(n *Node, r event.Reason) bool {
	return slices.ContainsFunc(s.Waits(n), func(g *Gap) bool { return g.Resolved && g.Reason == r })
}

// Preferences returns what holds at n: its own, and before a change here what held at its
// parent when n was created.
func (n *Node) Preferences() event.Preferences { return n.prefs }

// Capability returns what was learned last about a capability at n and before it. Claims count
// for nothing where strong is set.
func (n *Node) Capability(name string, strong bool) event.Status {
	var best *observed
	for at := n; at != nil; at = at.Parent {
		for i := range at.seen {
			o := &at.seen[i]
			if o.Capability == name && (!strong || o.Provenance.Strong()) && (best == nil || o.index > best.index) {
				best = o
			}
		}
	}
	if best == nil {
		return event.Unknown
	}
	return best.Status
}

// LeftOut returns the steps that were left out on the way from the root to n, the newest first.
func (s *State) LeftOut(n *Node) (out []string) {
	for at := n; at != nil; at = at.Parent {
		out = append(out, at.left...)
	}
	return out
}

// Current returns the outputs of this channel that led to n and that none has superseded, in
// order.
func (s *State) Current(n *Node, channel string) (out []*event.NodeOutputAppended) {
	for _, o := range n.Outputs {
		if o.Channel == channel && !s.outputs[o.ID].superseded {
			out = append(out, o)
		}
	}
	return out
}

// Notes yields the notes on the way to n, newest first: from the root, or from behind the node
// since. Notes of a blocked attempt, and those that others superseded, are no part of it.
func (s *State) Notes(n, since *Node) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := n; at != nil && at != since; at = at.Parent {
			if at.Kind == event.BlockedNode {
				continue
			}
			for _, o := range slices.Backward(s.Current(at, event.Recap)) {
				if !yield(o.Payload.Notes) {
					return
				}
			}
		}
	}
}

// LoopTrace returns what was recorded of a loop, in order.
func (s *State) LoopTrace(loop string) (out []Traced) {
	for _, x := range s.trace {
		if slices.ContainsFunc(x.Refs, func(r event.Ref) bool { return r.Kind == "loop_id" && r.LoopID == loop }) {
			out = append(out, x)
		}
	}
	return out
}
