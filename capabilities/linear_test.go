package capabilities

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/internal/linearize"
	"github.com/opencortex-go/cortex/sexpr"
)

// four is a plan that asks for four steps, two and two of the same bytes. Its restarts may fail and are tried
// again, which asks again, or nothing tells what became of them, so that the run waits.
const four = `
(defcapability x.four :version "1.0.0" :owner "o" :scope :project :inputs (:a string) :required (:a)
  :once (:key ("four" :a))
  :plan ((one :tool "set" :args (:name "{{a}}" :image "1") :undo (:tool "set" :args (:name "{{a}}" :image "0")))
         (two :tool "restart" :args (:name "{{a}}") :retries 2 :idempotent t
              :undo "a restart changes nothing that lasts")
         (three :tool "set" :args (:name "{{a}}" :image "1") :undo (:tool "set" :args (:name "{{a}}" :image "0")))
         (four :tool "restart" :args (:name "{{a}}") :retries 2 :idempotent t
               :undo "a restart changes nothing that lasts")))
`

// other is a capability that comes on trial in a new version each time, which changes the policy.
const other = `
(defcapability x.other :version "1.0.%d" :owner "o" :scope :project
  :plan ((look :tool "read" :args (:name "a") :undo "only reads")))
`

// fourRules has other bytes for a step behind a restart that was tried again: people have not seen these.
const fourRules = deployRules + `
(defskill again :trigger (= action.tool "set")
  :gate ((rewrite c :when (and (= action.args.image "1") (> (len (calls "restart")) 1)) :set (:image "2") :reason "r")))
`

// The clients play at the same time, each so many turns a round, with so many cards.
const linearClients, linearTurns, linearCards = 4, 40, 6

// dealt is a card for a plan that clients play with.
type dealt struct {
	linearize.Object
	token string
	input string // :a, which no other card has
	in    string // the session
	steps map[string]string
}

// players are people and agents who use cards for plans.
type players struct {
	*bench
	history *linearize.History

	edits   sync.RWMutex // held for writing while something happens to all cards
	mu      sync.Mutex
	rng     *rand.Rand
	cards   []*dealt             // of this round
	count   int                  // of cards, so far
	decided map[uint64]time.Time // when a decision was about to be committed
	version int                  // of x.other, so far
}

// timed is a store that tells when decisions were made: a step takes its yes after that.
type timed struct {
	journal.Store
	p *players
}

func (s timed) Commit(writes []journal.Write) error {
	s.p.mu.Lock()
	for _, w := range writes {
		if seq := journal.RecordIn(w); seq != 0 {
			s.p.decided[seq] = time.Now()
		}
	}
	s.p.mu.Unlock()
	return s.Store.Commit(writes)
}

// deal makes the cards of a round.
func (p *players) deal() {
	p.mu.Lock()
	p.cards = nil
	p.mu.Unlock()
	for range linearCards {
		p.mu.Lock()
		p.count++
		input := fmt.Sprint("a", p.count)
		p.mu.Unlock()
		_, err := p.e.Do(p.t.Context(), p.action("x.four", fmt.Sprintf(`(:a %q)`, input)), inSession(input))
		var held *cortex.Held
		require.ErrorAs(p.t, err, &held)
		p.add(held.Approval, input)
	}
}

// add is a new card to play with: what people see on it is what it counts for.
func (p *players) add(a *cortex.Approval, input string) {
	d := &dealt{token: a.Token, input: input, in: a.Session, steps: map[string]string{}}
	for _, s := range a.Slots {
		if s.Of != nil {
			d.steps[s.Of.Step] = s.Of.Action.Digest().String()
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	d.Object = linearize.Object{Kind: linearize.Plan, Number: p.count*1000 + len(p.cards)}
	p.cards = append(p.cards, d)
}

func inSession(name string) *cortex.Facts {
	f := &cortex.Facts{}
	f.Session.ID, f.Session.Principal = name, "user"
	return f
}

func (p *players) draw(rng *rand.Rand) *dealt {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cards[rng.IntN(len(p.cards))]
}

// acts is what the tools of steps do. Each use of a yes to a plan is told, and each step that its run's plan
// has no yes for.
func (p *players) acts(tool string, c act.Call) act.Receipt {
	rec, err := p.e.Journal().Read(c.Decision)
	if err != nil {
		p.t.Error(err)
	}
	step, _ := record.StepFrom(rec.Body)
	root, err := p.e.Journal().Read(step.Root)
	if err != nil {
		p.t.Error(err)
	}
	run, err := p.e.Hosts().Logs().Head(root.Session)
	if err != nil {
		p.t.Error(err)
	}
	p.mu.Lock()
	since, luck := p.decided[c.Decision], p.rng.IntN(8)
	var card *dealt
	for _, d := range p.cards {
		if d.token == run.Approval {
			card = d
		}
	}
	p.mu.Unlock()
	if card != nil {
		how := linearize.Refused
		if c.Approval == card.token {
			how = linearize.Did
		}
		p.history.Saw(linearize.In{On: card.Object, Do: linearize.Take, Of: 1, Use: linearize.Use{Steps: card.steps,
			Step: step.ID, Bytes: c.Action.Digest().String()}}, since, linearize.Out{How: how})
	}
	switch {
	case tool == "restart" && luck < 3:
		return act.Receipt{State: act.Unknown, Error: "the line broke"}
	case tool == "restart" && luck < 5:
		return act.Receipt{State: act.Failed, Error: "it broke"}
	}
	return act.Receipt{State: act.Done}
}

// play lets one client make one move.
func (p *players) play(rng *rand.Rand) {
	d, ctx := p.draw(rng), context.Background()
	do := []string{linearize.Approve, linearize.Approve, linearize.Approve, linearize.Consume, linearize.Consume,
		linearize.Consume, linearize.Consume, linearize.Read, linearize.Edit, linearize.Deny, "tend", "tend", "tend",
		"tend"}[rng.IntN(14)]
	if (do == linearize.Deny || do == linearize.Edit) && rng.IntN(4) > 0 {
		do = linearize.Read
	}
	if do == "tend" {
		p.tend(ctx, rng)
		return
	}
	in := linearize.In{On: d.Object, Do: do, Of: 1}
	if do == linearize.Approve {
		in.Who = operator.Name
	}
	p.history.Do(in, func() linearize.Out { return p.move(ctx, d, do) })
}

func (p *players) move(ctx context.Context, d *dealt, do string) linearize.Out {
	var err error
	switch do {
	case linearize.Approve:
		err = p.e.Approve(ctx, d.token, operator)
	case linearize.Deny:
		err = p.e.Deny(ctx, d.token, operator, "no")
	case linearize.Edit:
		err = p.edit(ctx, d)
	case linearize.Consume:
		return linearize.Out{How: p.consume(ctx, d)}
	case linearize.Read:
		a, err := p.e.Approvals().Get(ctx, d.token)
		if err != nil {
			return linearize.Out{}
		}
		return linearize.Out{How: linearize.Did, State: string(a.State), Filled: len(a.Slots[0].By)}
	}
	switch {
	case err == nil:
		return linearize.Out{How: linearize.Did}
	case errors.As(err, new(*cortex.StateError)):
		return linearize.Out{How: linearize.Refused}
	}
	return linearize.Out{}
}

// edit puts another input in, and plays with the card that comes of it too.
func (p *players) edit(ctx context.Context, d *dealt) error {
	p.edits.RLock()
	defer p.edits.RUnlock()
	p.mu.Lock()
	p.count++
	input := fmt.Sprint("a", p.count)
	p.mu.Unlock()
	got, err := p.e.Edit(ctx, d.token, operator, sexpr.Plist("a", sexpr.Str(input)))
	if next := (*cortex.StateError)(nil); errors.As(err, &next) && next.Token != d.token {
		return nil // the card was replaced; it is the new one that takes no answer
	}
	if err == nil && got.Approval != "" {
		a, err := p.e.Approvals().Get(ctx, got.Approval)
		if err != nil {
			return err
		}
		p.add(a, input)
	}
	return err
}

// consume starts the plan.
func (p *players) consume(ctx context.Context, d *dealt) linearize.How {
	r, err := p.e.Do(ctx, p.action("x.four", fmt.Sprintf(`(:a %q)`, d.input)), inSession(d.in))
	no := (*cortex.NotAllowed)(nil)
	switch {
	case errors.As(err, new(*cortex.Held)), errors.As(err, &no) && no.Decision.Key == "x.four/once":
		return linearize.Refused
	case err != nil || r.Result.GetText("run") == "":
		return linearize.Unknown
	}
	if run, err := p.e.Hosts().Logs().Head(r.Result.GetText("run")); err != nil || run.Approval != d.token ||
		r.Result.GetTrue("repeat") {
		return linearize.Refused // another card was used, or none was needed
	}
	return linearize.Did
}

// tend answers the cards of single steps, and says of what is in doubt that it happened.
func (p *players) tend(ctx context.Context, rng *rand.Rand) {
	for a, err := range p.e.Pending(ctx) {
		if err != nil || a.Action.Tool() == "x.four" {
			continue
		}
		if rng.IntN(16) == 0 {
			err = p.e.Deny(ctx, a.Token, operator, "no")
		} else {
			err = p.e.Approve(ctx, a.Token, operator)
		}
		_ = err // another client was first
	}
	doubts, err := p.e.Operations().Doubts(ctx)
	_ = err // the engine is closing
	for _, d := range doubts {
		err := p.e.Operations().Settle(ctx, d.Intent, rng.IntN(4) > 0, operator)
		_ = err // another client was first
	}
}

// happen is what happens to all cards at once.
func (p *players) happen(do string) {
	p.edits.Lock()
	defer p.edits.Unlock()
	p.mu.Lock()
	var ins []linearize.In
	for _, d := range p.cards {
		ins = append(ins, linearize.In{On: d.Object, Do: do, Of: 1})
	}
	p.mu.Unlock()
	p.history.All(ins, func() {
		switch do {
		case linearize.Expire:
			p.m.Clock.Add(25 * time.Hour)
		case linearize.Sweep:
			require.NoError(p.t, p.e.Operations().Maintain(p.t.Context()))
		case linearize.Reload:
			p.version++
			v := read(p.t, fmt.Sprintf(other, p.version))
			require.NoError(p.t, p.caps.Register(p.t.Context(), v, "op"))
			for _, s := range []State{Tested, OnTrial} {
				require.NoError(p.t, p.caps.Move(p.t.Context(), v.ID, v.Version, s, "op", ""))
			}
		}
	})
}

// round lets all clients play with the same cards, and then brings what runs to its end.
func (p *players) round(n int, seed uint64) {
	p.deal()
	var wg sync.WaitGroup
	for client := range linearClients {
		rng := rand.New(rand.NewPCG(seed, uint64(client)))
		wg.Go(func() {
			for turn := range linearTurns {
				if client == 0 && turn == linearTurns/2 {
					p.happen([]string{linearize.Expire, linearize.Reload, linearize.Sweep}[n%3])
				}
				p.play(rng)
			}
		})
	}
	wg.Wait()
	rng := rand.New(rand.NewPCG(seed, 99))
	for range 12 {
		p.tend(p.t.Context(), rng)
		heads, err := p.e.Hosts().Logs().List(p.t.Context())
		require.NoError(p.t, err)
		for _, h := range heads {
			require.NoError(p.t, p.e.Hosts().Rest(p.t.Context(), h.Log))
		}
	}
	p.mu.Lock()
	cards := p.cards
	p.mu.Unlock()
	for _, d := range cards {
		in := linearize.In{On: d.Object, Do: linearize.Read, Of: 1}
		p.history.Do(in, func() linearize.Out { return p.move(p.t.Context(), d, linearize.Read) })
		_ = p.e.Withdraw(p.t.Context(), d.token, "user") // it may be closed
	}
}

// Cards for plans are linearizable: each behaves as if one client at a time had touched it, and its yes counts
// once for each step, for the bytes that people saw, in its time and under its policy. CORTEX_LINEAR_PLANS
// sets how many operations there are.
func TestLinearPlans(t *testing.T) {
	operations := crashtest.Number("CORTEX_LINEAR_PLANS", map[bool]int{true: 300, false: 2000}[testing.Short()])
	_, seed := crashtest.Size(0)
	p := &players{bench: newBench(t, fourRules, four), history: linearize.NewHistory(),
		rng: rand.New(rand.NewPCG(seed, 5)), decided: map[uint64]time.Time{}}
	p.w.does = p.acts
	p.m.Wrap(func(st journal.Store) journal.Store { return timed{st, p} })
	p.e = p.m.Start()
	begun := time.Now()
	for n := 0; p.history.Len() < operations; n++ {
		p.round(n, seed*1000+uint64(n))
	}
	wrong := p.history.Check()
	for _, w := range wrong {
		t.Error(w)
	}
	p.replays()
	count := p.history.Counts()
	for _, want := range []string{"plan-approve did", "plan-consume did", "plan-consume refused", "plan-take did",
		"plan-take refused", "plan-edit did", "plan-reload did", "plan-expire did"} {
		if operations < 1000 { // the short form
			break
		}
		require.Positive(t, count[want], "%s: %v", want, count)
	}
	crashtest.Result{Harness: "linear-plans", Trials: 1, Seed: seed, Failures: len(wrong),
		More: fmt.Sprintf("operations=%d seconds=%.0f %v", p.history.Len(), time.Since(begun).Seconds(), count)}.Report(t)
}
