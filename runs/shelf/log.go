package shelf

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/tools"
)

// ErrUnhealthy says that a log does not read as it was written. No run goes on from it.
var ErrUnhealthy = errors.New("SESSION_NOT_HEALTHY")

// Content is a text that an operation keeps, by its SHA-256.
type Content struct{ Media, Text string }

// JSON is content of canonical JSON.
func JSON(text []byte) Content { return Content{"application/json", string(text)} }

// Operation is what one operation enters into the log of a run.
type Operation struct {
	By     string // the principal
	Events []*event.Event
	Keep   []Content
	Over   bool // nothing is due in the run any more
	Held   bool // the run waits for something outside
	// Acts is the session that the run's steps are calls of.
	Acts string
	// Wakes says that the engine goes on with the run once this is durable.
	Wakes bool
	// Leaves is a try at a step whose card is withdrawn in the same write; nil for none.
	Leaves *engine.Step
}

// entered is an event as it is entered, with what it pins.
type entered struct {
	logs.Event
	pins []logs.Digest
}

// entries are events as they are entered. All must be of the same log.
func entries(events []*event.Event) (out []entered, err error) {
	if len(events) == 0 {
		return nil, errors.New("an append without events")
	}
	for _, e := range events {
		if e.Session != events[0].Session {
			return nil, fmt.Errorf("an event of log %s in an append to %s", e.Session, events[0].Session)
		}
		if err := e.Check(); err != nil {
			return nil, err
		}
		var x entered
		if x.Event, err = e.Entry(); err != nil {
			return nil, err
		}
		if x.pins, err = e.Pins(); err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// Append enters the events of an operation, with the content that they rest on, in one commit, and
// folds them. Content that an event names must be on record or in Keep. The log gives the events
// their indices, which they have afterwards; a repeat is answered from the record.
func (s *Shelf) Append(ctx context.Context, op Operation) (logs.Appended, error) {
	list, err := entries(op.Events)
	if err != nil {
		return logs.Appended{}, err
	}
	session := op.Events[0].Session
	w := logs.Write{Log: string(session), Family: event.Family, By: op.By}
	out, err := s.logs.Append(ctx, w, func(tx *logs.Tx) error {
		tx.Over(op.Over)
		tx.Held(op.Held)
		if op.Acts != "" {
			tx.Acts(op.Acts, "")
		}
		if op.Wakes {
			tx.Wake()
		}
		if op.Leaves != nil {
			tx.Leave(op.Leaves.ID, op.Leaves.Try)
		}
		for _, c := range op.Keep {
			if _, err := tx.Keep(c.Media, c.Text); err != nil {
				return err
			}
		}
		for _, x := range list {
			if err := enter(tx, x); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && !out.Known {
		for i, e := range out.Events {
			op.Events[i].Index = e.Index
		}
		s.add(session, op.Events, out.Place)
	}
	return out, err
}

// enter enters one event, and pins what it rests on.
func enter(tx *logs.Tx, x entered) error {
	if _, err := tx.Event(x.Event); err != nil {
		return err
	}
	for _, digest := range x.pins {
		if err := tx.Pin(digest, x.ID); err != nil {
			return err
		}
	}
	return nil
}

// Load folds the log of a run. It only reads. A log that is damaged, of a later version, or at
// odds with itself is [ErrUnhealthy]; the state is then nil, so that nothing goes on from a part.
func Load(ctx context.Context, l *logs.Logs, session event.SessionID) (*fold.State, error) {
	got, err := l.Read(ctx, string(session))
	if err != nil {
		return nil, err
	}
	if got.Health.Condition != logs.Healthy {
		return nil, unhealthy(fmt.Errorf("log %s is %s: %w", session, got.Health.Condition, got.Health.Err))
	}
	s, _, err := foldAll(session, got)
	if err != nil {
		return nil, unhealthy(fmt.Errorf("log %s: %w", session, err))
	}
	return s, nil
}

// Prefix folds a log as far as it is sound, and says how far that is.
func Prefix(ctx context.Context, l *logs.Logs, session event.SessionID) (*fold.State, logs.Health, error) {
	got, err := l.Read(ctx, string(session))
	if err != nil {
		return nil, logs.Health{}, err
	}
	s, n, why := foldAll(session, got)
	if why == nil {
		return s, got.Health, nil
	}
	got.Events = got.Events[:n]
	s, _, err = foldAll(session, got) // a state is of no use after an error
	return s, logs.Health{Condition: logs.CorruptTail, Fault: logs.Malformed, Index: uint64(n), Err: why}, err
}

// foldAll folds the events of a log, and returns how many it could.
func foldAll(session event.SessionID, log *logs.Log) (*fold.State, int, error) {
	s, appends, entries := &fold.State{}, log.Appends, event.NewEntries(session)
	for i, x := range log.Events {
		e, err := entries.Read(x)
		if err == nil {
			err = s.Apply(e)
		}
		if err != nil {
			return s, i, err
		}
		if appends[0].Last == x.Index {
			s.Stand(appends[0].Place)
			appends = appends[1:]
		}
	}
	return s, len(log.Events), nil
}

// unhealthy is what a call gets of a log that is [ErrUnhealthy], or whose content cannot be read.
func unhealthy(cause error) error {
	return tools.Failed(tools.SessionNotHealthy, "the record of the run is damaged, and nothing goes on from it",
		"ask an operator to look at the run: cortex run show").Because(fmt.Errorf("%w: %w", ErrUnhealthy, cause))
}
