package engine

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/internal/session"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// testRules are small enough to be read with every test that uses them.
const testRules = `
(defaults :unknown-tool :ask)
(deftool note :doc "Keep a note." :params (:text string) :required (:text) :tier :allow :effect :local)
(deftool look :doc "Look around." :params (:text string) :tier :allow :effect :none)
(deftool send_money :doc "Pay." :params (:recipient string :amount (number 0 1000000)) :required (:recipient :amount)
  :tier :allow :effect :external :spends (:money :amount))
(deftool risky :doc "Do something risky." :params (:what string) :tier :ask :effect :external)
(deftool never :doc "Never." :params (:what string) :tier :deny)
(defskill words
  :priority 100
  :trigger (= action.tool "note")
  :gate ((deny rude :when (contains? action.args.text "rude") :reason "notes are polite")
         (ask secret :when (contains? action.args.text "secret") :reason "a secret needs a person's yes")
         (rewrite short :when (> (len action.args.text) 40) :set (:text "(too long)") :reason "notes are short")))
(definvariant payments-stay-small
  :when (= action.tool "send_money")
  :holds (<= (+ action.args.amount (spent :money :day)) 1000)
  :reason "more than 1000 a day")
`

// recordingTool remembers what it was called with.
type recordingTool struct {
	mu    sync.Mutex
	calls []string
	keys  []string
	fail  error
	hold  chan struct{} // if set, calls wait for it
}

func (r *recordingTool) Act(ctx context.Context, c act.Call) (act.Receipt, error) {
	if r.hold != nil {
		select {
		case <-r.hold:
		case <-ctx.Done():
			return act.Receipt{}, ctx.Err()
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c.Action.Canonical())
	r.keys = append(r.keys, c.Key)
	if r.fail != nil {
		return act.Receipt{}, r.fail
	}
	return act.Receipt{State: act.Done, Result: sexpr.Plist("did", sexpr.Str(c.Action.Tool()))}, nil
}

func (r *recordingTool) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls)
}

// bench is an engine with tools that remember, and a clock that stands still.
type bench struct {
	*Engine
	t     testing.TB
	tool  *recordingTool
	clock *atomic.Int64 // Unix seconds
	said  *[]string
	opt   Options
}

var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func options(t testing.TB, rules string, script string) (Options, *bench) {
	b := &bench{t: t, tool: &recordingTool{}, clock: new(atomic.Int64), said: new([]string)}
	b.clock.Store(start.Unix())
	opt := Options{
		Live: true, Rules: fstest.MapFS{"rules.lisp": {Data: []byte(rules)}},
		Clock:     ClockOptions{Now: func() time.Time { return time.Unix(b.clock.Load(), 0) }},
		Approvals: ApprovalOptions{Classes: map[string][]string{"operator": {"ana", "ben"}, "finance": {"ben", "cho"}}},
	}
	for _, name := range []string{"note", "look", "send_money", "risky", "never"} {
		opt.Tools = append(opt.Tools, act.Tool{Schema: &skills.Tool{Name: name}, Actuator: b.tool})
	}
	if script != "" {
		p, err := model.NewScripted("script", "script.lisp", script)
		require.NoError(t, err)
		opt.Models.Providers = []model.Provider{p}
	}
	return opt, b
}

func newBench(t *testing.T, rules, script string, change ...func(*Options)) *bench {
	t.Helper()
	opt, b := options(t, rules, script)
	for _, f := range change {
		f(&opt)
	}
	b.opt = opt
	b.reopen()
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// reopen closes the engine, if there is one, and opens it again on the record.
func (b *bench) reopen() {
	b.t.Helper()
	if b.Engine != nil {
		require.NoError(b.t, b.Engine.Close())
	}
	e, err := open(b.t.Context(), b.opt)
	require.NoError(b.t, err)
	b.Engine = e
}

func (b *bench) say(text string) *session.Outcome {
	b.t.Helper()
	out, err := b.Submit(b.t.Context(), Signal{Text: text, Session: "s1", Principal: "agent"})
	require.NoError(b.t, err)
	return out
}

func action(t testing.TB, tool, args string) *Action {
	t.Helper()
	v, err := sexpr.Read("args", args)
	require.NoError(t, err)
	a, err := NewAction(tool, v, "")
	require.NoError(t, err)
	return a
}

func asking(id, principal string) *Facts {
	return &Facts{Session: skills.Session{ID: id, Principal: principal}}
}

func (b *bench) decideOn(tool, args string) *Decision {
	b.t.Helper()
	d, err := b.Decide(b.t.Context(), action(b.t, tool, args), asking("s1", "agent"))
	require.NoError(b.t, err)
	return d
}

// pending are the approvals that wait for people.
func (b *bench) pending() (out []*approval.Approval) {
	b.t.Helper()
	for a, err := range b.Pending(b.t.Context()) {
		require.NoError(b.t, err)
		out = append(out, a)
	}
	return out
}

// kinds counts the records of each kind.
func (b *bench) kinds() map[string]int {
	b.t.Helper()
	out := map[string]int{}
	require.NoError(b.t, b.Journal().Records(1, func(r Record) error {
		out[r.Kind]++
		return nil
	}))
	return out
}

// intact checks what must hold of every record at the end of every test.
func (b *bench) intact() {
	b.t.Helper()
	require.NoError(b.t, b.Journal().Verify(b.t.Context()))
	got, err := b.Replay(b.t.Context(), ReplayOptions{})
	require.NoError(b.t, err)
	assert.Empty(b.t, got.Differences)
}

func TestSubmitAllowed(t *testing.T) {
	b := newBench(t, testRules, `
(:form (:type :request :target :tool :payload (:tool "note" :args (:text "milk")) :explanation "to remember"))
(:when ("note") :reply "Noted.")`)
	out := b.say("remember the milk")
	assert.Equal(t, "Noted.", out.Text)
	assert.Empty(t, out.Notice)
	require.Len(t, b.tool.calls, 1)
	assert.Equal(t, `(:args (:text "milk") :target :tool :tool "note" :type :request)`, b.tool.calls[0])
	k := b.kinds()
	assert.Equal(t, 2, k["decision"], "the note and the reply")
	assert.Equal(t, 2, k["intent"])
	assert.Equal(t, 2, k["receipt"])
	assert.Equal(t, 2, k["signal"], "the user's and the feedback")
	b.intact()
}

func TestSubmitRewritten(t *testing.T) {
	b := newBench(t, testRules, `
(:form (:tool "note" :args (:text "a text that is much too long to be kept as one short note")))
(:reply "ok")`)
	b.say("remember all this")
	require.Len(t, b.tool.calls, 1)
	assert.Contains(t, b.tool.calls[0], `"(too long)"`)
	b.intact()
}

func TestSubmitCorrected(t *testing.T) {
	b := newBench(t, testRules, `
(:form (:tool "note" :args (:text "a rude word")))
(:form (:tool "note" :args (:text "a kind word")) :expect ("PREVIOUS PROPOSAL REJECTED" "notes are polite"))
(:reply "done")`)
	out := b.say("write something")
	assert.Equal(t, "done", out.Text)
	require.Len(t, b.tool.calls, 1)
	assert.Contains(t, b.tool.calls[0], "kind")
	b.intact()
}

func TestSubmitAskedAndApproved(t *testing.T) {
	b := newBench(t, testRules, `
(:form (:tool "note" :args (:text "the secret")))
(:when ("note") :reply "kept")`)
	out := b.say("keep the secret")
	require.NotEmpty(t, out.Approval)
	assert.Contains(t, out.Notice, "a secret needs a person's yes")
	assert.Empty(t, b.tool.calls)
	pending := b.pending()
	require.Len(t, pending, 1)
	assert.Equal(t, out.Approval, pending[0].Token)

	require.NoError(t, b.Approve(t.Context(), out.Approval, approval.Approver{Name: "ana", Via: "api"}))
	require.NoError(t, b.Operations().Wait(t.Context()))
	require.Len(t, b.tool.calls, 1)
	a, err := b.Approvals().Get(t.Context(), out.Approval)
	require.NoError(t, err)
	assert.Equal(t, approval.Consumed, a.State)
	assert.Equal(t, []string{"kept"}, b.replies())
	b.intact()
}

// replies are the texts of the replies on record.
func (b *bench) replies() []string {
	var out []string
	require.NoError(b.t, b.Journal().Records(1, func(r Record) error {
		if r.Kind == record.KindIntent && r.Body.GetText("tool") == "reply" {
			args, _ := r.Body.Get("args")
			out = append(out, args.GetText("text"))
		}
		return nil
	}))
	return out
}

func TestSubmitDeniedByPerson(t *testing.T) {
	b := newBench(t, testRules, `
(:form (:tool "note" :args (:text "the secret")))
(:reply "I will not." :expect ("it was refused" "not today"))`)
	out := b.say("keep the secret")
	require.NoError(t, b.Deny(t.Context(), out.Approval, approval.Approver{Name: "ana"}, "not today"))
	require.NoError(t, b.Operations().Wait(t.Context()))
	assert.Empty(t, b.tool.calls)
	assert.Equal(t, []string{"I will not."}, b.replies())
	b.intact()
}

func TestDedupeReturnsTheFirstAnswer(t *testing.T) {
	b := newBench(t, testRules, `(:reply "first") (:reply "second") (:reply "third")`)
	sig := Signal{Key: "k1", Text: "hi", Session: "s1", Principal: "agent"}
	one, err := b.Submit(t.Context(), sig)
	require.NoError(t, err)
	two, err := b.Submit(t.Context(), sig)
	require.NoError(t, err)
	assert.Equal(t, one.Text, two.Text)
	assert.Equal(t, one.Signal, two.Signal)
	assert.True(t, two.Repeat)
	sig.Principal = "another"
	three, err := b.Submit(t.Context(), sig)
	require.NoError(t, err)
	assert.Equal(t, "second", three.Text, "a dedupe key is scoped by principal")
	sig.Source = "telegram"
	four, err := b.Submit(t.Context(), sig)
	require.NoError(t, err)
	assert.Equal(t, "third", four.Text, "and by source")
}

func TestNothingIsDecidedWithoutRules(t *testing.T) {
	e, err := open(t.Context(), Options{Live: true})
	require.NoError(t, err)
	defer e.Close()
	d, err := e.Decide(t.Context(), action(t, "note", `(:text "x")`), nil)
	require.NoError(t, err)
	assert.Equal(t, reason.Deny, d.Kind)
	_, err = e.Begin(t.Context(), d)
	assert.ErrorAs(t, err, new(*ledger.NotAllowed))
}

func TestOptionsReportEveryContradiction(t *testing.T) {
	_, err := open(t.Context(),
		Options{Budgets: Budgets{Depth: -1, Turns: -2}, Live: true, Observe: true, Inspect: true, Env: sexpr.Str("x")})
	require.Error(t, err)
	for _, want := range []string{"Depth", "Turns", "Observe", "Inspect", "Env"} {
		assert.Contains(t, err.Error(), want)
	}
	assert.Equal(t, 5, strings.Count(err.Error(), "cortex: "))
}

// rulesOf is a folder with one rule file.
func rulesOf(text string) fstest.MapFS { return fstest.MapFS{"rules.lisp": {Data: []byte(text)}} }
