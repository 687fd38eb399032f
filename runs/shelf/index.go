package shelf

import (
	"context"
	"errors"
	"sync"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/search"
)

// The limits of what is held for searches. A run takes about 1 KiB beside its words, a word 8 bytes.
const (
	maxIndexed = 50_000    // runs, those that were appended to last
	maxWords   = 8_000_000 // of all runs together; the older ones are then found by all but words
)

// index holds what searches need of each run, so that they need not read the logs. It begins with
// the first search, and from then on goes along with appends. It is only a memory: what it lacks, or
// what is behind the log's head, is read again by the next search.
type index struct {
	turn chan struct{} // held by the search that brings it up to date

	mu   sync.Mutex
	runs map[event.SessionID]*indexed // nil before the first search
}

// indexed is a run as a search sees it. It never changes; its place in the index does.
type indexed struct {
	run   search.Run // without its owner and its last record, which the head of the log says
	next  uint64     // it says what holds before this event
	last  uint64     // the record that it goes up to
	sound bool       // the log is healthy
	tip   event.NodeID
}

func newIndex() *index { return &index{turn: make(chan struct{}, 1)} }

func (x *index) get(session event.SessionID) *indexed {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.runs[session]
}

// put takes what a log says, unless later events are known already.
func (x *index) put(session event.SessionID, e *indexed) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if old := x.runs[session]; x.runs != nil && (old == nil || old.last <= e.last) {
		x.runs[session] = e
	}
}

func (x *index) drop(session event.SessionID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.runs, session)
}

// begin makes the index, if it is not there.
func (x *index) begin() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.runs == nil {
		x.runs = map[event.SessionID]*indexed{}
	}
}

// forget drops the logs that are not among these.
func (x *index) forget(heads []logs.Head) {
	there := make(map[event.SessionID]bool, len(heads))
	for i := range heads {
		there[event.SessionID(heads[i].Log)] = true
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for session := range x.runs {
		if !there[session] {
			delete(x.runs, session)
		}
	}
}

// Searchable returns the runs of an owner, or of all, as they stand now; those that are not healthy are
// left out. It reads the logs whose head moved since the last search; the first one reads all.
func (s *Shelf) Searchable(ctx context.Context, owner string, all bool) ([]search.Run, error) {
	select {
	case s.index.turn <- struct{}{}:
		defer func() { <-s.index.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	heads, err := s.heads(ctx)
	if err != nil {
		return nil, err
	}
	s.index.begin()
	s.index.forget(heads)
	out, words := make([]search.Run, 0, len(heads)), 0
	for i := range heads {
		h := &heads[i]
		if !all && h.Owner != owner {
			continue
		}
		e, err := s.upToDate(ctx, h)
		if err != nil {
			return nil, err
		}
		if e == nil || !e.sound {
			continue
		}
		if words += len(e.run.Words); words > maxWords {
			words -= len(e.run.Words)
			e = e.bare()
			s.index.put(event.SessionID(h.Log), e)
		}
		run := e.run
		run.Owner, run.Last = h.Owner, h.Last
		out = append(out, run)
	}
	return out, nil
}

// bare is a run without words.
func (e *indexed) bare() *indexed {
	out := *e
	out.run.Words = nil
	return &out
}

// heads are those of the runs that are searched, the one that was appended to last first.
func (s *Shelf) heads(ctx context.Context) ([]logs.Head, error) {
	all, err := s.logs.List(ctx)
	if err != nil {
		return nil, err
	}
	heads := all[:0]
	for _, h := range all {
		if h.Family == event.Family && len(heads) < maxIndexed {
			heads = append(heads, h)
		}
	}
	return heads, nil
}

// upToDate is what is held of a log, read again if its head has moved. It is nil if the log has gone,
// or cannot be read: then it is tried again the next time.
func (s *Shelf) upToDate(ctx context.Context, h *logs.Head) (*indexed, error) {
	session := event.SessionID(h.Log)
	e := s.index.get(session)
	if e != nil && e.last >= h.Last {
		return e, nil
	}
	e = nil
	err := s.peek(ctx, h, func(log *fold.State) (err error) {
		e, err = s.noted(log)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, ErrUnhealthy):
		e = &indexed{next: h.Next, last: h.Last}
	case err != nil:
		return nil, nil //nolint:nilerr // what cannot be read is not offered
	}
	s.index.put(session, e)
	return e, nil
}

// noted is what a log says for searches.
func (s *Shelf) noted(log *fold.State) (*indexed, error) {
	tip := log.Tip()
	if tip == nil {
		return nil, ErrUnhealthy // no operation of a run ends before its root
	}
	plan, err := s.Plan(log.Started.Hash)
	if err != nil {
		return nil, err
	}
	e := &indexed{next: log.Next(), last: log.Last(), sound: true, tip: tip.ID}
	if e.run.Complete, err = s.isComplete(tip); err != nil {
		return nil, err
	}
	goal, err := s.Goal(log)
	if err != nil {
		return nil, err
	}
	texts := []string{goal}
	for notes := range log.Notes(tip, nil) {
		texts = append(texts, notes)
	}
	e.run.Session, e.run.ID = string(log.Session), string(log.Run)
	e.run.Label = event.Label(log.Session, log.Started.Workflow)
	e.run.Words, e.run.Workflow = search.SetOf(texts...), search.SetOf(string(log.Started.Workflow), plan.Name)
	e.run.Branch, e.run.SHA, e.run.Root = observed(log, "git_branch"), observed(log, "git_head_sha"),
		observed(log, "repo_root_hash")
	return e, nil
}

func observed(log *fold.State, key string) string {
	if o := log.Observation(key); o != nil {
		return o.Value.Value
	}
	return ""
}

func (s *Shelf) isComplete(tip *fold.Node) (bool, error) {
	at, err := s.Snapshot(tip)
	_, complete := at.(state.Complete)
	return complete, err
}
