package engine

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

var ana, ben, cho = approval.Approver{Name: "ana"}, approval.Approver{Name: "ben"}, approval.Approver{Name: "cho"}

func TestApprovalSlotsNeedTheirPeople(t *testing.T) {
	b := newBench(t, `(defaults :unknown-tool :ask)
(deftool pay :params (:amount integer) :tier :allow)
(defskill money :priority 10 :trigger (= action.tool "pay")
  :gate ((ask large :when (> action.args.amount 10) :reason "large")
         (ask huge :when (> action.args.amount 100) :approvers :finance :quorum 2 :reason "huge")))`, "")
	d := b.decideOn("pay", `(:amount 500)`)
	require.Equal(t, reason.Ask, d.Kind)
	require.Len(t, d.Asks, 2, "both asks stand on one card (row 60)")
	token := d.Approval

	state := func() approval.State {
		a, err := b.Approvals().Get(t.Context(), token)
		require.NoError(t, err)
		return a.State
	}
	require.NoError(t, b.Approve(t.Context(), token, ben)) // operator and finance
	assert.Equal(t, approval.Pending, state())
	assert.ErrorIs(t, b.Approve(t.Context(), token, ben), approval.ErrNotApprover, "nobody fills two places of one slot")
	assert.ErrorIs(t, b.Approve(t.Context(), token, ana), approval.ErrNotApprover, "the operators' slot is full")
	require.NoError(t, b.Approve(t.Context(), token, cho))
	assert.Equal(t, approval.Approved, state())

	p, err := b.Begin(t.Context(), b.decideOn("pay", `(:amount 500)`))
	require.NoError(t, err)
	require.NotNil(t, p)
	assert.Equal(t, approval.Consumed, state())
	assert.Equal(t, reason.Ask, b.decideOn("pay", `(:amount 500)`).Kind, "the next one asks again")
	b.intact()
}

func TestApprovalBindsTheRewrittenAction(t *testing.T) {
	b := newBench(t, `(defaults :unknown-tool :ask)
(deftool run :params (:cmd string :timeout integer) :tier :ask)
(defskill bound :priority 1 :gate ((rewrite limit :when (missing? action.args.timeout) :set (:timeout 30) :reason "bounded")))`, "")
	d := b.decideOn("run", `(:cmd "ls")`)
	require.Equal(t, reason.Ask, d.Kind)
	a, err := b.Approvals().Get(t.Context(), d.Approval)
	require.NoError(t, err)
	assert.Contains(t, a.Action.Canonical(), ":timeout 30", "people see and bind the final form (row 59)")
	require.NoError(t, b.Approve(t.Context(), d.Approval, ana))
	p, err := b.Begin(t.Context(), b.decideOn("run", `(:cmd "ls")`))
	require.NoError(t, err)
	assert.Equal(t, a.Action.Digest(), p.Action().Digest())
	b.intact()
}

func TestApprovalIsForThisSessionRequesterAndAction(t *testing.T) {
	b := newBench(t, testRules, "")
	d := b.decideOn("risky", `(:what "x")`)
	require.NoError(t, b.Approve(t.Context(), d.Approval, ana))
	for name, other := range map[string]*Facts{"session": asking("s2", "agent"), "requester": asking("s1", "another")} {
		got, err := b.Decide(t.Context(), d.Action, other)
		require.NoError(t, err)
		assert.Equal(t, reason.Ask, got.Kind, name)
	}
	assert.Equal(t, reason.Ask, b.decideOn("risky", `(:what "y")`).Kind, "other bytes")
	b.intact()
}

func TestApprovalExpires(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Approvals.TTL = time.Hour })
	pending := b.decideOn("risky", `(:what "x")`)
	granted := b.decideOn("risky", `(:what "y")`)
	require.NoError(t, b.Approve(t.Context(), granted.Approval, ana))
	old := b.decideOn("risky", `(:what "y")`)
	require.Equal(t, reason.Allow, old.Kind)
	b.clock.Add(3601)
	err := b.Approve(t.Context(), pending.Approval, ana)
	var state *approval.StateError
	require.ErrorAs(t, err, &state)
	assert.Equal(t, approval.Expired, state.State)
	_, err = b.Begin(t.Context(), old)
	assert.ErrorAs(t, err, new(*ledger.NotAllowed), "a decision on an expired grant is made again")
	list := b.pending()
	require.Len(t, list, 1, "the fresh card")
	assert.NotEqual(t, pending.Approval, list[0].Token)
	b.intact()
}

func TestApprovalSurvivesRestart(t *testing.T) {
	dir := t.TempDir()
	b := newBench(t, testRules, `
(:form (:tool "note" :args (:text "secret")))
(:reply "kept")`, func(o *Options) { o.Dir = dir })
	out := b.say("keep it")
	before, err := b.Approvals().Get(t.Context(), out.Approval)
	require.NoError(t, err)
	b.reopen()
	after, err := b.Approvals().Get(t.Context(), out.Approval)
	require.NoError(t, err)
	assert.Equal(t, before.Bound, after.Bound)
	assert.Equal(t, before.Action.Digest(), after.Action.Digest())
	require.NoError(t, b.Approve(t.Context(), out.Approval, ana))
	require.NoError(t, b.Operations().Wait(t.Context()))
	assert.Equal(t, 1, b.tool.count())
	assert.Equal(t, []string{"kept"}, b.replies())
	b.intact()
}

// An approval given while only an inspecting engine had the record open is acted
// on by the next engine that can.
func TestApprovalGivenWhileInspecting(t *testing.T) {
	dir := t.TempDir()
	b := newBench(t, testRules, `
(:form (:tool "note" :args (:text "secret")))
(:reply "kept")`, func(o *Options) { o.Dir = dir })
	out := b.say("keep it")
	require.NoError(t, b.Engine.Close())

	desk, err := open(t.Context(), Options{Dir: dir, Inspect: true, Clock: b.opt.Clock, Approvals: b.opt.Approvals})
	require.NoError(t, err)
	require.NoError(t, desk.Approve(t.Context(), out.Approval, ana))
	require.NoError(t, desk.Close())
	assert.Empty(t, b.tool.calls)

	b.reopen()
	require.NoError(t, b.Operations().Wait(t.Context()))
	assert.Equal(t, 1, b.tool.count())
	b.intact()
}

func TestApprovalSupersededByNewRules(t *testing.T) {
	rules := fstest.MapFS{"r.lisp": {Data: []byte(testRules)}}
	b := newBench(t, testRules, "", func(o *Options) { o.Rules = rules })
	d := b.decideOn("risky", `(:what "x")`)
	require.NoError(t, b.Approve(t.Context(), d.Approval, ana))
	waiting := b.decideOn("note", `(:text "secret")`)

	rules["r.lisp"] = &fstest.MapFile{Data: []byte(testRules + `(deflist more "x")`)}
	require.NoError(t, b.Operations().Reload(t.Context()))
	for _, token := range []string{d.Approval, waiting.Approval} {
		a, err := b.Approvals().Get(t.Context(), token)
		require.NoError(t, err)
		assert.Equal(t, approval.Superseded, a.State)
		assert.Error(t, b.Approve(t.Context(), token, ana))
	}
	again := b.pending()
	assert.Len(t, again, 2, "both are asked anew under the new rules")
	assert.Equal(t, reason.Ask, b.decideOn("risky", `(:what "x")`).Kind)

	rules["r.lisp"] = &fstest.MapFile{Data: []byte(`(defskill`)}
	assert.ErrorContains(t, b.Operations().Reload(t.Context()), "the rules in force stay")
	assert.Equal(t, reason.Ask, b.decideOn("risky", `(:what "x")`).Kind, "row 102: what runs, runs on")
	b.intact()
}

func TestApprovalCoalesces(t *testing.T) {
	b := newBench(t, testRules, "")
	one := b.decideOn("risky", `(:what "x")`)
	two := b.decideOn("risky", `(:what "x")`)
	assert.Equal(t, one.Approval, two.Approval)
	assert.NotEqual(t, one.Approval, b.decideOn("risky", `(:what "y")`).Approval)
}

func TestApprovalWithdrawnAndUnknown(t *testing.T) {
	b := newBench(t, testRules, "")
	d := b.decideOn("risky", `(:what "x")`)
	assert.Error(t, b.Withdraw(t.Context(), d.Approval, "somebody"))
	require.NoError(t, b.Withdraw(t.Context(), d.Approval, "agent"))
	assert.Error(t, b.Approve(t.Context(), d.Approval, ana))
	assert.ErrorIs(t, b.Approve(t.Context(), "nonesuch", ana), approval.ErrUnknownToken)
	b.intact()
}

func TestApprovalEdited(t *testing.T) {
	b := newBench(t, testRules, `
(:form (:tool "note" :args (:text "the secret plan")))
(:reply "what a pity")
(:form (:tool "note" :args (:text "the secret plan")))
(:reply "noted")`)
	out := b.say("keep the secret plan")
	_, err := b.Edit(t.Context(), out.Approval, approval.Approver{Name: "agent"}, sexpr.Plist("text", sexpr.Str("x")))
	assert.ErrorIs(t, err, approval.ErrNotApprover)
	d, err := b.Edit(t.Context(), out.Approval, ana, sexpr.Plist("text", sexpr.Str("a rude plan")))
	require.NoError(t, err)
	assert.Equal(t, reason.Deny, d.Kind, "a person's edit goes through the gates too")
	require.NoError(t, b.Operations().Wait(t.Context()), "the model is told of it before anything else is said")

	out = b.say("again")
	d, err = b.Edit(t.Context(), out.Approval, ana, sexpr.Plist("text", sexpr.Str("a secret party")))
	require.NoError(t, err)
	require.NoError(t, b.Operations().Wait(t.Context()))
	assert.Equal(t, reason.Ask, d.Kind)
	require.Len(t, b.tool.calls, 1)
	assert.Contains(t, b.tool.calls[0], "a secret party")
	b.intact()
}

// Every byte of what an approval binds matters: changed in the store, it is
// refused.
func TestApprovalBoundFieldsCannotChange(t *testing.T) {
	b := newBench(t, testRules, "")
	d := b.decideOn("risky", `(:what "x")`)
	a, err := b.Approvals().Get(t.Context(), d.Approval)
	require.NoError(t, err)
	good := a.Value()
	_, err = approval.From(good)
	require.NoError(t, err)
	slots, _ := good.Get("slots")
	for name, bad := range map[string]sexpr.Value{
		"args":      good.With("args", sexpr.Plist("what", sexpr.Str("z"))),
		"tool":      good.With("tool", sexpr.Str("never")),
		"session":   good.With("session", sexpr.Str("s2")),
		"requester": good.With("requester", sexpr.Str("ana")),
		"expires":   good.With("expires", sexpr.Int64(a.Expires+1)),
		"nonce":     good.With("nonce", sexpr.Str("n")),
		"policy":    good.With("policy", sexpr.Str(sexpr.DigestText("x", "y").String())),
		"ask key": good.With("slots",
			sexpr.ListOf(slots.Items()[0].With("ask", sexpr.Str(sexpr.DigestText("x", "y").String())))),
		"no slots": good.With("slots", sexpr.Nil()),
	} {
		_, err := approval.From(bad)
		assert.Error(t, err, name)
	}
}

func TestPairingSecret(t *testing.T) {
	b := newBench(t, testRules, "")
	_, err := b.Approvals().Operator("", "cli")
	assert.ErrorIs(t, err, approval.ErrNotApprover, "before pairing nobody is the operator")
	secret, err := b.Approvals().Pair(t.Context(), false)
	require.NoError(t, err)
	_, err = b.Approvals().Pair(t.Context(), false)
	assert.Error(t, err)
	who, err := b.Approvals().Operator(secret, "cli")
	require.NoError(t, err)
	d := b.decideOn("risky", `(:what "x")`)
	require.NoError(t, b.Approve(t.Context(), d.Approval, who))
	_, err = b.Approvals().Operator(secret+"x", "cli")
	assert.ErrorIs(t, err, approval.ErrNotApprover)
	again, err := b.Approvals().Pair(t.Context(), true)
	require.NoError(t, err)
	_, err = b.Approvals().Operator(secret, "cli")
	assert.ErrorIs(t, err, approval.ErrNotApprover, "the old secret is worthless")
	_, err = b.Approvals().Operator(again, "cli")
	assert.NoError(t, err)
}

// Answers from many sides at once leave the approval in one state, and every
// transition on record is a legal one.
func TestApprovalConcurrentAnswers(t *testing.T) {
	b := newBench(t, testRules, "")
	for i := range 20 {
		d := b.decideOn("risky", fmt.Sprintf(`(:what "%d")`, i))
		var wg sync.WaitGroup
		var mu sync.Mutex
		yes := 0
		note := func(err error) {
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				yes++
			}
		}
		for _, who := range []approval.Approver{ana, ben} {
			wg.Go(func() { note(b.Approve(t.Context(), d.Approval, who)) })
			wg.Go(func() { note(b.Deny(t.Context(), d.Approval, who, "no")) })
		}
		wg.Wait()
		assert.Equal(t, 1, yes, "one answer counts")
	}
	last := map[string]approval.State{}
	require.NoError(t, b.Journal().Records(1, func(r Record) error {
		if r.Kind == record.KindApproval {
			token, to := r.Body.GetText("token"), approval.State(r.Body.GetText("state"))
			if from, ok := last[token]; ok && from != to {
				assert.Contains(t, approval.Next[from], to)
			}
			last[token] = to
		}
		return nil
	}))
	b.intact()
}

func TestCodeIsTheSameForTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	b := newBench(t, testRules, "", func(o *Options) { o.Dir = dir })
	d := b.decideOn("risky", `(:what "x")`)
	a, err := b.Engine.Approvals().Get(t.Context(), d.Approval)
	require.NoError(t, err)
	code, err := b.Approvals().Code(a)
	require.NoError(t, err)
	assert.Regexp(t, `^[0-9]{12}$`, code)
	b.reopen()
	again, err := b.Approvals().Code(a)
	require.NoError(t, err)
	assert.Equal(t, code, again, "the key is the record's")
	other := *a
	other.Token = "abcdefghijklmnop"
	differs, err := b.Approvals().Code(&other)
	require.NoError(t, err)
	assert.NotEqual(t, code, differs)
	other = *a
	other.Bound[0] ^= 1
	differs, err = b.Approvals().Code(&other)
	require.NoError(t, err)
	assert.NotEqual(t, code, differs)
	stranger := newBench(t, testRules, "")
	differs, err = stranger.Approvals().Code(a)
	require.NoError(t, err)
	assert.NotEqual(t, code, differs, "nobody else can make it")
}

func TestApprovalEscalates(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) {
		o.Approvals.Escalate = map[string]Escalation{"operator": {After: time.Hour, To: "finance"}}
	})
	d := b.decideOn("risky", `(:what "x")`)
	require.NoError(t, b.Operations().Maintain(t.Context()))
	assert.ErrorIs(t, b.Approve(t.Context(), d.Approval, cho), approval.ErrNotApprover, "not yet")
	b.clock.Add(3600)
	require.NoError(t, b.Operations().Maintain(t.Context()))
	n := b.kinds()["approval"]
	require.NoError(t, b.Operations().Maintain(t.Context()))
	assert.Equal(t, n, b.kinds()["approval"], "once")
	require.NoError(t, b.Approve(t.Context(), d.Approval, cho))
	assert.Equal(t, reason.Allow, b.decideOn("risky", `(:what "x")`).Kind)
	b.intact()
}

// A rule may bar the person who set the task from saying yes to it.
func TestApprovalBarsWhoSetTheTask(t *testing.T) {
	const rules = `(deftool pay :params (:n integer) :tier :allow)
(defskill two-people :trigger (= action.tool "pay") :gate ((ask second :not-user t :reason "somebody else has to agree")))`
	b := newBench(t, rules,
		`(:reply "(:type :request :payload (:tool \"pay\" :args (:n 1)))") (:reply "done")`, func(o *Options) {
			o.Tools = append(o.Tools, act.Tool{Schema: &skills.Tool{Name: "pay"},
				Actuator: act.Func(func(context.Context, act.Call) (Receipt, error) {
					return Receipt{State: act.Done}, nil
				})})
		})
	out, err := b.Submit(t.Context(), Signal{Text: "pay", Session: "s1", Principal: "ana"})
	require.NoError(t, err)
	require.NotEmpty(t, out.Approval)
	assert.ErrorIs(t, b.Approve(t.Context(), out.Approval, ana), approval.ErrNotApprover)
	assert.ErrorIs(t, b.Deny(t.Context(), out.Approval, ana, "x"), approval.ErrNotApprover)
	require.NoError(t, b.Approve(t.Context(), out.Approval, ben))
	require.NoError(t, b.Operations().Wait(t.Context()))
	assert.Equal(t, 1, b.kinds()["intent"]-1, "one payment, and the reply")
}

// The same action, proposed again by the same session while its card is open,
// has one card and one effect, and both conversations hear of it.
func TestApprovalIsSharedByBothWhoWait(t *testing.T) {
	ask := `(:reply "(:type :request :payload (:tool \"risky\" :args (:what \"x\")))") `
	for name, end := range map[string]func(*bench, string) error{
		"approved": func(b *bench, token string) error { return b.Approve(context.Background(), token, ana) },
		"denied": func(b *bench, token string) error {
			return b.Deny(context.Background(), token, ana, "too risky")
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, testRules, ask+ask+`(:reply "first hears") (:reply "second hears")`)
			one, two := b.say("do it"), b.say("do it, please")
			require.NotEmpty(t, one.Approval)
			require.Equal(t, one.Approval, two.Approval)
			require.NoError(t, end(b, one.Approval))
			require.NoError(t, b.Operations().Wait(t.Context()))
			texts := map[string]int{}
			require.NoError(t, b.Journal().Records(1, func(r Record) error {
				if r.Kind == record.KindAnswer {
					texts[fmt.Sprint(r.Body.GetInt("signal"), " ", r.Body.GetText("text"))]++
				}
				return nil
			}))
			assert.Equal(t, 1, texts[fmt.Sprint(one.Signal, " first hears")], "%v", texts)
			assert.Equal(t, 1, texts[fmt.Sprint(two.Signal, " second hears")], "%v", texts)
			assert.Equal(t, map[string]int{"approved": 1, "denied": 0}[name], b.tool.count())
			b.intact()
		})
	}
}
