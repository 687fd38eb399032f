package cortextest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
)

// Doubts, beside a second telling of the rules that is short enough to be seen to be
// right: random sequences of what engines, programs, people, clocks and restarts do to
// intents, on a real engine with its store in memory. After each step both have the
// same intents in doubt, after the same tries, and the tool was called as often.

// till is a tool outside. What its calls and probes come to is said beforehand.
type till struct {
	mu     sync.Mutex
	calls  []act.State // of those to come
	probes []act.State
	called map[string]int // by key
	asked  int
}

func (x *till) next(list *[]act.State) act.State {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(*list) == 0 {
		return act.Unknown
	}
	s := (*list)[0]
	*list = (*list)[1:]
	return s
}

// Act implements act.Actuator.
func (x *till) Act(_ context.Context, c act.Call) (act.Receipt, error) {
	s := x.next(&x.calls)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.called[c.Key]++
	return act.Receipt{State: s, Text: "so"}, nil
}

// tillAsked is a till that can be asked.
type tillAsked struct{ *till }

// Probe implements act.Prober.
func (x tillAsked) Probe(context.Context, act.Call) (act.Receipt, error) {
	x.mu.Lock()
	x.asked++
	x.mu.Unlock()
	return act.Receipt{State: x.next(&x.probes), Text: "so"}, nil
}

// payer is a model that pays as it is told.
type payer struct{}

var payWords = regexp.MustCompile(`pay (\d)`)

func (payer) Name() string { return "payer" }

func (payer) Complete(_ context.Context, p model.Prompt) (model.Completion, error) {
	last := p.Messages[len(p.Messages)-1]
	m := payWords.FindStringSubmatch(last.Text)
	if last.Role != model.RoleUser || m == nil {
		return model.Completion{Text: "ok"}, nil
	}
	return model.Completion{Text: fmt.Sprintf(`(:type :request :target :tool :payload (:tool "pay" :args (:amount %s)))`,
		m[1])}, nil
}

// modelIntent is an intent as the model sees it: open, in doubt or settled.
type modelIntent struct {
	id     uint64
	amount int
	state  string
	tries  int
	ours   bool // the engine carries it out
	permit *cortex.Permit
}

// doubtModel is the second telling.
type doubtModel struct {
	intents          []*modelIntent
	idempotent, asks bool
	calls, probes    []act.State
	called, asked    int
	lax              bool // negative control: forgets that the engine's tries are bounded
}

func take(list *[]act.State) act.State {
	if len(*list) == 0 {
		return act.Unknown
	}
	s := (*list)[0]
	*list = (*list)[1:]
	return s
}

func (m *doubtModel) doubts() (out []*modelIntent) {
	for _, x := range m.intents {
		if x.state == "doubt" {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b *modelIntent) int { return cmp.Compare(a.id, b.id) })
	return out
}

func (m *doubtModel) doubted(amount int) bool {
	return slices.ContainsFunc(m.doubts(), func(x *modelIntent) bool { return x.amount == amount })
}

// another reports whether the same action is in doubt under another intent: as long as
// it is, neither is tried again.
func (m *doubtModel) another(x *modelIntent) bool {
	return slices.ContainsFunc(m.doubts(), func(y *modelIntent) bool { return y != x && y.amount == x.amount })
}

// call carries an intent out once.
func (m *doubtModel) call(x *modelIntent) {
	m.called++
	if x.state = "doubt"; take(&m.calls) != act.Unknown {
		x.state = "settled"
	}
}

// heartbeat: what can be asked is asked, and what may be repeated is, three times.
func (m *doubtModel) heartbeat() {
	for _, x := range m.doubts() {
		if !x.ours {
			continue
		}
		if m.asks {
			m.asked++
			if take(&m.probes) != act.Unknown {
				x.state = "settled"
				continue
			}
		}
		if m.idempotent && (x.tries < ledger.MaxTries || m.lax) && !m.another(x) {
			x.tries++
			m.call(x)
		}
	}
}

// late: a receipt that has not come by then is missing.
func (m *doubtModel) late() {
	for _, x := range m.intents {
		if x.state == "open" {
			x.state = "doubt"
		}
	}
}

// doubtWorld is an engine with its model.
type doubtWorld struct {
	*bench
	model *doubtModel
	till  *till
	rng   *rand.Rand
	steps []string
	log   bytes.Buffer // the engine's log
}

func newDoubtWorld(t *testing.T, seed uint64) *doubtWorld {
	w := &doubtWorld{model: &doubtModel{}, till: &till{called: map[string]int{}}, rng: rand.New(rand.NewPCG(seed, 17))}
	flags, tool := "", act.Actuator(w.till)
	if w.model.idempotent = w.rng.IntN(2) == 0; w.model.idempotent {
		flags = ":idempotent t"
	}
	if w.model.asks = w.rng.IntN(2) == 0; w.model.asks {
		tool = tillAsked{w.till}
	}
	rules := `(deftool pay :doc "Pay." :params (:amount number) :required (:amount) :tier :allow :effect :external ` +
		flags + `)`
	w.bench = newBench(t, func(m *Machine) {
		m.opt.Rules, m.opt.Models.Providers = rulesOf(rules), []model.Provider{payer{}}
		m.opt.Tools = []act.Tool{{Schema: toolNamed("pay"), Actuator: tool}}
		m.opt.Logger = slog.New(slog.NewTextHandler(&w.log, nil))
	})
	t.Cleanup(w.m.Close)
	require.NoError(t, w.Operations().Wait(t.Context())) // what opening has begun
	return w
}

// foretell says what the calls and probes of the next step come to.
func (w *doubtWorld) foretell() {
	states := []act.State{act.Done, act.Failed, act.Nothing, act.Unknown, act.Unknown, act.Unknown}
	w.till.mu.Lock()
	defer w.till.mu.Unlock()
	w.till.calls, w.till.probes = nil, nil
	for range 8 {
		w.till.calls = append(w.till.calls, states[w.rng.IntN(len(states))])
		w.till.probes = append(w.till.probes, states[w.rng.IntN(len(states))])
	}
	w.model.calls, w.model.probes = slices.Clone(w.till.calls), slices.Clone(w.till.probes)
}

// some picks an intent, most often one in doubt.
func (w *doubtWorld) some() *modelIntent {
	list := w.model.doubts()
	if len(list) == 0 || w.rng.IntN(4) == 0 {
		list = w.model.intents
	}
	if len(list) == 0 {
		return nil
	}
	return list[w.rng.IntN(len(list))]
}

// step does one random thing to both, and says where they differ.
func (w *doubtWorld) step() error {
	w.foretell()
	ctx, m := w.t.Context(), w.model
	amount := 1 + w.rng.IntN(3)
	var name string
	var err error
	switch w.rng.IntN(9) {
	case 0, 1:
		name, err = fmt.Sprint("say pay ", amount), w.pay(ctx, amount)
	case 2:
		name, err = fmt.Sprint("a program begins ", amount), w.begin(ctx, amount)
	case 3:
		name, err = w.finish(ctx)
	case 4:
		name, err = w.settle(ctx)
	case 5:
		name, err = w.retry(ctx)
	case 6:
		name = "an hour"
		w.m.Clock.Add(time.Hour)
		m.late()
	case 7:
		name = "heartbeat"
		m.heartbeat()
		err = errors.Join(w.Operations().Maintain(ctx), w.Operations().Wait(ctx))
	case 8:
		name = "restart"
		m.late()
		for _, x := range m.intents {
			x.permit = nil
		}
		m.heartbeat()
		w.reopen()
		err = w.Operations().Wait(ctx)
	}
	w.steps = append(w.steps, name)
	if err == nil {
		err = w.same(ctx)
	}
	if err != nil {
		return fmt.Errorf("%w, after %q; it said: %s", err, w.steps, &w.log)
	}
	return nil
}

// pay has the model pay.
func (w *doubtWorld) pay(ctx context.Context, amount int) error {
	expect := !w.model.doubted(amount)
	before := w.till.count()
	_, err := w.Submit(ctx, cortex.Signal{Text: fmt.Sprint("pay ", amount), Session: "s1", Principal: "agent"})
	if err != nil {
		return err
	}
	if did := w.till.count() > before; did != expect {
		return fmt.Errorf("pay %d: carried out: %t, expected %t", amount, did, expect)
	}
	if expect {
		x := &modelIntent{amount: amount, ours: true}
		w.model.intents = append(w.model.intents, x)
		w.model.call(x)
		x.id = w.newest()
	}
	return nil
}

// newest is the newest intent to pay on record.
func (w *doubtWorld) newest() uint64 {
	for seq := w.Journal().Last(); seq > 0; seq-- {
		if r, err := w.Journal().Read(seq); err == nil && r.Kind == record.KindIntent && r.Body.GetText("tool") == "pay" {
			return seq
		}
	}
	return 0
}

// begin has a program take a permit.
func (w *doubtWorld) begin(ctx context.Context, amount int) error {
	d, err := w.Decide(ctx, action(w.t, "pay", fmt.Sprintf("(:amount %d)", amount)), sessionOf("s1"))
	if err != nil {
		return err
	}
	if refused := d.Key == reason.KeyInDoubt; refused != w.model.doubted(amount) {
		return fmt.Errorf("pay %d was decided %s %s", amount, d.Kind, d.Key)
	}
	if d.Kind != reason.Allow {
		return nil
	}
	p, err := w.Begin(ctx, d)
	if err != nil {
		return err
	}
	w.model.intents = append(w.model.intents, &modelIntent{id: w.newest(), amount: amount, state: "open", permit: p})
	return nil
}

// finish has a program say what came of its permit, perhaps late, or twice.
func (w *doubtWorld) finish(ctx context.Context) (string, error) {
	i := slices.IndexFunc(w.model.intents, func(x *modelIntent) bool { return x.permit != nil && w.rng.IntN(2) == 0 })
	if i < 0 {
		return "nothing", nil
	}
	x := w.model.intents[i]
	state := []act.State{act.Done, act.Nothing, act.Unknown}[w.rng.IntN(3)]
	err := x.permit.Finish(ctx, cortex.Receipt{State: state})
	settled := x.state == "settled"
	if settled == (err == nil) {
		return "", fmt.Errorf("finish of %d, which was %s, as %s: %w", x.id, x.state, state, err)
	}
	if x.state = "settled"; state == act.Unknown && !settled {
		x.state = "doubt"
	}
	return fmt.Sprintf("the program says of %d: %s", x.id, state), nil
}

// settle has somebody say what happened.
func (w *doubtWorld) settle(ctx context.Context) (string, error) {
	x, who := w.some(), []cortex.Approver{ana, {Name: "eve"}}[w.rng.IntN(2)]
	if x == nil {
		return "nothing", nil
	}
	err := w.Operations().Settle(ctx, x.id, w.rng.IntN(2) == 0, who)
	want := cortex.ErrNotApprover
	if who.Name == "ana" {
		if want = cortex.ErrNoDoubt; x.state == "doubt" {
			want, x.state = nil, "settled"
		}
	}
	if !errors.Is(err, want) {
		return "", fmt.Errorf("%s settles %d: %w, expected %w", who.Name, x.id, err, want)
	}
	return fmt.Sprintf("%s settles %d", who.Name, x.id), nil
}

// retry has a person ask for one more try.
func (w *doubtWorld) retry(ctx context.Context) (string, error) {
	x := w.some()
	if x == nil {
		return "nothing", nil
	}
	want, refused := error(nil), false
	switch {
	case x.state != "doubt":
		want = cortex.ErrNoDoubt
	case !x.ours:
		want = cortex.ErrElsewhere
	case w.model.another(x):
		refused = true
	default:
		x.tries++
		w.model.call(x)
	}
	if _, err := w.Operations().Retry(ctx, x.id, ana); !errors.Is(err, want) && !refused ||
		refused != errors.As(err, new(*cortex.NotAllowed)) {
		return "", fmt.Errorf("retry of %d: %w, expected %w", x.id, err, want)
	}
	return fmt.Sprint("retry ", x.id), nil
}

func (x *till) count() (n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, c := range x.called {
		n += c
	}
	return n
}

// same compares the engine with its model.
func (w *doubtWorld) same(ctx context.Context) error {
	got, err := w.Operations().Doubts(ctx)
	if err != nil {
		return err
	}
	want := w.model.doubts()
	same := slices.EqualFunc(got, want,
		func(d cortex.Doubt, x *modelIntent) bool { return d.Intent == x.id && d.Tries == x.tries })
	ours := 0
	for _, x := range w.model.intents {
		if x.ours {
			ours++
		}
	}
	w.till.mu.Lock()
	keys, asked := len(w.till.called), w.till.asked
	w.till.mu.Unlock()
	switch calls := w.till.count(); {
	case !same:
		return fmt.Errorf("in doubt: %v, expected %v", brief(got), briefModel(want))
	case calls != w.model.called:
		return fmt.Errorf("%d calls, expected %d", calls, w.model.called)
	case keys != ours:
		return fmt.Errorf("%d keys for %d intents", keys, ours)
	case asked != w.model.asked:
		return fmt.Errorf("asked %d times, expected %d", asked, w.model.asked)
	}
	return nil
}

func brief(list []cortex.Doubt) (out []string) {
	for _, d := range list {
		out = append(out, fmt.Sprintf("%d/%d", d.Intent, d.Tries))
	}
	return out
}

func briefModel(list []*modelIntent) (out []string) {
	for _, x := range list {
		out = append(out, fmt.Sprintf("%d/%d", x.id, x.tries))
	}
	return out
}

// TestDoubtsModel prints the seed of what differs; CORTEX_TORTURE says how many
// sequences, of forty steps each.
func TestDoubtsModel(t *testing.T) {
	crashtest.Long(t)
	sequences, seed := crashtest.Size(25)
	failures, doubts, tries := 0, 0, 0
	for i := range uint64(sequences) {
		w := newDoubtWorld(t, seed+i)
		for range 40 {
			if err := w.step(); err != nil {
				failures++
				assert.NoError(t, err, "seed %d", seed+i)
				break
			}
			doubts += len(w.model.doubts())
		}
		tries += w.model.called
		w.intact()
	}
	assert.Positive(t, doubts)
	crashtest.Result{Harness: "doubts", Trials: sequences, Seed: seed, Failures: failures, Effects: tries}.Report(t)
}

// An engine that does not do as the model says is found out: here it is the model that
// does not bound tries, or a tool that is called behind the engine's back.
func TestDoubtsModel_NegativeControls(t *testing.T) {
	crashtest.Long(t)
	for name, spoil := range map[string]func(*doubtWorld){
		"tries without end":       func(w *doubtWorld) { w.model.lax = true },
		"a call that no one made": func(w *doubtWorld) { w.till.called["rogue"] = 1 },
		"a doubt is forgotten":    func(w *doubtWorld) { withFault(faultNoDoubt)(w.m); w.reopen() },
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(60) {
				w := newDoubtWorld(t, 1+seed)
				spoil(w)
				for range 40 {
					if err := w.step(); err != nil {
						t.Logf("RESULT control=%q found-by=doubts seed=%d: %s", name, 1+seed, err)
						return
					}
				}
			}
			require.Fail(t, "not found")
		})
	}
}
