package runs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/internal/linearize/runmodel"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/tools"
)

// Of linearRuns runs, linearClients clients play with linearAtOnce at the same time.
const linearClients, linearRuns, linearAtOnce = 16, 50, 5

// linearFlow is the workflow that is played, as it is written and as the model knows it.
var linearFlow = flow("acme.play", `{"id":"one","title":"First","prompt":"Do one."},
	{"id":"two","title":"Second","prompt":"Do two about {{topic}}."},
	{"id":"three","title":"Third","prompt":"Do three about {{topic}}."},
	{"id":"four","title":"Fourth","prompt":"Do four about {{topic}}.","uses":["topic"]}`)

// freeFlow is played by runs that nothing stops.
var freeFlow = strings.NewReplacer("acme.play", "acme.free", `,"uses":["topic"]`, "").Replace(linearFlow)

// played is a run that is played with.
type played struct {
	name, flow, mode string
	model            runmodel.Flow

	mu      sync.Mutex
	tickets []string // all that were given out, the newest last
}

// newPlayed is run i: of three, one for each mode.
func newPlayed(i int) *played {
	p := &played{name: fmt.Sprint("run", i), flow: "acme.play", mode: string(event.Guided)}
	p.model = runmodel.Flow{Tries: 10, Steps: []runmodel.Step{{ID: "one", Text: "Do one."},
		{ID: "two", Text: "Do two about TOPIC."}, {ID: "three", Text: "Do three about TOPIC."},
		{ID: "four", Text: "Do four about TOPIC.", Needs: true}}}
	switch i % 3 {
	case 1:
		p.mode, p.model.Tries = string(event.StopOnAsk), 3
	case 2:
		p.flow, p.mode, p.model.Tries, p.model.Never = "acme.free", string(event.NeverStop), 3, true
		p.model.Steps[3].Needs = false
	}
	return p
}

// session is the log of the run.
func (p *played) session() event.SessionID {
	return event.Derive[event.SessionID]("request", agent.Principal, p.name)
}

// draw picks a ticket, a new one more often than an old one.
func (p *played) draw(rng *rand.Rand) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	from := 0
	if rng.IntN(3) > 0 {
		from = max(0, len(p.tickets)-3)
	}
	if len(p.tickets) == 0 {
		return ""
	}
	return p.tickets[from+rng.IntN(len(p.tickets)-from)]
}

func (p *played) give(t string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t != "" && !slices.Contains(p.tickets[max(0, len(p.tickets)-20):], t) {
		p.tickets = append(p.tickets, t)
	}
}

// players are the clients of runs.
type players struct {
	b       *bench
	history *runmodel.History
}

// call makes one call for a client, and remembers it.
func (p *players) call(r *played, c runmodel.Call) *runmodel.Call {
	c.Run = r.name
	ctx := context.Background()
	if c.Hurried {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, time.Duration(len(c.Ticket)%3)*time.Millisecond)
		defer stop()
	}
	out := p.history.Do(c, func() (code, text string) {
		if c.Do == runmodel.Look {
			return p.look(ctx, r)
		}
		rep, err := p.b.Call(ctx, agent, p.b.asked(r, c))
		if err != nil {
			return string(tools.AsError(err).Code), tools.AsError(err).Error()
		}
		return "", textOf(rep)
	})
	if out.Code == "" && c.Do != runmodel.Look {
		r.give(runmodel.Ticket(out.Text))
	}
	return out
}

// asked is a call as a tool takes it.
func (b *bench) asked(r *played, c runmodel.Call) tools.Call {
	switch c.Do {
	case runmodel.Start:
		return &tools.StartWorkflow{WorkflowID: r.flow, Goal: "play", RequestID: r.name,
			Context: map[string]any{"topic": c.Topic}, Preferences: &tools.Preferences{Autonomy: r.mode}}
	case runmodel.Read:
		return &tools.ContinueWorkflow{ContinueToken: c.Ticket, Intent: "rehydrate"}
	case runmodel.Mark:
		return &tools.CheckpointWorkflow{CheckpointToken: c.Ticket, Output: &tools.Output{NotesMarkdown: c.Notes}}
	default:
		out := &tools.ContinueWorkflow{ContinueToken: c.Ticket, Output: &tools.Output{NotesMarkdown: c.Notes}}
		switch c.Topic {
		case "":
		case "-":
			out.Context = map[string]any{"topic": nil, "goal": nil}
		default:
			out.Context = map[string]any{"topic": c.Topic, "goal": "another"}
		}
		return out
	}
}

// look is how a person sees the run: by its fold.
func (p *players) look(ctx context.Context, r *played) (code, text string) {
	err := p.b.shelf.Read(ctx, r.session(), func(log *fold.State) error {
		at, err := p.b.place(log, log.Tip())
		if err != nil {
			return err
		}
		_, pending := position(at.at)
		text = textOf(map[string]any{"kind": "ok", "status": log.Status(!pending), "tips": len(log.Tips())})
		return nil
	})
	if err != nil {
		return string(tools.AsError(err).Code), err.Error()
	}
	return "", text
}

// play makes one call.
func (p *players) play(rng *rand.Rand, who, turn int, r *played) {
	c := runmodel.Call{Ticket: r.draw(rng), Notes: fmt.Sprintf("n%d-%d", who, turn), Hurried: rng.IntN(20) == 0}
	switch n := rng.IntN(20); {
	case n < 9:
		c.Do = runmodel.Advance
		if rng.IntN(3) == 0 {
			c.Notes = " "
		}
		if rng.IntN(4) == 0 {
			c.Topic = []string{"-", "cats", "dogs", fmt.Sprint("t", turn)}[rng.IntN(4)]
		}
	case n < 14:
		c.Do, c.Notes = runmodel.Read, ""
	case n < 17:
		c.Do = runmodel.Mark
	case n < 18:
		c.Do, c.Notes, c.Topic = runmodel.Start, "", "fish"
	default:
		c.Do, c.Notes = runmodel.Look, ""
	}
	p.call(r, c)
}

// round lets all clients play with some runs; then the power goes, and one client asks for some
// of the answers again.
func (p *players) round(seed uint64, of []*played, turns int) {
	var wg sync.WaitGroup
	for who := range linearClients {
		rng := rand.New(rand.NewPCG(seed, uint64(who)))
		wg.Go(func() {
			for _, r := range of {
				p.call(r, runmodel.Call{Do: runmodel.Start, Topic: "fish"})
			}
			for turn := range turns {
				p.play(rng, who, turn, of[rng.IntN(len(of))])
			}
		})
	}
	wg.Wait()
	for _, r := range of {
		if r.mode == string(event.StopOnAsk) {
			p.exhaust(r)
		}
	}
	p.b.reboot()
	rng := rand.New(rand.NewPCG(seed, linearClients))
	for _, r := range of {
		for _, c := range p.history.Calls(r.name) {
			if c.Do == runmodel.Start || rng.IntN(4) == 0 {
				again := runmodel.Call{Do: c.Do, Ticket: c.Ticket, Notes: c.Notes, Topic: c.Topic}
				if c.Do == runmodel.Advance || c.Do == runmodel.Mark {
					again.Notes, again.Topic = c.Notes+" otherwise", ""
				}
				p.call(r, again)
			}
		}
	}
}

// exhaust hands in nothing at the first step of a run until only a person can release it, and once
// more: whether clients come to that by themselves hangs on their turns.
func (p *players) exhaust(r *played) {
	out := p.call(r, runmodel.Call{Do: runmodel.Start, Topic: "fish"})
	out = p.call(r, runmodel.Call{Do: runmodel.Read, Ticket: runmodel.Ticket(out.Text)})
	for range r.model.Tries + 1 {
		out = p.call(r, runmodel.Call{Do: runmodel.Advance, Ticket: runmodel.Ticket(out.Text), Notes: " "})
	}
}

// entries is what the record has of a run, in the order in which it was entered.
func (p *players) entries(r *played) (out []runmodel.Entry) {
	t, session := p.b.t, r.session()
	got, err := p.b.logs.Read(t.Context(), string(session))
	require.NoError(t, err)
	require.NoError(t, got.Health.Err)
	attempts, marks := map[event.AttemptID]string{}, map[event.NodeID]string{}
	for _, c := range p.history.Calls(r.name) {
		if c.Do != runmodel.Advance && c.Do != runmodel.Mark {
			continue
		}
		a := attemptOf(t, session, c.Ticket)
		attempts[a] = c.Ticket
		marks[event.Derive[event.NodeID](string(session), string(a), "checkpoint")] = c.Ticket
	}
	topic := ""
	for _, a := range got.Appends {
		e := runmodel.Entry{}
		for _, x := range got.Events[a.First : a.Last+1] {
			ev, err := event.Decode([]byte(x.Line(string(session), event.Version)))
			require.NoError(t, err)
			switch d := ev.Data.(type) {
			case *event.RunStarted:
				e.Do, e.Ticket = runmodel.Start, r.name
			case *event.AdvanceRecorded:
				e.Do, e.Ticket = runmodel.Advance, attempts[d.Attempt]
			case *event.NodeCreated:
				if d.NodeKind == event.CheckpointNode {
					e.Do, e.Ticket = runmodel.Mark, marks[ev.Scope.Node]
				}
			case *event.EdgeCreated:
				e.Cause = string(d.Cause.Kind)
			case *event.NodeOutputAppended:
				e.Notes = d.Payload.Notes
			case *event.ContextSet:
				text, err := p.b.shelf.Content(d.Ref)
				require.NoError(t, err)
				v, err := shelf.ReadJSON([]byte(text))
				require.NoError(t, err)
				topic = v.GetText("topic")
			case *event.GapRecorded:
				if d.Severity == event.Critical {
					e.Gaps++
				}
			case *event.SessionCreated, *event.ValidationPerformed, *event.PreferencesChanged,
				*event.CapabilityObserved, *event.DivergenceRecorded, *event.DecisionTraceAppended,
				*event.ObservationRecorded:
			}
		}
		e.Topic = topic
		out = append(out, e)
	}
	return out
}

// newPlayers are players on a new machine.
func newPlayers(t *testing.T) *players {
	b := newBench(t, Options{Ceiling: func(string) event.Autonomy { return event.NeverStop }}, linearFlow, freeFlow)
	return &players{b: b, history: runmodel.NewHistory()}
}

// Runs are linearizable: each behaves as if one client at a time had used it, also when the
// power goes in between; a repeat has the same bytes, whatever it brings.
func TestLinearRuns(t *testing.T) {
	usual := 3000
	if testing.Short() {
		usual = 1500 // of which a fifth is played
	}
	operations := crashtest.Number("CORTEX_LINEAR_RUNS", usual)
	seed, begun := uint64(crashtest.Number("CORTEX_SEED", 1)), time.Now()
	runs := linearRuns
	if operations < 10*linearRuns*linearClients {
		runs = linearAtOnce
	}
	p, faults := newPlayers(t), 0
	for i := 0; i < runs; i += linearAtOnce {
		var of []*played
		for n := range linearAtOnce {
			of = append(of, newPlayed(i+n))
		}
		p.b.opt.Cached = 64
		if i == 0 {
			p.b.opt.Cached = linearAtOnce - 1 // too little room: much is read again, which is slow
		}
		p.b.open()
		p.round(seed+uint64(i), of, operations/(runs/linearAtOnce)/linearClients)
		for _, r := range of {
			wrong := runmodel.Check(r.model, p.entries(r), p.history.Calls(r.name))
			if faults += len(wrong); len(wrong) > 0 {
				t.Errorf("seed %d, %s, %s: %d calls have no place, such as %s", seed, r.name, r.mode, len(wrong), wrong[0])
			}
		}
	}
	count := p.history.Counts()
	for _, want := range []string{"start ok", "advance ok", "advance blocked", "advance PRECONDITION_FAILED", "mark ok",
		"mark blocked", "read ok", "read blocked", "look ok"} {
		assert.Positive(t, count[want], "%s: %v", want, count)
	}
	require.NoError(t, p.b.e.Journal().Verify(t.Context()))
	crashtest.Result{Harness: "linear-runs", Trials: runs, Seed: seed, Failures: faults,
		More: fmt.Sprintf("operations=%d seconds=%.0f %v", p.history.Len(), time.Since(begun).Seconds(), count)}.Report(t)
}
