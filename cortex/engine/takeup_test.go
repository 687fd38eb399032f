package engine

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/internal/session"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
)

// planner is a model that works through a list: it looks at what has been done
// in the conversation and proposes what comes next, so that it can be asked
// again by any engine at any point.
type planner struct {
	steps []string // texts of notes to keep, in order
	tool  string   // "" means "note"
	gate  func(step int)
}

func (p *planner) Name() string { return "planner" }

func (p *planner) Complete(ctx context.Context, prompt model.Prompt) (model.Completion, error) {
	var said strings.Builder
	for _, m := range prompt.Messages {
		if m.Role != model.RoleUser {
			said.WriteString(m.Text)
		}
	}
	for i, text := range p.steps {
		if strings.Contains(said.String(), text) {
			continue
		}
		if p.gate != nil {
			p.gate(i)
		}
		return model.Completion{Text: fmt.Sprintf(`(:type :request :payload (:tool %q :args (:text %q)))`,
			cmp.Or(p.tool, "note"), text)}, ctx.Err()
	}
	return model.Completion{Text: "all done"}, ctx.Err()
}

// snapshot is a disk as a power cut would leave it, and what had been done to
// the world by then.
type snapshot struct {
	disk *storetest.Disk
	done []string
}

// cutter is a disk that keeps, before each change while it watches, what a power
// cut would leave, and what had been done to the world by then.
type cutter struct {
	disk     *storetest.Disk
	world    *recordingTool // set before watching
	mu       sync.Mutex
	watching bool
	cuts     []snapshot
}

func newCutter() *cutter {
	c := &cutter{}
	c.disk = storetest.NewDisk(func(storetest.Op) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.watching {
			c.world.mu.Lock()
			c.cuts = append(c.cuts,
				snapshot{c.disk.PowerCut(0, rand.New(rand.NewPCG(1, 1))), append([]string(nil), c.world.calls...)})
			c.world.mu.Unlock()
		}
		return nil
	})
	return c
}

func (c *cutter) watch(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watching = on
}

// A conversation is cut at every change to the disk. Whatever engine comes next
// finishes it: no step is carried out twice, none is lost but one that may have
// happened, which a person has to settle.
func TestI2_KilledAtEveryPointAndTakenUp(t *testing.T) {
	opt, b := options(t, testRules, "")
	world, cutter := b.tool, newCutter()
	cutter.world = world
	opt.Dir, opt.mount = "state", on(cutter.disk)
	opt.Models.Providers = []model.Provider{&planner{steps: []string{"one", "two", "three"}}}
	e, err := open(t.Context(), opt)
	require.NoError(t, err)
	cutter.watch(true)
	sig := Signal{Text: "keep three notes", Session: "s1", Principal: "ann", Key: "k1"}
	out, err := e.Submit(t.Context(), sig)
	require.NoError(t, err)
	assert.Equal(t, "all done", out.Text)
	cutter.watch(false)
	require.NoError(t, e.Close())
	require.Equal(t, 3, world.count())
	require.Greater(t, len(cutter.cuts), 20)
	taken, doubts := 0, 0
	for i, cut := range cutter.cuts {
		if testing.Short() && i%3 > 0 {
			continue
		}
		again := &recordingTool{calls: cut.done}
		opt := opt
		opt.mount, opt.Tools = on(cut.disk), append(opt.Tools[:0:0], opt.Tools...)
		for k := range opt.Tools {
			opt.Tools[k].Actuator = again
		}
		e, err := open(t.Context(), opt)
		require.NoError(t, err, "cut %d", i)
		// The client has had no answer, so it asks again with its key.
		out, err := e.Submit(t.Context(), sig)
		require.NoError(t, err, "cut %d", i)
		counts := map[string]int{}
		for _, c := range again.calls {
			counts[c]++
		}
		for c, n := range counts {
			assert.Equal(t, 1, n, "cut %d: %s", i, c)
		}
		open, err := e.Operations().Doubts(t.Context())
		require.NoError(t, err)
		if len(open) > 0 {
			doubts++
			assert.Contains(t, out.Notice, "nobody knows whether it happened", "cut %d", i)
		} else {
			assert.Len(t, counts, 3, "cut %d", i)
			assert.Equal(t, "all done", out.Text, "cut %d", i)
		}
		if out.Repeat {
			taken++
		}
		require.NoError(t, e.Journal().Verify(t.Context()))
		require.NoError(t, e.Close())
	}
	assert.Positive(t, taken, "no cut fell behind the signal")
	assert.Positive(t, doubts, "no cut fell between an intent and its receipt")
	assert.Less(t, doubts, len(cutter.cuts), "every cut is in doubt")
	t.Logf("%d cuts, %d taken up or answered before, %d in doubt", len(cutter.cuts), taken, doubts)
}

// A tool that changes nothing is never in doubt, wherever the engine was cut off: what it was to find out is
// found out anew, and nobody is asked.
func TestKilledWhileSomethingThatChangesNothingRuns(t *testing.T) {
	crashtest.Long(t)
	for name, change := range map[string]func(*Options){
		"live": func(*Options) {},
		"dry":  func(o *Options) { o.Live, o.Dry = false, true },
	} {
		t.Run(name, func(t *testing.T) {
			opt, b := options(t, testRules, "")
			cutter := newCutter()
			cutter.world = b.tool
			opt.Dir, opt.mount = "state", on(cutter.disk)
			opt.Models.Providers = []model.Provider{&planner{steps: []string{"one", "two"}, tool: "look"}}
			change(&opt)
			e, err := open(t.Context(), opt)
			require.NoError(t, err)
			cutter.watch(true)
			sig := Signal{Text: "look twice", Session: "s1", Principal: "ann", Key: "k1"}
			whole, err := e.Submit(t.Context(), sig)
			require.NoError(t, err)
			cutter.watch(false)
			require.NoError(t, e.Close())
			kept := 0
			for i, cut := range cutter.cuts {
				opt := opt
				opt.mount = on(cut.disk)
				e, err := open(t.Context(), opt)
				require.NoError(t, err, "cut %d", i)
				out, err := e.Submit(t.Context(), sig)
				require.NoError(t, err, "cut %d", i)
				assert.Equal(t, whole.Text, out.Text, "cut %d", i)
				assert.Equal(t, whole.Notice, out.Notice, "cut %d", i)
				doubts, err := e.Operations().Doubts(t.Context())
				require.NoError(t, err)
				assert.Empty(t, doubts, "cut %d", i)
				n, err := intents(e)
				require.NoError(t, err)
				assert.Zero(t, n, "cut %d: an intent stays open", i)
				require.NoError(t, e.Journal().Records(1, func(r Record) error {
					if r.Kind == record.KindReceipt && r.Body.GetText("by") == "engine" {
						kept++
					}
					return nil
				}))
				require.NoError(t, e.Journal().Verify(t.Context()))
				require.NoError(t, e.Close())
			}
			assert.Positive(t, kept, "no cut fell between an intent and its receipt")
		})
	}
}

// intents counts those that have no receipt.
func intents(e *Engine) (n int, err error) {
	err = record.TableIntent.Scan(e.j, func(_ uint64, _ []byte) error {
		n++
		return nil
	})
	return n, err
}

// What Close cuts short is answered by the next engine, without being asked.
func TestAcceptedIsAnsweredByTheNextEngine(t *testing.T) {
	asked := make(chan struct{}, 1)
	slow := model.Provider(&planner{steps: []string{"one"}, gate: func(int) { asked <- struct{}{} }})
	b := newBench(t, testRules, "", func(o *Options) {
		o.Dir = t.TempDir()
		o.Models.Providers = []model.Provider{hanging{slow}}
	})
	a, err := b.Accept(t.Context(), Signal{Text: "keep a note", Session: "s1", Principal: "ann"})
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() {
		_, err := a.Answer(t.Context())
		ended <- err
	}()
	<-asked
	require.NoError(t, b.Engine.Close())
	assert.ErrorIs(t, <-ended, ledger.ErrClosed)
	b.opt.Models.Providers = []model.Provider{&planner{steps: []string{"one"}}}
	b.Engine = nil
	b.reopen()
	require.NoError(t, b.Operations().Wait(t.Context()))
	assert.Equal(t, 1, b.tool.count())
	assert.Equal(t, 1, b.kinds()["answer"])
	b.reopen()
	require.NoError(t, b.Operations().Wait(t.Context()))
	assert.Equal(t, 1, b.kinds()["answer"], "answered once")
}

// hanging asks its provider and then never answers.
type hanging struct{ model.Provider }

func (h hanging) Complete(ctx context.Context, p model.Prompt) (model.Completion, error) {
	_, _ = h.Provider.Complete(ctx, p)
	<-ctx.Done()
	return model.Completion{}, ctx.Err()
}

// A signal that kills anyone who works on it is given up in the end.
func TestTakeUpGivesUp(t *testing.T) {
	disk := storetest.NewDisk(nil)
	opt, _ := options(t, testRules, "")
	opt.Dir, opt.mount = "state", on(disk)
	asked := make(chan struct{}, 1)
	opt.Models.Providers = []model.Provider{hanging{&planner{steps: []string{"one"},
		gate: func(int) { asked <- struct{}{} }}}}
	e, err := open(t.Context(), opt)
	require.NoError(t, err)
	a, err := e.Accept(t.Context(), Signal{Text: "x", Session: "s1", Key: "k"})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { _, _ = a.Answer(ctx) }()
	for range session.MaxTakeUps {
		<-asked
		next := disk.PowerCut(0, rand.New(rand.NewPCG(1, 1))) // and the engine is gone
		require.NoError(t, e.Close())
		disk, opt.mount = next, on(next)
		e, err = open(t.Context(), opt)
		require.NoError(t, err)
	}
	cancel()
	<-asked
	next := disk.PowerCut(0, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, e.Close())
	opt.mount = on(next)
	e, err = open(t.Context(), opt)
	require.NoError(t, err)
	out, err := e.Submit(t.Context(), Signal{Text: "x", Session: "s1", Key: "k"})
	require.NoError(t, err)
	assert.Contains(t, out.Notice, "given up")
	require.NoError(t, e.Close())
}

func TestRow031_InterruptReachesOnesOwnWorkAlone(t *testing.T) {
	asked := make(chan struct{}, 4)
	b := newBench(t, testRules, "", func(o *Options) {
		o.Models.Providers = []model.Provider{hangsOn{"wait", asked}}
	})
	type ended struct {
		out *session.Outcome
		err error
	}
	results := make(chan ended, 4)
	send := func(session, who, text string) {
		go func() {
			out, err := b.Submit(context.Background(), Signal{Text: text, Session: session, Principal: who})
			results <- ended{out, err}
		}()
	}
	send("s1", "ann", "wait")
	<-asked
	send("s2", "ben", "wait")
	<-asked
	st, err := b.Status(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 2, st.Running)
	n, err := b.Operations().Interrupt(t.Context(), "s1", perceive.Peer{Principal: "ben"})
	assert.ErrorIs(t, err, session.ErrNotOwner)
	assert.Zero(t, n)
	n, err = b.Operations().Interrupt(t.Context(), "nowhere", perceive.Peer{Principal: "ben"})
	require.NoError(t, err)
	assert.Zero(t, n)
	n, err = b.Operations().Interrupt(t.Context(), "s1", perceive.Peer{Principal: "ann"})
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	r := <-results
	require.NoError(t, r.err)
	assert.Equal(t, "interrupted by ann", r.out.Notice)
	st, err = b.Status(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, st.Running, "ben's work goes on")
	n, err = b.Operations().Interrupt(t.Context(), "s2", perceive.Peer{Principal: "op", Operator: true})
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.Equal(t, "interrupted by op", (<-results).out.Notice)
	// The next user input is served.
	out, err := b.Submit(t.Context(), Signal{Text: "hello", Session: "s1", Principal: "ann"})
	require.NoError(t, err)
	assert.Equal(t, "hi", out.Text)
	assert.Equal(t, 2, countSensor(t, b, perceive.Interrupt), "both are on record")
}

// hangsOn never answers a prompt with this word in its last message.
type hangsOn struct {
	word  string
	asked chan struct{}
}

func (hangsOn) Name() string { return "hangs-on" }

func (h hangsOn) Complete(ctx context.Context, p model.Prompt) (model.Completion, error) {
	if p.Messages[len(p.Messages)-1].Text == h.word {
		h.asked <- struct{}{}
		<-ctx.Done()
	}
	return model.Completion{Text: "hi"}, ctx.Err()
}

func countSensor(t *testing.T, b *bench, sensor string) (n int) {
	t.Helper()
	require.NoError(t, b.Journal().Records(1, func(r Record) error {
		if r.Kind == record.KindSignal && r.Body.GetText("sensor") == sensor {
			n++
		}
		return nil
	}))
	return n
}

// An effect that is interrupted has a receipt that says what is known.
func TestInterruptCancelsATool(t *testing.T) {
	held := &recordingTool{hold: make(chan struct{})}
	started := make(chan struct{})
	b := newBench(t, testRules, "", func(o *Options) {
		for i := range o.Tools {
			o.Tools[i].Actuator = held
		}
		o.Models.Providers = []model.Provider{&planner{steps: []string{"one"}}}
		o.Handlers = []session.Handler{func(context.Context, Signal) (bool, string, error) {
			close(started)
			return false, "", nil
		}}
	})
	done := make(chan *session.Outcome, 1)
	go func() {
		out, err := b.Submit(context.Background(), Signal{Text: "x", Session: "s1", Principal: "ann"})
		assert.NoError(t, err)
		done <- out
	}()
	<-started
	for rec, err := range b.Journal().Subscribe(t.Context(), 1) {
		require.NoError(t, err)
		if rec.Kind == record.KindIntent {
			break
		}
	}
	n, err := b.Operations().Interrupt(t.Context(), "s1", perceive.Peer{Principal: "ann"})
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.Equal(t, "interrupted by ann", (<-done).Notice)
	assert.Equal(t, b.kinds()["intent"], b.kinds()["receipt"])
}

func TestRow033_HeartbeatExpiresApprovals(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Approvals.TTL, o.Heartbeat = time.Minute, time.Millisecond })
	d := b.decideOn("risky", `(:what "x")`)
	require.NotEmpty(t, d.Approval)
	b.clock.Add(120)
	for rec, err := range b.Journal().Subscribe(t.Context(), 1) {
		require.NoError(t, err)
		if rec.Kind == record.KindApproval && rec.Body.GetText("state") == string(approval.Expired) {
			break
		}
	}
	a, err := b.Engine.Approvals().Get(t.Context(), d.Approval)
	require.NoError(t, err)
	assert.Equal(t, approval.Expired, a.State)
	assert.Empty(t, *b.said, "row 32: a heartbeat says nothing")
}

func TestSetFact(t *testing.T) {
	const rules = `(deftool note :params (:text string) :tier :allow)
(defskill freeze :gate ((deny frozen :when (and (has? facts.ctx.frozen) facts.ctx.frozen) :reason "frozen for now")))`
	dir := t.TempDir()
	b := newBench(t, rules, "", func(o *Options) { o.Dir = dir })
	early := b.decideOn("note", `(:text "early")`)
	require.Equal(t, reason.Allow, early.Kind)
	err := b.Operations().SetFact(t.Context(), "frozen", sexpr.T(), approval.Approver{Name: "mallory"})
	assert.ErrorIs(t, err, approval.ErrNotApprover)
	require.NoError(t, b.Operations().SetFact(t.Context(), "frozen", sexpr.T(), ana))
	assert.Equal(t, "(:frozen t)", b.ledger.Facts().String())
	_, err = b.Begin(t.Context(), early)
	assert.ErrorContains(t, err, "frozen for now", "what was decided before is decided again")
	b.reopen()
	assert.Equal(t, reason.Deny, b.decideOn("note", `(:text "late")`).Kind)
	own := asking("s1", "agent")
	own.Ctx = sexpr.Plist("frozen", sexpr.Sym("false"))
	d, err := b.Decide(t.Context(), action(t, "note", `(:text "x")`), own)
	require.NoError(t, err)
	assert.Equal(t, reason.Allow, d.Kind, "a caller's own facts are the caller's")
	require.NoError(t, b.Operations().SetFact(t.Context(), "frozen", sexpr.Nil(), ana))
	assert.Equal(t, reason.Allow, b.decideOn("note", `(:text "later")`).Kind)
	for name, v := range map[string]sexpr.Value{"": sexpr.T(), "big": sexpr.Str(strings.Repeat("x", 5000)),
		"odd": sexpr.Sym("hello")} {
		assert.Error(t, b.Operations().SetFact(t.Context(), name, v, ana), name)
	}
	b.intact()
	got, err := b.Replay(t.Context(), ReplayOptions{})
	require.NoError(t, err)
	assert.Empty(t, got.Differences)
}

func TestRow101_MandatorySkills(t *testing.T) {
	dir := t.TempDir()
	rules := strings.Replace(testRules, "(defskill words\n", "(defskill words :mandatory t\n", 1)
	b := newBench(t, rules, "", func(o *Options) { o.Dir, o.Mandatory = dir, []string{"words"} })
	require.NoError(t, b.Engine.Close())
	for want, change := range map[string]func(*Options){
		`the mandatory skill "guard" is in none of the rule files`: func(o *Options) {
			o.Mandatory = []string{"guard"}
		},
		`the skill "words", :mandatory until now, is in none of the rule files`: func(o *Options) {
			o.Rules, o.Mandatory = rulesOf("(deftool a)"), nil
		},
		`rules.lisp:1`: func(o *Options) { o.Rules = rulesOf("(defskill words :mandatory t :gate ((deny") },
	} {
		opt := b.opt
		change(&opt)
		_, err := open(t.Context(), opt)
		assert.ErrorContains(t, err, want)
	}
	b.opt.Mandatory, b.Engine = nil, nil
	b.reopen()
	b.policies.Opt.Rules = rulesOf("(deftool a)") // the files change under it
	assert.ErrorContains(t, b.Operations().Reload(t.Context()), "the rules in force stay")
	st, err := b.Status(t.Context())
	require.NoError(t, err)
	assert.ErrorContains(t, st.Reload, ":mandatory until now")
	assert.Equal(t, reason.Deny, b.decideOn("note", `(:text "rude")`).Kind, "row 102: what ran still runs")
	b.policies.Opt.Rules = rulesOf(testRules) // retired: first without the mark, ...
	require.NoError(t, b.Operations().Reload(t.Context()))
	b.policies.Opt.Rules = rulesOf("(deftool a)") // ... then altogether
	require.NoError(t, b.Operations().Reload(t.Context()))
	b.opt.Rules = rulesOf("(deftool a)")
}

func TestContextIsBounded(t *testing.T) {
	msg := func(role model.Role, n int) model.Message {
		return model.Message{Role: role, Text: strings.Repeat("x", n)}
	}
	msgs := []model.Message{msg(model.RoleUser, 400), msg(model.RoleAssistant, 100), msg(model.RoleTool, 300),
		msg(model.RoleUser, 100), msg(model.RoleAssistant, 5000)}
	shown, left := session.Fit(msgs, 1<<20)
	assert.Equal(t, msgs, shown)
	assert.Zero(t, left)
	for limit := 4; limit < 6000; limit += 7 {
		shown, left := session.Fit(msgs, limit)
		require.Equal(t, len(msgs), left+len(shown))
		total := 0
		for _, m := range shown {
			total += min(len(m.Text), limit/4)
			assert.LessOrEqual(t, len(m.Text), limit/4+60)
		}
		assert.LessOrEqual(t, total, limit)
		if len(shown) > 0 {
			assert.NotEqual(t, model.RoleTool, shown[0].Role, "a result without its call")
		}
	}
}

// What a session's model is told of refusals holds nothing that a model wrote.
func TestW26_LogsHoldNoModelText(t *testing.T) {
	seen := &seenPrompts{texts: []string{
		`(:type :request :payload (:tool "note" :args (:text "rude MODEL-WORDS")))`,
		`(:type :request :payload (:tool "MODEL-TOOL" :args ()))`, "hello",
	}}
	b := newBench(t, testRules, "", func(o *Options) { o.Models.Providers = []model.Provider{seen} })
	b.say("first")
	b.say("second")
	last := seen.prompts[len(seen.prompts)-1]
	assert.Contains(t, last.System, "note: refused")
	assert.Contains(t, last.System, "an unknown tool: refused")
	assert.NotContains(t, last.System, "MODEL-WORDS")
	assert.NotContains(t, last.System, "MODEL-TOOL")
}

// seenPrompts gives these replies, the last one for ever, and keeps the prompts.
type seenPrompts struct {
	texts   []string
	prompts []model.Prompt
}

func (*seenPrompts) Name() string { return "seen" }

func (s *seenPrompts) Complete(_ context.Context, p model.Prompt) (model.Completion, error) {
	s.prompts = append(s.prompts, p)
	text := s.texts[0]
	if len(s.texts) > 1 {
		s.texts = s.texts[1:]
	}
	return model.Completion{Text: text, Usage: model.Usage{TokensIn: 60, TokensOut: 40}}, nil
}

func TestTokenBudget(t *testing.T) {
	seen := &seenPrompts{texts: []string{`(:type :request :payload (:tool "look" :args (:text "x")))`}}
	b := newBench(t, testRules, "", func(o *Options) {
		o.Models.Providers, o.Budgets.Tokens = []model.Provider{seen}, 250
	})
	out := b.say("go")
	assert.Equal(t, "stopped: the budget of 250 tokens for one request is used up", out.Notice)
	assert.Len(t, seen.prompts, 3)
}

// What an earlier run left is answered before what comes now, in the order in
// which it was accepted.
func TestTakenUpComesFirst(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) {
		o.Dir = t.TempDir()
		o.Models.Providers = []model.Provider{&seenPrompts{texts: []string{"ok"}}}
	})
	var want []int64
	for i := range 5 {
		a, err := b.Accept(t.Context(), Signal{Text: fmt.Sprint("left ", i), Session: "s1", Principal: "ann"})
		require.NoError(t, err)
		want = append(want, int64(a.Signal))
	}
	b.reopen()
	want = append(want, int64(b.say("new").Signal))
	require.NoError(t, b.Operations().Wait(t.Context()))
	var got []int64
	require.NoError(t, b.Journal().Records(1, func(r Record) error {
		if r.Kind == record.KindAnswer {
			got = append(got, r.Body.GetInt("signal"))
		}
		return nil
	}))
	assert.Equal(t, want, got)
}

// Places are given out in order, also where some are given up.
func TestTurns(t *testing.T) {
	b := newBench(t, testRules, "")
	first := b.sessions.Reserve("s")
	leave, err := b.sessions.Turn(t.Context(), first)
	require.NoError(t, err)
	second, third, other := b.sessions.Reserve("s"), b.sessions.Reserve("s"), b.sessions.Reserve("elsewhere")
	_, err = b.sessions.Turn(t.Context(), other)
	require.NoError(t, err, "sessions are side by side")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.sessions.Turn(ctx, second)
	require.ErrorIs(t, err, context.Canceled)
	leave()
	leave, err = b.sessions.Turn(t.Context(), third)
	require.NoError(t, err)
	leave()
	b.sessions.Vacate(other)
	assert.Empty(t, b.sessions.Queues, "nothing is kept of those who left")
}

// What people approved and the rules then refused is over for the engine: to be
// started anew does not try it again, anyone who proposes it anew may.
func TestWhatWasRefusedIsNotTakenUp(t *testing.T) {
	b := newBench(t, testRules, `(:form (:tool "risky" :args (:what "x"))) (:form (:tool "reply" :args (:text "I see")))`,
		func(o *Options) { o.Dir = t.TempDir() })
	asked := b.say("do it").Decisions[0]
	require.Equal(t, reason.Ask, asked.Kind)
	require.NoError(t, b.Operations().KillSwitch(t.Context(), true, approval.Approver{Name: "ana"}))
	require.NoError(t, b.Approve(t.Context(), asked.Approval, approval.Approver{Name: "ana"}))
	require.NoError(t, b.Operations().Wait(t.Context()))
	require.NoError(t, b.Operations().KillSwitch(t.Context(), false, approval.Approver{Name: "ana"}))
	before := b.Journal().Last()

	b.reopen()
	require.NoError(t, b.Operations().Wait(t.Context()))
	assert.Empty(t, b.tool.calls)
	require.NoError(t, b.Journal().Records(before+1, func(r Record) error {
		assert.NotEqual(t, record.KindDecision, r.Kind)
		return nil
	}))
	again := b.decideOn("risky", `(:what "x")`)
	assert.Equal(t, reason.Allow, again.Kind, "the yes holds as long as it holds")
}

// A person settles a reply in doubt while the next engine takes its signal up: the
// signal is answered, no matter who comes first.
func TestAReplyThatIsSettledWhileItIsTakenUp(t *testing.T) {
	opt, b := options(t, testRules, "")
	cutter := newCutter()
	cutter.world = b.tool
	opt.Dir, opt.mount = "state", on(cutter.disk)
	opt.Models.Providers = []model.Provider{&planner{}}
	e, err := open(t.Context(), opt)
	require.NoError(t, err)
	sig := Signal{Text: "say something", Session: "s1", Principal: "ann", Key: "k1"}
	cutter.watch(true)
	_, err = e.Submit(t.Context(), sig)
	require.NoError(t, err)
	cutter.watch(false)
	require.NoError(t, e.Close())
	settled := 0
	for range 4 {
		for i, cut := range cutter.cuts[len(cutter.cuts)/2:] {
			opt.mount = on(cut.disk.PowerCut(0, rand.New(rand.NewPCG(2, 2))))
			e, err := open(t.Context(), opt)
			require.NoError(t, err)
			var all sync.WaitGroup
			all.Go(func() {
				list, err := e.Operations().Doubts(t.Context())
				assert.NoError(t, err)
				for _, d := range list {
					if err := e.Operations().Settle(t.Context(), d.Intent, true, ana); err == nil {
						settled++
					} else {
						assert.ErrorIs(t, err, ledger.ErrNoDoubt)
					}
				}
			})
			_, err = e.Submit(t.Context(), sig)
			assert.NoError(t, err, "cut %d", i)
			all.Wait()
			require.NoError(t, e.Close())
		}
	}
	assert.Positive(t, settled)
}
