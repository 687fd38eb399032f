package engine

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// due is one step of a [stepper].
type due struct{ id, tool, args string }

// stepper is a driver whose plan is a list. Its log has an event "did" for each step that was taken, and
// an event "left" or "blocked" for one that was not, so that it can be called again at any point.
type stepper struct {
	steps []due
	work  string          // of each step
	leave bool            // it leaves out a step that is asked or denied, and goes on
	hook  func(at string) // called at named points

	mu    sync.Mutex
	calls int
	taken map[string]Taken // the last of each step
	stuck int
}

func (p *stepper) at(point string) {
	if p.hook != nil {
		p.hook(point)
	}
}

func (p *stepper) Drive(ctx context.Context, r *Run) (Rest, error) {
	p.mu.Lock()
	p.calls++
	p.mu.Unlock()
	if r.Stuck {
		p.mu.Lock()
		p.stuck++
		p.mu.Unlock()
		return Rest{Why: "unexpected"}, p.note(ctx, r, "blocked", "stuck", "", nil)
	}
	p.at("fold")
	for _, s := range p.steps {
		known := false
		for _, kind := range []string{"did", "left", "blocked"} {
			_, ok, err := r.Logs.Find(r.Log, kind+":"+s.id)
			if err != nil {
				return Rest{}, err
			}
			if known = known || ok; ok && kind == "blocked" {
				return Rest{Why: "blocked"}, nil
			}
		}
		if known {
			continue
		}
		action, err := skills.NewAction(s.tool, read(s.args), "")
		if err != nil {
			return Rest{}, err
		}
		step := Step{ID: s.id, Try: "1", Action: action, Plan: "plan", Version: 1}
		if p.work != "" {
			step.Work = read(p.work)
		}
		got, err := r.Take(ctx, step)
		if err != nil {
			return Rest{}, err
		}
		p.mu.Lock()
		if p.taken == nil {
			p.taken = map[string]Taken{}
		}
		p.taken[s.id] = got
		p.mu.Unlock()
		p.at("taken " + s.id)
		switch got.State {
		case StepDone:
			err = p.note(ctx, r, "did", s.id, fmt.Sprint(got.Receipt), nil)
		case StepLater:
			return Rest{Why: got.Reason, Later: true}, nil
		case StepInDoubt:
			return Rest{Why: got.Reason}, nil
		default:
			if p.leave {
				err = p.note(ctx, r, "left", s.id, got.Key, func(tx *logs.Tx) { tx.Leave(s.id, "1") })
			} else if got.State == StepAsked {
				return Rest{Why: got.Reason}, nil
			} else {
				return Rest{Why: "blocked"}, p.note(ctx, r, "blocked", s.id, got.Key, nil)
			}
		}
		if err != nil {
			return Rest{}, err
		}
	}
	return Rest{}, nil
}

func (p *stepper) note(ctx context.Context, r *Run, kind, id, data string, more func(*logs.Tx)) error {
	_, err := r.Logs.Append(ctx, logs.Write{Log: r.Log, Family: "test", By: r.Principal}, func(tx *logs.Tx) error {
		_, err := tx.Event(logs.Event{ID: kind + "_" + id, Kind: kind, Dedupe: kind + ":" + id,
			Data: fmt.Sprintf(`{"is":%q}`, data)})
		if more != nil {
			more(tx)
		}
		return err
	})
	return err
}

func (p *stepper) last(id string) Taken {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken[id]
}

// read reads a plist of a test.
func read(text string) sexpr.Value {
	v, err := record.Unlimited.Read("test", text)
	if err != nil {
		panic(err)
	}
	return v
}

// starts enters the first event of a run, which acts in session s1.
func (b *bench) starts(log string) {
	b.t.Helper()
	b.noted(log, 0, "", func(tx *logs.Tx) { tx.Acts("s1", ""); tx.Wake("dev") })
}

// rested waits until the run of a log is at rest.
func (b *bench) rested(log string) {
	b.t.Helper()
	b.quiet()
	require.NoError(b.t, b.Hosts().Rest(b.t.Context(), log))
}

// events are the kinds of the events of a log.
func (b *bench) events(log string) (kinds []string) {
	b.t.Helper()
	got, err := b.Hosts().Logs().Read(b.t.Context(), log)
	require.NoError(b.t, err)
	require.Equal(b.t, logs.Healthy, got.Health.Condition)
	for _, e := range got.Events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// dues are the runs that are not at rest.
func (b *bench) dues() (n int) {
	b.t.Helper()
	require.NoError(b.t, record.TableUnanswered.Scan(b.j, func(_ uint64, raw []byte) error {
		if record.DueFrom(raw).Wakes > 0 {
			n++
		}
		return nil
	}))
	return n
}

func driving(p *stepper) func(*Options) { return func(o *Options) { o.Driver = p } }

var twoNotes = []due{{"one", "note", `(:text "one")`}, {"two", "note", `(:text "two")`}}

func TestADriverTakesStepsInTheSessionThatAsked(t *testing.T) {
	p := &stepper{steps: twoNotes}
	b := newBench(t, testRules, "", driving(p))
	b.starts("run_a")
	b.rested("run_a")
	assert.Equal(t, []string{"noted", "did", "did"}, b.events("run_a"))
	assert.Equal(t, 2, b.tool.count())
	got := p.last("two")
	rec, err := b.Journal().Read(got.Decision)
	require.NoError(t, err)
	assert.Equal(t, "s1", rec.Session)
	assert.Equal(t, `(:id "two" :try "1")`, mustGet(rec.Body, "step").String())
	x, err := b.Explain(t.Context(), got.Decision)
	require.NoError(t, err)
	assert.Equal(t, skills.Step{Plan: "plan", Version: 1, ID: "two"}, x.Facts.Step)
	assert.Equal(t, []any{"ann", []string{"dev"}}, []any{x.Facts.Session.Principal, x.Facts.Session.Roles})
	assert.Len(t, x.Facts.Session.Turns, 1, "the first step is history of the session")
	assert.Equal(t, got.Intent, x.Intent)
	receipt, err := b.Journal().Read(got.Receipt)
	require.NoError(t, err)
	assert.Equal(t, record.KindReceipt, receipt.Kind)
	assert.Zero(t, b.dues())
	b.replaysTheSame()
	b.intact()
}

func mustGet(v sexpr.Value, key string) sexpr.Value {
	got, _ := v.Get(key)
	return got
}

func TestAStepWaitsForAPersonAtRest(t *testing.T) {
	p := &stepper{steps: []due{{"one", "risky", `(:what "it")`}, twoNotes[1]}}
	b := newBench(t, testRules, "", driving(p))
	b.starts("run_a")
	b.rested("run_a")
	got := p.last("one")
	require.Equal(t, StepAsked, got.State)
	assert.Zero(t, b.dues(), "a run that waits is at rest")
	assert.Zero(t, b.tool.count())
	require.NoError(t, b.Approve(t.Context(), got.Approval, ana))
	b.rested("run_a")
	assert.Equal(t, []string{"noted", "did", "did"}, b.events("run_a"))
	assert.Equal(t, 2, b.tool.count())
	card, err := b.Engine.Approvals().Get(t.Context(), got.Approval)
	require.NoError(t, err)
	assert.Equal(t, approval.Consumed, card.State)
	assert.Zero(t, b.dues())
	b.replaysTheSame()
	b.intact()
}

func TestAStepThatIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		step due
		end  func(*bench, string) error
		key  string
	}{
		"by a rule": {step: due{"one", "note", `(:text "rude")`}, key: "words/rude"},
		"by a person": {due{"one", "risky", `(:what "x")`},
			func(b *bench, token string) error { return b.Deny(context.Background(), token, ana, "no") }, KeyRefused},
		"withdrawn": {due{"one", "risky", `(:what "x")`},
			func(b *bench, token string) error { return b.Withdraw(context.Background(), token, "agent") }, KeyWithdrawn},
		"not answered in time": {due{"one", "risky", `(:what "x")`}, func(b *bench, _ string) error {
			b.clock.Add(25 * 3600)
			return b.Operations().Maintain(context.Background())
		}, KeyExpired},
	} {
		t.Run(name, func(t *testing.T) {
			p := &stepper{steps: []due{c.step, twoNotes[1]}}
			b := newBench(t, testRules, "", driving(p))
			b.starts("run_a")
			b.rested("run_a")
			if c.end != nil {
				require.Equal(t, StepAsked, p.last("one").State)
				require.NoError(t, c.end(b, p.last("one").Approval))
				b.rested("run_a")
			}
			assert.Equal(t, []any{StepDenied, c.key}, []any{p.last("one").State, p.last("one").Key})
			assert.Equal(t, []string{"noted", "blocked"}, b.events("run_a"))
			assert.Zero(t, b.tool.count())
			assert.Zero(t, b.dues())
			b.replaysTheSame()
		})
	}
}

func TestADriverAsksAPerson(t *testing.T) {
	p := &stepper{steps: []due{{"one", "ask_person", which}, twoNotes[1]}}
	b := newBench(t, vouching, "", driving(p))
	b.starts("run_a")
	b.rested("run_a")
	token := p.last("one").Approval
	require.NotEmpty(t, token)
	d, err := b.answer(token, ana, "dark blue")
	require.NoError(t, err)
	assert.Equal(t, reason.Ask, d.Kind)
	b.rested("run_a")
	got := p.last("one")
	assert.Equal(t, []any{StepDone, "dark blue"}, []any{got.State, got.Result.Result.Text()})
	assert.Equal(t, []string{"noted", "did", "did"}, b.events("run_a"))
	b.replaysTheSame()
}
