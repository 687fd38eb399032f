package shelf

import (
	"container/list"
	"context"
	"sync"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
)

// Shelf holds the folded logs that were used last, the plans that they pinned, and an index for
// searches. All of it is only a memory: what it lacks, or what is behind the log's head, is read
// again. It is safe for concurrent use.
type Shelf struct {
	logs  *logs.Logs
	most  int
	plans *planCache
	index *index

	mu    sync.Mutex
	runs  map[event.SessionID]*list.Element // of *folded
	order *list.List                        // the one that was used last in front
}

// folded is one folded log. Who reads or changes its state holds mu.
type folded struct {
	session event.SessionID
	mu      sync.Mutex
	state   *fold.State // nil before the first use
}

// New returns an empty shelf that holds most folded logs.
func New(l *logs.Logs, most int) *Shelf {
	return &Shelf{logs: l, most: most, plans: &planCache{}, index: newIndex(), runs: map[event.SessionID]*list.Element{},
		order: list.New()}
}

// of returns the entry of a log, which may be empty.
func (s *Shelf) of(session event.SessionID) *folded {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.runs[session]; ok {
		s.order.MoveToFront(at)
		return at.Value.(*folded)
	}
	f := &folded{session: session}
	s.runs[session] = s.order.PushFront(f)
	if s.order.Len() > s.most {
		last := s.order.Back()
		delete(s.runs, s.order.Remove(last).(*folded).session)
	}
	return f
}

// Read calls f with the state of a log up to its head. f must not keep the state. A log that is not
// there, or of no run, is [logs.ErrNoLog]; one that does not read as it was written [ErrUnhealthy].
func (s *Shelf) Read(ctx context.Context, session event.SessionID, f func(*fold.State) error) error {
	head, err := s.logs.Head(string(session))
	if err == nil && head.Family != event.Family {
		err = logs.ErrNoLog // of a run
	}
	if err != nil {
		return err
	}
	at := s.of(session)
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.state == nil || at.state.Next() < head.Next {
		if at.state, err = Load(ctx, s.logs, session); err != nil {
			at.state = nil
			return err
		}
		s.follow(at.state, nil)
	}
	return f(at.state)
}

// Add folds events that were just appended.
func (s *Shelf) Add(session event.SessionID, events []*event.Event) {
	at := s.of(session)
	at.mu.Lock()
	defer at.mu.Unlock()
	for _, e := range events {
		if at.state == nil || at.state.Next() > e.Index { // never read, or read with these events
			continue
		}
		if at.state.Apply(e) != nil {
			at.state = nil // read anew next time, which says what is wrong
		}
	}
	if at.state != nil {
		s.follow(at.state, events)
	}
}

// peek calls f as Read does, and does not hold what it has to read for that.
func (s *Shelf) peek(ctx context.Context, head *logs.Head, f func(*fold.State) error) error {
	session := event.SessionID(head.Log)
	s.mu.Lock()
	at, ok := s.runs[session]
	s.mu.Unlock()
	if ok {
		held := at.Value.(*folded)
		held.mu.Lock()
		defer held.mu.Unlock()
		if held.state != nil && held.state.Next() >= head.Next {
			return f(held.state)
		}
	}
	state, err := Load(ctx, s.logs, session)
	if err != nil {
		return err
	}
	return f(state)
}

// Drop forgets a log. What needs it reads it anew.
func (s *Shelf) Drop(session event.SessionID) {
	s.index.drop(session)
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.runs[session]; ok {
		s.order.Remove(at)
		delete(s.runs, session)
	}
}
