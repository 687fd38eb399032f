package fold

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/runs/event"
)

// ErrCorrupt says that the events of a log contradict each other.
var ErrCorrupt = errors.New("the log contradicts itself")

// Node is a point of the run.
type Node struct {
	ID       event.NodeID
	Kind     event.NodeKind
	Parent   *Node // nil for the root
	Snapshot event.SnapshotRef
	Reply    event.ContentDigest // what was answered, of a root and of a checkpoint
	Index    uint64              // of the event that created it
	Edge     *event.EdgeCreated
	Outputs  []*event.NodeOutputAppended // of the attempt that led here, in order

	children []*Node // in order
	touched  uint64  // index of the last event that was about it
	prefs    event.Preferences
	gaps     []*Gap
	seen     []observed
	left     []string // steps that were left out here
}

// Gap is a shortfall, and whether a later one resolved it.
type Gap struct {
	*event.GapRecorded
	Node     event.NodeID
	Index    uint64
	Resolved bool
	By       event.GapID // of the newest gap that resolved it
}

type observed struct {
	*event.CapabilityObserved
	index uint64
}

// Traced is one entry of a trace, with its node.
type Traced struct {
	event.TraceEntry
	Node event.NodeID
}

// State is what the events so far say. The zero value is an empty log.
type State struct {
	Session event.SessionID
	Run     event.RunID
	Started *event.RunStarted // nil before the run started
	Context *event.ContextSet // the latest; nil before the first
	Initial *event.ContextSet // what the run began with; nil before it
	Root    *Node

	next     uint64
	nodes    map[event.NodeID]*Node
	order    []*Node // as created
	advances map[event.AttemptID]*Advance
	outputs  map[event.OutputID]placed
	gaps     []*Gap
	byGap    map[event.GapID]*Gap
	observed map[string]*event.ObservationRecorded
	trace    []Traced
	events   map[event.ID]uint64 // their indices
	keys     map[string]bool
	places   []stretch
}

// Advance is the recorded result of an attempt.
type Advance struct {
	*event.AdvanceRecorded
	ID    event.ID
	Node  event.NodeID
	Index uint64
}

type placed struct {
	*event.NodeOutputAppended
	node       event.NodeID
	superseded bool
}

// Next returns the index that the next event has.
func (s *State) Next() uint64 { return s.next }

// Node returns a node, or nil.
func (s *State) Node(id event.NodeID) *Node { return s.nodes[id] }

// Nodes returns all nodes in the order of their creation.
func (s *State) Nodes() []*Node { return s.order }

// NodeAt returns the node that the event of this index created, or nil.
func (s *State) NodeAt(index uint64) *Node {
	at, ok := slices.BinarySearchFunc(s.order, index, func(n *Node, i uint64) int { return cmp.Compare(n.Index, i) })
	if !ok {
		return nil
	}
	return s.order[at]
}

// Advance returns what an attempt came to, or nil.
func (s *State) Advance(a event.AttemptID) *Advance { return s.advances[a] }

// Observation returns what was last observed under this key, or nil.
func (s *State) Observation(key string) *event.ObservationRecorded { return s.observed[key] }

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrCorrupt}, args...)...)
}

// Apply takes the next event of the log. After an error the state must not be used.
func (s *State) Apply(e *event.Event) error {
	if err := s.apply(e); err != nil {
		return fmt.Errorf("event %d: %w", e.Index, err)
	}
	return nil
}

func (s *State) apply(e *event.Event) error {
	if err := e.Check(); err != nil {
		return err
	}
	if s.nodes == nil {
		s.begin(e.Session)
	}
	switch {
	case e.Index != s.next:
		return corrupt("its index is not %d", s.next)
	case e.Session != s.Session:
		return corrupt("it is of log %s, this is %s", e.Session, s.Session)
	case (e.Index == 0) != (e.Data.Kind() == event.KindSessionCreated):
		return corrupt("session_created, and it alone, is the first event")
	case s.keys[e.Dedupe]:
		return corrupt("dedupe key %s is there already", e.Dedupe)
	case e.Scope.Run != "" && s.Run != "" && e.Scope.Run != s.Run:
		return corrupt("it is of run %s, this is %s", e.Scope.Run, s.Run)
	case e.Scope.Run != "" && s.Run == "" && e.Data.Kind() != event.KindRunStarted:
		return corrupt("the run has not started")
	}
	if err := s.take(e); err != nil {
		return err
	}
	s.next, s.events[e.ID], s.keys[e.Dedupe] = e.Index+1, e.Index, true
	return nil
}

func (s *State) begin(session event.SessionID) {
	s.Session = session
	s.nodes, s.advances = map[event.NodeID]*Node{}, map[event.AttemptID]*Advance{}
	s.outputs, s.byGap = map[event.OutputID]placed{}, map[event.GapID]*Gap{}
	s.observed, s.events = map[string]*event.ObservationRecorded{}, map[event.ID]uint64{}
	s.keys = map[string]bool{}
}

// take takes what e says, by its kind.
func (s *State) take(e *event.Event) error {
	switch d := e.Data.(type) {
	case *event.SessionCreated:
	case *event.ObservationRecorded:
		s.observed[d.Name] = d
	case *event.RunStarted:
		if s.Started != nil {
			return corrupt("a second run_started")
		}
		s.Run, s.Started = e.Scope.Run, d
	case *event.ContextSet:
		if s.Context = d; d.Source == "initial" && s.Initial == nil {
			s.Initial = d
		}
	case *event.NodeCreated:
		return s.addNode(e, d)
	case *event.EdgeCreated:
		return s.addEdge(e, d)
	case *event.AdvanceRecorded:
		return s.addAdvance(e, d)
	case *event.NodeOutputAppended, *event.PreferencesChanged, *event.CapabilityObserved, *event.GapRecorded,
		*event.DivergenceRecorded, *event.DecisionTraceAppended, *event.ValidationPerformed:
		n := s.nodes[e.Scope.Node]
		if n == nil {
			return corrupt("node %s is not there", e.Scope.Node)
		}
		return s.attach(e, n)
	}
	return nil
}
