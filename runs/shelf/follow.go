package shelf

import (
	"slices"

	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/search"
)

// follow takes a log that was just read, or the events that were just appended to it, into the index.
// What it cannot add at little cost it drops, and the next search reads the log.
func (s *Shelf) follow(log *fold.State, events []*event.Event) {
	x := s.index
	x.mu.Lock()
	old, begun := x.runs[log.Session], x.runs != nil
	x.mu.Unlock()
	switch {
	case !begun || old != nil && old.last >= log.Last():
	case old == nil:
		if e, err := s.noted(log); err == nil {
			x.put(log.Session, e)
		}
	default:
		if e := s.extended(old, log, events); e != nil {
			x.put(log.Session, e)
		} else {
			x.drop(log.Session)
		}
	}
}

// extended is what the index holds of a log with the events that were just appended to it. It is nil
// if they do more than go on from the tip.
func (s *Shelf) extended(old *indexed, log *fold.State, events []*event.Event) *indexed {
	tip := log.Tip()
	onward := tip.ID == old.tip || tip.Parent != nil && tip.Parent.ID == old.tip
	if !old.sound || len(events) == 0 || events[0].Index != old.next || !onward || old.run.Words == nil {
		return nil
	}
	notes, ok := newNotes(log, tip, events)
	if !ok {
		return nil
	}
	e := *old
	e.next, e.last, e.tip = log.Next(), log.Last(), tip.ID
	var err error
	if tip.ID != old.tip {
		if e.run.Complete, err = s.isComplete(tip); err != nil {
			return nil
		}
	}
	if len(notes) > 0 {
		e.run.Words, ok = old.run.Words.With(search.SetOf(notes...))
	}
	if !ok {
		return nil
	}
	return &e
}

// newNotes are those of events that are the notes of the tip. ok is false if other notes of its
// history change, or what the host saw.
func newNotes(log *fold.State, tip *fold.Node, events []*event.Event) (notes []string, ok bool) {
	for _, e := range events {
		switch d := e.Data.(type) {
		case *event.ObservationRecorded:
			return nil, false
		case *event.NodeOutputAppended:
			to := log.Node(d.To)
			switch {
			case d.Channel != event.Recap || !recapped(to):
			case d.Supersedes != "" || to != tip:
				return nil, false
			default:
				notes = append(notes, d.Payload.Notes)
			}
		case *event.SessionCreated, *event.EdgeCreated, *event.ValidationPerformed,
			*event.PreferencesChanged, *event.CapabilityObserved, *event.GapRecorded,
			*event.DivergenceRecorded, *event.DecisionTraceAppended, *event.RunStarted, *event.NodeCreated,
			*event.AdvanceRecorded, *event.ContextSet:
		}
	}
	return notes, true
}

// recapped says whether the notes that led to a node are part of the history behind it.
func recapped(n *fold.Node) bool {
	return !slices.Contains([]event.NodeKind{event.BlockedNode, event.CheckpointNode}, n.Kind)
}
