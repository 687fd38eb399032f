package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

// witness is what is known of a record from outside.
type witness struct {
	mu       sync.Mutex
	calls    map[string][]said // by operation and key, as they were made
	answers  map[string]said   // the first
	open     map[string]said   // calls that were not answered
	tickets  []string
	ready    bool
	wrong    []string
	answered int
}

func newWitness() *witness {
	return &witness{calls: map[string][]said{}, answers: map[string]said{}, open: map[string]said{}}
}

// next is the client of the next life.
func (w *witness) next(life int, seed uint64, point string, early bool) *toiler {
	_, op, _ := strings.Cut(point, "/")
	return &toiler{life: life, seed: seed + uint64(life), early: early, prefer: op, tickets: slices.Clone(w.tickets)}
}

// keyOfCall tells repeats from others: an attempt has one outcome, with notes or without.
func keyOfCall(s said) string {
	if s.Op == opBlock {
		return opAdvance + " " + s.Key
	}
	return s.Op + " " + s.Key
}

func (w *witness) fault(format string, args ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

func (w *witness) hear(s said) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := keyOfCall(s)
	switch s.Do {
	case "ready":
		w.ready = true
	case "bad":
		w.fault("%s", s.Text)
	case "call":
		w.calls[key] = append(w.calls[key], s)
		w.open[key+s.Notes] = s
	case "answer":
		delete(w.open, key+s.Notes)
		w.answer(key, s)
	}
}

// answer notes an answer, which is the same every time.
func (w *witness) answer(key string, s said) {
	if s.Denied {
		return
	}
	w.answered++
	if first, ok := w.answers[key]; ok {
		if first.Text != s.Text {
			w.fault("%s was answered %s, and later %s", key, first.Text, s.Text)
		}
		return
	}
	w.answers[key] = s
	var rep tools.Reply
	if err := json.Unmarshal([]byte(s.Text), &rep); err != nil {
		w.fault("%s: %v", key, err)
	}
	if t := rep.ContinueToken + rep.RetryToken; t != "" && s.Op != opMark {
		w.tickets = append(w.tickets, t)
	}
}

// check looks at what is left of a record: first at the logs as they are, then by repeating calls.
// Those that were not answered are repeated twice, and may have been entered or not.
func (w *witness) check(ctx context.Context, e *cortex.Engine, r *Runs) {
	if err := e.Journal().Verify(ctx); err != nil {
		w.fault("the journal: %v", err)
		return
	}
	have, err := onRecord(ctx, r)
	if err != nil {
		w.fault("%v", err)
		return
	}
	for key := range w.answers {
		if notes, ok := have[idOf(r, key)]; !ok {
			w.fault("%s was acknowledged, and is lost", key)
		} else if !slices.ContainsFunc(w.calls[key], func(s said) bool { return s.Notes == notes }) {
			w.fault("%s is on record with %q, which no call handed in", key, notes)
		}
		delete(have, idOf(r, key))
	}
	for key := range w.calls {
		delete(have, idOf(r, key))
	}
	for id := range have {
		w.fault("%s is on record, and no call made it", id)
	}
	if len(w.wrong) > 0 {
		return
	}
	for _, s := range w.open {
		for range 2 {
			w.repeat(ctx, r, s)
		}
	}
	clear(w.open)
	for _, s := range w.answers {
		w.repeat(ctx, r, s)
	}
	w.ready = false
}

func (w *witness) repeat(ctx context.Context, r *Runs, s said) {
	out, err := r.Call(ctx, agent, tortureCall(s))
	if err != nil {
		if s.Denied = tools.AsError(err).Code == tools.PreconditionFailed; !s.Denied {
			w.fault("a repeat of %s: %v: %v", keyOfCall(s), err, errors.Unwrap(err))
		}
		return
	}
	s.Text = textOf(out)
	w.answer(keyOfCall(s), s)
}

// idOf is what stands on record for a call: a session, an attempt or a mark. It is "" if its log is
// not there.
func idOf(r *Runs, key string) string {
	op, key, _ := strings.Cut(key, " ")
	if op == opStart {
		return string(event.Derive[event.SessionID]("request", agent.Principal, key))
	}
	t, err := ticket.Parse(key)
	if err != nil {
		return ""
	}
	session, err := r.logs.Named(t.First)
	if err != nil {
		return ""
	}
	attempt := t.ID(event.SessionID(session))
	if op == opMark {
		return string(event.Derive[event.NodeID](session, string(attempt), "checkpoint"))
	}
	return string(attempt)
}

// onRecord is what stands on record, with the notes that were handed in. A log that does not read
// as it was written, or in which an attempt has two outcomes, is an error.
func onRecord(ctx context.Context, r *Runs) (map[string]string, error) {
	heads, err := r.logs.List(ctx)
	if err != nil {
		return nil, err
	}
	have := map[string]string{}
	for _, h := range heads {
		if _, err := shelf.Load(ctx, r.logs, event.SessionID(h.Log)); err != nil {
			return nil, err
		}
		got, err := r.logs.Read(ctx, h.Log)
		if err != nil {
			return nil, err
		}
		last := ""
		for _, x := range got.Events {
			e, err := event.Decode([]byte(x.Line(h.Log, event.Version)))
			if err != nil {
				return nil, err
			}
			switch d := e.Data.(type) {
			case *event.SessionCreated:
				have[h.Log] = ""
			case *event.AdvanceRecorded:
				last = string(d.Attempt)
				have[last] = ""
			case *event.NodeCreated:
				if d.NodeKind == event.CheckpointNode {
					last = string(e.Scope.Node)
					have[last] = ""
				}
			case *event.NodeOutputAppended:
				have[last] = d.Payload.Notes
			case *event.EdgeCreated, *event.ValidationPerformed, *event.PreferencesChanged, *event.CapabilityObserved,
				*event.GapRecorded, *event.DivergenceRecorded, *event.DecisionTraceAppended, *event.ObservationRecorded,
				*event.RunStarted, *event.ContextSet:
			}
		}
	}
	return have, nil
}
