package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/cortextest"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

// The operations of a tortured client. An operation that writes records of other kinds has its
// points without more ado: they are named by the kinds of record in a commit.
const (
	opStart   = "start"
	opAdvance = "advance"
	opBlock   = "block" // an advance without notes
	opMark    = "mark"
)

// tortured is what is written, and when a client is killed meanwhile.
var (
	tortureOps   = []string{opStart, opAdvance, opBlock, opMark}
	tortureKinds = []string{"events"}
)

// torturePoints are the named ones: before and after the commit of each operation's records.
func torturePoints() (all []string) {
	for _, op := range tortureOps {
		for _, kind := range tortureKinds {
			all = append(all, "before-"+kind+"/"+op, "after-"+kind+"/"+op)
		}
	}
	return all
}

// said is what a client says: that it makes a call, and what it was answered.
type said struct {
	Do     string `json:"do"` // ready, call, answer, bad
	Op     string `json:"op,omitempty"`
	Key    string `json:"key,omitempty"` // the ticket; of a start its request
	Notes  string `json:"notes,omitempty"`
	Text   string `json:"text,omitempty"`
	Denied bool   `json:"denied,omitempty"` // the call was refused: nothing was to be written
}

// toiler is the client of one life.
type toiler struct {
	life    int
	seed    uint64
	early   bool       // the fault: commits are acknowledged before they are durable
	say     func(said) // of one line at a time
	reach   func(point string)
	tickets []string // that earlier lives were given
	prefer  string   // the operation that half of the calls are; "" for none

	mu    sync.Mutex
	doing map[string]int // operations on their way
}

// point calls reach with the name of a point and of each operation that may be at it.
func (w *toiler) point(kind string) {
	w.mu.Lock()
	var all []string
	for op, n := range w.doing {
		if n > 0 {
			all = append(all, kind+"/"+op)
		}
	}
	w.mu.Unlock()
	for _, p := range append(all, kind) {
		w.reach(p)
	}
}

// tortureFlow is long enough that few runs come to their end.
var tortureFlow = flow("acme.long", func() string {
	var steps []string
	for i := range 30 {
		steps = append(steps, fmt.Sprintf(`{"id":"s%d","title":"Step %d","prompt":"Do %d about {{topic}}."}`, i, i, i))
	}
	return strings.Join(steps, ",")
}())

// tortureRuns opens an engine over a store, and runs on it; w is nil for a look alone.
func tortureRuns(ctx context.Context, st journal.Store, dir string, w *toiler) (*cortex.Engine, *Runs, error) {
	if w != nil && w.early {
		st = cortextest.AckEarly(st)
	}
	if w != nil {
		st = cortextest.Points(st, w.point)
	}
	e, err := engine.Open(ctx, cortex.Options{Dir: dir, Live: true, Heartbeat: 24 * time.Hour,
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte("(defaults :unknown-tool :ask)")}}}, st)
	if err != nil {
		return nil, nil, err
	}
	p, err := plans.Compile(plans.Source{Name: "w", Text: []byte(tortureFlow)}, plans.Options{})
	if err != nil {
		return nil, nil, errors.Join(err, e.Close())
	}
	r, err := New(Options{Logs: e.Hosts().Logs(),
		Library: stock{p.WorkflowID: {Plan: p, Kind: plans.KindProject, Ref: "w"}}})
	return e, r, err
}

// tortureCall is the call of an operation.
func tortureCall(s said) tools.Call {
	switch s.Op {
	case opStart:
		return &tools.StartWorkflow{WorkflowID: "acme.long", Goal: "g", RequestID: s.Key,
			Context: map[string]any{"topic": s.Key}}
	case opMark:
		return &tools.CheckpointWorkflow{CheckpointToken: s.Key, Output: &tools.Output{NotesMarkdown: s.Notes}}
	}
	return &tools.ContinueWorkflow{ContinueToken: s.Key, Output: &tools.Output{NotesMarkdown: s.Notes},
		Context: map[string]any{"topic": s.Notes}}
}

// call makes a call and says so.
func (w *toiler) call(ctx context.Context, r *Runs, s said) {
	w.mu.Lock()
	w.doing[s.Op]++
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.doing[s.Op]--
		w.mu.Unlock()
	}()
	s.Do = "call"
	w.say(s)
	out, err := r.Call(ctx, agent, tortureCall(s))
	s.Do = "answer"
	if err != nil {
		code := tools.AsError(err).Code
		if s.Denied = code == tools.PreconditionFailed; !s.Denied {
			return // the power is gone, or it is as good as a timeout: nothing was acknowledged
		}
	} else {
		s.Text = textOf(out)
		w.give(out.(*tools.Reply))
	}
	w.say(s)
}

func (w *toiler) give(rep *tools.Reply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := rep.ContinueToken + rep.RetryToken; t != "" && !slices.Contains(w.tickets, t) {
		w.tickets = append(w.tickets, t)
	}
}

// draw picks a ticket, mostly one of the newest.
func (w *toiler) draw(rng *rand.Rand) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	from := 0
	if rng.IntN(4) > 0 {
		from = max(0, len(w.tickets)-3)
	}
	if len(w.tickets) == 0 {
		return ""
	}
	return w.tickets[from+rng.IntN(len(w.tickets)-from)]
}

// toil makes calls, several at a time, until the engine dies or they are made.
func (w *toiler) toil(ctx context.Context, r *Runs, clients, calls int) {
	w.doing = map[string]int{}
	w.say(said{Do: "ready"})
	var wg sync.WaitGroup
	for who := range clients {
		rng := rand.New(rand.NewPCG(w.seed, uint64(who)))
		wg.Go(func() {
			for n := range calls {
				if ctx.Err() != nil {
					return
				}
				s := said{Op: tortureOps[rng.IntN(len(tortureOps))], Key: w.draw(rng)}
				if w.prefer != "" && rng.IntN(2) == 0 {
					s.Op = w.prefer
				}
				if s.Key == "" || s.Op == opStart && (w.prefer == opStart || rng.IntN(4) == 0) {
					s.Op, s.Key = opStart, fmt.Sprintf("life-%d-%d-%d", w.life, who, n)
				} else if s.Op == opStart {
					s.Op = opAdvance
				}
				if s.Op == opAdvance || s.Op == opMark {
					s.Notes = fmt.Sprintf("n%d-%d-%d", w.life, who, n)
				}
				w.call(ctx, r, s)
			}
		})
	}
	wg.Wait()
}

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
			}
		}
	}
	return have, nil
}
