package runs

import (
	"context"
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
