package shelf

import (
	"container/list"
	"context"
	"sync"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/sexpr"
)

// Shelf holds the folded logs that were used last, the plans that they pinned, and an index for
// searches. All of it is only a memory: what it lacks, or what is behind the log's head, is read
// again. It is safe for concurrent use.
type Shelf struct {
	logs      *logs.Logs
	most      int
	plans     memo[*plans.Plan]
	snapshots memo[state.State]
	works     memo[sexpr.Value]
	index     *index

	mu    sync.Mutex
	runs  map[event.SessionID]*list.Element // of *folded
	order *list.List                        // the one that was used last in front
	begun map[uint64]event.SessionID        // logs by their first record
}

// folded is one folded log. Who reads or changes its state holds mu.
type folded struct {
	session event.SessionID
	mu      sync.Mutex
	state   *fold.State // nil before the first use
}

// New returns an empty shelf that holds most folded logs.
func New(l *logs.Logs, most int) *Shelf {
	return &Shelf{logs: l, most: most, index: newIndex(), runs: map[event.SessionID]*list.Element{}, order: list.New(),
		begun: map[uint64]event.SessionID{}}
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
	if !upTo(at.state, &head) {
		if at.state, err = Load(ctx, s.logs, session); err != nil {
			at.state = nil
			return err
		}
		s.follow(at.state, nil)
	}
	return f(at.state)
}

// upTo says whether a state holds all up to the head of its log, or more. Records have their numbers
// once, so that it never fits the head of another log that took the name of one that is gone.
func upTo(state *fold.State, head *logs.Head) bool { return state != nil && state.Last() >= head.Last }

// add folds events that were just appended, if all before them is folded.
func (s *Shelf) add(session event.SessionID, events []*event.Event, place logs.Place) {
	at := s.of(session)
	at.mu.Lock()
	defer at.mu.Unlock()
	if events[0].Index == 0 && !upTo(at.state, &logs.Head{Last: place.Record}) {
		at.state = &fold.State{}
	}
	if at.state == nil || at.state.Next() != events[0].Index { // never read, read with these events, or behind
		return
	}
	for _, e := range events {
		if at.state.Apply(e) != nil {
			at.state = nil // read anew next time, which says what is wrong
			return
		}
	}
	at.state.Stand(place)
	s.follow(at.state, events)
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
		if upTo(held.state, head) {
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

// Began returns the log that begins with a record. It may have gone meanwhile: what [Shelf.Read]
// gives says with which record the log of that name begins now.
func (s *Shelf) Began(first uint64) (event.SessionID, error) {
	s.mu.Lock()
	session, ok := s.begun[first]
	s.mu.Unlock()
	if ok {
		return session, nil
	}
	name, err := s.logs.Named(first)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.begun) >= maxBegun {
		clear(s.begun) // those in use are back at once
	}
	s.begun[first] = event.SessionID(name)
	return event.SessionID(name), nil
}

// maxBegun is how many logs are known by their first record.
const maxBegun = 10_000
