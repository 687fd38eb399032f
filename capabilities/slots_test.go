package capabilities

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// twice has two steps of the same bytes, and a card that is read before them, so that a test can get in
// between.
const twice = `
(defcapability x.twice :version "1.0.0" :owner "o" :scope :project :once (:key ("k"))
  :plan ((first :tool "restart" :args (:name "a") :undo "a restart changes nothing that lasts")
         (stop :tool "ask_person" :args (:kind "confirm" :question "Go on?") :undo "only reads")
         (second :tool "restart" :args (:name "a") :undo "a restart changes nothing that lasts")))
`

// stopped starts the plan and says yes to its card, and returns the question at which the run stops.
func (b *bench) stopped() *cortex.Approval {
	b.t.Helper()
	card := b.asks("x.twice", `()`)
	require.Len(b.t, card.Slots, 2, "the question is none of the plan's")
	b.approve(card.Token)
	go func() { // it waits for the run
		_, err := b.e.Do(b.t.Context(), b.action("x.twice", `()`), b.facts())
		_ = err // the run is looked at
	}()
	var open *cortex.Approval
	require.Eventually(b.t, func() bool {
		for a, err := range b.e.Pending(b.t.Context()) {
			if err == nil {
				open = a
			}
		}
		return open != nil
	}, 20*time.Second, time.Millisecond)
	return open
}

// rests waits until the run rests, and returns it.
func (b *bench) rests() *Run {
	b.t.Helper()
	r, err := b.begun(b.t.Context())
	require.NoError(b.t, err)
	require.NoError(b.t, b.e.Hosts().Rest(b.t.Context(), r.Log))
	r, err = b.begun(b.t.Context())
	require.NoError(b.t, err)
	return r
}

// asked are the tools of the cards that wait.
func (b *bench) asked() (tools []string) {
	for a, err := range b.e.Pending(b.t.Context()) {
		require.NoError(b.t, err)
		tools = append(tools, a.Action.Tool())
	}
	return tools
}

func TestOneYesCountsForEachStepOnce(t *testing.T) {
	b := newBench(t, deployRules, twice)
	b.approve(b.stopped().Token)
	r := b.rests()
	assert.Equal(t, statusOK, r.Status, r.Why)
	assert.Len(t, b.w.calls, 2, "two steps of the same bytes have a yes each")
	b.replays()

	_, err := b.e.Do(t.Context(), b.action("restart", `(:name "a")`), b.facts())
	assert.ErrorAs(t, err, new(*cortex.Held), "the yes to the plan is for its run alone")
}

func TestAYesDoesNotCountAfterAReload(t *testing.T) {
	b := newBench(t, deployRules, twice)
	stop := b.stopped()
	v, _, err := b.caps.Find(t.Context(), "x.twice", "")
	require.NoError(t, err)
	require.NoError(t, b.caps.Move(t.Context(), v.ID, v.Version, Retired, "op", ""))
	_ = stop
	for _, tool := range b.asked() {
		require.Equal(t, "ask_person", tool)
	}
	for a, err := range b.e.Pending(t.Context()) {
		require.NoError(t, err)
		b.approve(a.Token)
	}
	b.rests()
	assert.Equal(t, []string{"restart"}, b.asked(), "the step is asked about under the new policy; the run goes on "+
		"though its version was retired")
	assert.Len(t, b.w.calls, 1)
	b.replays()
}

func TestAYesDoesNotCountAfterItsTime(t *testing.T) {
	b := newBench(t, deployRules, twice)
	stop := b.stopped()
	b.m.Clock.Add(23 * time.Hour)
	b.approve(stop.Token)
	r := b.rests()
	assert.Equal(t, statusOK, r.Status, "it is in time still")

	b = newBench(t, deployRules, twice)
	b.stopped()
	b.m.Clock.Add(25 * time.Hour)
	require.NoError(t, b.e.Operations().Maintain(t.Context()))
	r = b.rests()
	assert.Equal(t, statusPartial, r.Status, "the question has expired with the yes")

	b = newBench(t, deployRules, deploy)
	b.w.vague = map[string]bool{"set": true}
	b.approve(b.asks("deploy.appservice", `(:app "shop" :image "v2")`).Token)
	b.does("deploy.appservice", `(:app "shop" :image "v2")`)
	b.m.Clock.Add(25 * time.Hour)
	doubts, err := b.e.Operations().Doubts(t.Context())
	require.NoError(t, err)
	require.Len(t, doubts, 1)
	require.NoError(t, b.e.Operations().Settle(t.Context(), doubts[0].Intent, true, operator))
	b.rests()
	assert.Equal(t, []string{"restart"}, b.asked(), "the step behind it is asked about: the yes is a day old")
}

func TestAnEditOfAPlanIsNoYesToItsSteps(t *testing.T) {
	b := newBench(t, deployRules, deploy)
	card := b.asks("deploy.appservice", `(:app "shop" :image "v2")`)
	edited, err := sexpr.Read("", `(:app "shop" :image "v3")`)
	require.NoError(t, err)
	d, err := b.e.Edit(t.Context(), card.Token, operator, edited)
	require.NoError(t, err)
	require.Equal(t, "ask", d.Kind.String())
	fresh, err := b.e.Approvals().Get(t.Context(), d.Approval)
	require.NoError(t, err)
	for _, s := range fresh.Slots {
		assert.Empty(t, s.By)
	}
	assert.Equal(t, `(:image "v3" :name "shop")`, fresh.Slots[0].Of.Action.Args().String())
}

// A revoked plan does not go on, and makes up for what it did.
func TestARevocationHoldsFromTheNextStepOn(t *testing.T) {
	b := newBench(t, deployRules, twice)
	b.stopped()
	v, _, err := b.caps.Find(t.Context(), "x.twice", "")
	require.NoError(t, err)
	require.NoError(t, b.caps.Move(t.Context(), v.ID, v.Version, Revoked, "op", "it is wrong"))
	for a, err := range b.e.Pending(t.Context()) {
		require.NoError(t, err)
		b.approve(a.Token)
	}
	r := b.rests()
	assert.Equal(t, statusPartial, r.Status)
	assert.Contains(t, r.Why, "revoked")
	assert.Len(t, b.w.calls, 1)
}

func TestR21_TheSameOnceKeyReturnsTheLastOutputs(t *testing.T) {
	b := newBench(t, deployRules, deploy)
	card := b.asks("deploy.appservice", `(:app "shop" :image "v2")`)
	b.approve(card.Token)
	first := b.does("deploy.appservice", `(:app "shop" :image "v2")`)
	calls := len(b.w.calls)
	b.e = b.m.Start() // also after a restart
	again := b.does("deploy.appservice", `(:app "shop" :image "v2")`)
	assert.Len(t, b.w.calls, calls, "no step runs: %s", again.Error)
	require.Equal(t, act.Done, again.State, again.Error)
	assert.Contains(t, again.Text, first.Text)
	assert.Contains(t, again.Text, "done already")
	out, _ := again.Result.Get("outputs")
	assert.Equal(t, `(:endpoint "https://shop.example.net")`, out.String())
	b.asks("deploy.appservice", `(:app "shop" :image "v3")`)
	b.replays()
}

// A step that is tried again asks again: its yes is used up.
func TestAYesIsUsedUp(t *testing.T) {
	b := newBench(t, deployRules, `
(defcapability x.again :version "1.0.0" :owner "o" :scope :project :once (:key ("k"))
  :plan ((only :tool "restart" :args (:name "a") :retries 2 :idempotent t :undo "a restart changes nothing that lasts")))`)
	b.w.fails["restart"] = true
	card := b.asks("x.again", `()`)
	b.approve(card.Token)
	go func() {
		_, err := b.e.Do(b.t.Context(), b.action("x.again", `()`), b.facts())
		_ = err // the card is looked at
	}()
	require.Eventually(t, func() bool { return len(b.asked()) > 0 }, 20*time.Second, time.Millisecond)
	b.w.mu.Lock()
	assert.Len(t, b.w.calls, 1, "the second try has a card of its own")
	b.w.mu.Unlock()
	assert.Equal(t, []string{"restart"}, b.asked())
}

func TestTheSameOnceKeyWhileItRuns(t *testing.T) {
	b := newBench(t, deployRules, twice)
	b.stopped()
	_, err := b.e.Do(t.Context(), b.action("x.twice", `()`), b.facts())
	var no *cortex.NotAllowed
	require.ErrorAs(t, err, &no)
	assert.Equal(t, "x.twice/once", no.Decision.Key)
}

// The start is cut off after its run is on record: what is tried again finds it.
func TestAStartThatWasCutOff(t *testing.T) {
	b := newBench(t, deployRules, deploy)
	b.approve(b.asks("deploy.appservice", `(:app "shop" :image "v2")`).Token)
	d, err := b.e.Decide(t.Context(), b.action("deploy.appservice", `(:app "shop" :image "v2")`), b.facts())
	require.NoError(t, err)
	p, err := b.e.Begin(t.Context(), d)
	require.NoError(t, err)
	in := p.Intent()
	a := starter{b.caps}
	call := act.Call{Action: in.Action, Key: in.Key, Session: "s", Approval: in.Approval, Decision: in.Decision,
		Asker: in.Asker}
	first, err := a.Act(t.Context(), call)
	require.NoError(t, err)
	again, err := a.Act(t.Context(), call)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	probed, err := a.Probe(t.Context(), call)
	require.NoError(t, err)
	assert.Equal(t, first, probed)
	assert.Len(t, b.w.calls, 4)
}

// What a gate in Go says of a step in advance is on record with the one decision, so that a replay, which
// asks no such gate, comes to the same.
func TestWhatATrialWasToldIsOnRecord(t *testing.T) {
	b := newBench(t, deployRules, deploy, cortex.Gate{Name: "names", Version: "1", Tools: []string{"set"},
		Judge: func(_ context.Context, c *skills.Case) (skills.Verdict, error) {
			if c.Action().Args().GetText("name") == "root" {
				return skills.Deny{Reason: skills.Reason{Text: "not that one"}}, nil
			}
			return skills.Pass{}, nil
		}})
	b.asks("deploy.appservice", `(:app "shop" :image "v2")`)
	_, err := b.e.Do(t.Context(), b.action("deploy.appservice", `(:app "root" :image "v2")`), b.facts())
	var no *cortex.NotAllowed
	require.ErrorAs(t, err, &no)
	assert.Equal(t, "deploy.appservice/step/set-image", no.Decision.Key)
	b.replays()
}

// A rule that a trial asked about what was spent makes the start rest on that.
func TestWhatATrialReadMakesTheDecisionStale(t *testing.T) {
	b := newBench(t, deployRules+`
(defskill once :trigger (= action.tool "restart") :gate ((reject c :when (> (len (calls "restart")) 0) :reason "once")))
`, deploy)
	d, err := b.e.Decide(t.Context(), b.action("deploy.appservice", `(:app "shop" :image "v2")`), b.facts())
	require.NoError(t, err)
	assert.Contains(t, d.Reads, "session/s")
	require.Equal(t, "ask", d.Kind.String())
}

// Outputs are good for :within, and then the same start runs again.
func TestR21_OutputsThatAreTooOldAreNoAnswer(t *testing.T) {
	b := newBench(t, allRules, strings.Replace(deploy, `(:key ("deploy" :app :image))`,
		`(:key ("deploy" :app :image) :within 3600)`, 1))
	b.does("deploy.appservice", `(:app "shop" :image "v2")`)
	calls := len(b.w.calls)
	b.does("deploy.appservice", `(:app "shop" :image "v2")`)
	require.Len(t, b.w.calls, calls)
	b.m.Clock.Add(2 * time.Hour)
	r := b.does("deploy.appservice", `(:app "shop" :image "v2")`)
	assert.Equal(t, act.Done, r.State, r.Error)
	assert.Len(t, b.w.calls, 2*calls)
	b.replays()
}

// A plan whose undo can never be filled in, or cannot be judged, is refused before its first step.
func TestAnUndoThatCannotBeTakenRefusesThePlan(t *testing.T) {
	const plan = `
(defcapability x.undo :version "1.0.0" :owner "o" :scope :project :inputs (:app string) :required (:app)
  :once (:key ("k" :app))
  :plan ((set :tool "set" :args (:name "a" :image "1") :undo (:tool "set" :args (:name "b" :image "to {{app}}")))))`
	b := newBench(t, allRules, plan)
	_, err := b.e.Do(t.Context(), b.action("x.undo", `(:app "../etc")`), b.facts())
	var no *cortex.NotAllowed
	require.ErrorAs(t, err, &no)
	assert.Equal(t, "x.undo/step/set/undo", no.Decision.Key)
	assert.Empty(t, b.w.calls)

	b = newBench(t, allRules+`
(defskill odd :trigger (= action.tool "set") :gate ((reject c :when (and facts.step.undo (> facts.ctx.limit 3)) :reason "r")))
`, plan)
	_, err = b.e.Do(t.Context(), b.action("x.undo", `(:app "shop")`), b.facts())
	require.ErrorAs(t, err, &no)
	assert.Equal(t, "x.undo/step/set/undo", no.Decision.Key)
	assert.Empty(t, b.w.calls)
}

// A start that comes to nothing holds no place among those that run at once.
func TestAStartThatFailsHoldsNoPlace(t *testing.T) {
	b := newBench(t, allRules, strings.Replace(deploy, `:once`, `:offer (:at-once 1) :once`, 1))
	v := b.caps.book.Load().versions[0]
	require.Error(t, b.caps.begin(t.Context(), v, act.Call{Action: b.action(v.ID, `(:app "a" :image "b")`)}, "NO LOG"))
	r := b.does("deploy.appservice", `(:app "shop" :image "v2")`)
	assert.Equal(t, act.Done, r.State, r.Error)
}

// The caller may be gone before the run is on record: what the receipt says of it is true all the same.
func TestAStartWhoseCallerIsGone(t *testing.T) {
	b := newBench(t, allRules, deploy)
	d, err := b.e.Decide(t.Context(), b.action("deploy.appservice", `(:app "shop" :image "v2")`), b.facts())
	require.NoError(t, err)
	p, err := b.e.Begin(t.Context(), d)
	require.NoError(t, err)
	in := p.Intent()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := starter{b.caps}.Act(ctx, act.Call{Action: in.Action, Key: in.Key, Session: "s", Decision: in.Decision,
		Asker: in.Asker})
	require.NoError(t, err)
	_, err = b.e.Hosts().Logs().Head(logOf(in.Key))
	assert.Equal(t, err == nil, r.State != act.Nothing, "%v", r)
}

// A rule about what makes up for a step says the same before the plan begins and when it is due.
func TestAnUndoIsJudgedUnderTheNameItHas(t *testing.T) {
	b := newBench(t, allRules+`
(defskill no :trigger (= action.tool "set") :gate ((reject c :when (= facts.step.step "set-image/undo") :reason "r")))
`, strings.Replace(deploy, "{{work.previous}}", "v0", 1))
	_, err := b.e.Do(t.Context(), b.action("deploy.appservice", `(:app "shop" :image "v2")`), b.facts())
	var no *cortex.NotAllowed
	require.ErrorAs(t, err, &no)
	assert.Equal(t, "deploy.appservice/step/set-image/undo", no.Decision.Key)
	assert.Empty(t, b.w.calls)
}
