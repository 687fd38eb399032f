package capabilities

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
)

// referee runs plans in an engine, whose tools and people do what the script says.
type referee struct {
	*bench
	mu    sync.Mutex
	plan  *refPlan
	calls []string
	seen  uint64 // the last record that was looked at
}

func newReferee(t *testing.T, rules *refRules) *referee {
	r := &referee{bench: &bench{t: t, caps: New()}}
	tool := func(name string) act.Tool {
		return act.Tool{Schema: &skills.Tool{Name: name}, Actuator: act.Func(r.act)}
	}
	var err error
	r.e, err = cortex.Open(t.Context(), cortex.Options{Live: true, Heartbeat: 24 * time.Hour, Capabilities: r.caps,
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte(rules.text())}},
		Tools: []act.Tool{tool("pay"), tool("look"), tool("put")}})
	require.NoError(t, err, rules.text())
	return r
}

// tried is the try of a step that a decision is about.
func (r *referee) tried(decision uint64) record.Step {
	rec, err := r.e.Journal().Read(decision)
	require.NoError(r.t, err)
	step, _ := record.StepFrom(rec.Body)
	return step
}

func (r *referee) fate(s record.Step) (act.State, string, bool, bool) {
	n, err := strconv.Atoi(s.Try)
	require.NoError(r.t, err)
	return fate(r.plan.id, s.ID, n)
}

func (r *referee) act(_ context.Context, c act.Call) (act.Receipt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.tried(c.Decision)
	r.calls = append(r.calls, fmt.Sprintf("%s/%s %s %s", s.ID, s.Try, c.Action.Tool(), c.Action.Args()))
	state, text, _, _ := r.fate(s)
	rc := act.Receipt{State: state, Text: text}
	if state != act.Done {
		rc = act.Receipt{State: state, Error: "it broke"}
	}
	return rc, nil
}

// inForce puts plans in force, all at once.
func (r *referee) inForce(plans []*refPlan) {
	for _, p := range plans {
		v := read(r.t, p.text())
		require.NoError(r.t, r.caps.change(r.t.Context(), "op", func(*registry) (*moved, error) {
			return &moved{ID: v.ID, Version: v.Version, Plan: v.Hash().String(), State: InForce, By: "op"}, nil
		}, string(v.Canonical())))
	}
	require.NoError(r.t, r.caps.host.Reload(r.t.Context()))
}

// starts starts a plan in a session, and people answer as the script says until it has its Result. denied
// names the step that refuses the plan.
func (r *referee) starts(p *refPlan, session string) (denied string, asks bool, run *Run) {
	ctx := r.t.Context()
	r.mu.Lock()
	r.plan, r.calls = p, nil
	r.mu.Unlock()
	r.seen = r.e.Journal().Last()
	start := r.action("x."+p.id, fmt.Sprintf(`(:id %q)`, p.id))
	got, err := r.e.Do(ctx, start, inSession(session))
	if held := (*cortex.Held)(nil); errors.As(err, &held) {
		asks = true
		r.approve(held.Approval.Token)
		got, err = r.e.Do(ctx, start, inSession(session))
	}
	if no := (*cortex.NotAllowed)(nil); errors.As(err, &no) {
		return strings.TrimPrefix(no.Decision.Key, "x."+p.id+"/step/"), asks, nil
	}
	require.NoError(r.t, err)
	log := got.Result.GetText("run")
	require.NotEmpty(r.t, log, got.Error)
	for range 200 {
		run, err = r.caps.Show(ctx, log)
		require.NoError(r.t, err)
		if run.Ended() {
			return "", asks, run
		}
		r.answers(ctx)
		require.NoError(r.t, r.e.Hosts().Rest(ctx, log))
	}
	require.Fail(r.t, "it comes to no end", p.text())
	return
}

// answers is what people do: they answer cards, and say what became of what is in doubt.
func (r *referee) answers(ctx context.Context) {
	for a, err := range r.e.Pending(ctx) {
		require.NoError(r.t, err)
		if _, _, yes, _ := r.fate(r.tried(a.Decision)); yes {
			r.approve(a.Token)
		} else {
			require.NoError(r.t, r.e.Deny(ctx, a.Token, operator, "no"))
		}
	}
	doubts, err := r.e.Operations().Doubts(ctx)
	require.NoError(r.t, err)
	for _, d := range doubts {
		in, err := r.e.Journal().Read(d.Intent)
		require.NoError(r.t, err)
		_, _, _, happened := r.fate(record.IntentFrom(in.Body).Step)
		require.NoError(r.t, r.e.Operations().Settle(ctx, d.Intent, happened, operator))
	}
}

// lines are the decisions on steps since the plan began, as the record has them, and the calls of tools behind
// those that allow them. Every call needs an allow of its own, over its bytes.
func (r *referee) lines() (lines []string) {
	calls := r.calls
	allows := map[uint64]string{}
	require.NoError(r.t, r.e.Journal().Records(r.seen+1, func(rec cortex.Record) error {
		s, ok := record.StepFrom(rec.Body)
		switch {
		case !ok || s == (record.Step{}):
		case rec.Kind == record.KindDecision:
			d, err := record.DecisionFrom(rec)
			require.NoError(r.t, err)
			lines = append(lines, fmt.Sprintf("%s/%s %s", s.ID, s.Try, d.Kind))
			if d.Kind == reason.Allow {
				allows[rec.Seq] = d.Action.Digest().String()
			}
		case rec.Kind == record.KindIntent:
			in := record.IntentFrom(rec.Body)
			require.Equal(r.t, allows[in.Decision], in.Digest, "an intent without an allow over its bytes")
			delete(allows, in.Decision)
			if len(calls) > 0 {
				lines, calls = append(lines, calls[0]), calls[1:]
			}
		}
		return nil
	}))
	return append(lines, calls...)
}

// story is a run as the reference tells it.
func story(run *Run) string {
	out := []string{run.Status}
	for _, s := range run.Steps {
		text := s.Name + " " + s.State
		if s.Undone != "" {
			text += " undone " + s.Undone
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// Plans, rules and histories, with results, retries, failures, doubts, refusals of people and undos, come out in
// the engine as the reference says: which steps are decided, how, and in what order, what is done, what is made
// up for, and the Result. CORTEX_PLANS sets how many plans; CORTEX_SEED is the first seed.
func TestRunsAgainstReference(t *testing.T) {
	const perBook, perSession = 24, 4 // plans: those of a session have the earlier ones as their history
	plans, begun := crashtest.Number("CORTEX_PLANS", map[bool]int{true: 120, false: 480}[testing.Short()]), time.Now()
	_, seed := crashtest.Size(0)
	ends, retried, undone := map[string]int{}, 0, 0
	for book := range (plans + perBook - 1) / perBook {
		d := dice{rand.New(rand.NewPCG(seed+uint64(book), 22))}
		rules := d.refRules()
		r := newReferee(t, rules)
		var past []refCall
		var all []*refPlan
		for i := range perBook {
			all = append(all, d.refPlan(fmt.Sprintf("p%d-%d", seed+uint64(book), i)))
		}
		r.inForce(all)
		for i, p := range all {
			if i%perSession == 0 {
				past = nil
			}
			want := &refRun{rules: rules, plan: p, past: past}
			wantDenied, wantAsks := want.whole()
			denied, asks, run := r.starts(p, fmt.Sprint("s", i/perSession))
			at := fmt.Sprintf("seed %d, plan %d\n%s\n%s", seed+uint64(book), i, rules.text(), p.text())
			require.Equal(t, wantDenied, denied, at)
			require.Equal(t, wantAsks, asks, at)
			if denied != "" {
				ends["denied"]++
				continue
			}
			wanted := want.run()
			require.Equal(t, want.lines, r.lines(), at)
			require.Equal(t, wanted, story(run), at)
			past = want.past
			ends[run.Status]++
			retried += strings.Count(strings.Join(want.lines, "\n"), "/2 allow")
			undone += strings.Count(wanted, "undone done")
		}
		r.replays()
		require.NoError(t, r.e.Close())
	}
	for _, k := range []string{"denied", statusOK, statusPartial, statusRefused} {
		require.True(t, ends[k] > 0 || plans < 200, "%s: %v", k, ends)
	}
	require.True(t, undone > 0 || plans < 200)
	crashtest.Result{Harness: "reference-plans", Trials: plans, Seed: seed,
		More: fmt.Sprintf("seconds=%.0f retried=%d undone=%d %v", time.Since(begun).Seconds(), retried, undone,
			ends)}.Report(t)
}
