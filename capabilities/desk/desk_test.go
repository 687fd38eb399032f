package desk_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/desk"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

const tools = `
(deftool read :params (:name string) :required (:name) :tier :allow :effect :none)
(deftool set :params (:name string :image string) :required (:name :image) :tier :ask :effect :external)
(defaults :unknown-tool :deny)
`

const plan = `
(defcapability deploy.app
  :version "VERSION" :owner "team" :scope :project
  :inputs (:app string :image string) :required (:app :image)
  :once (:key ("deploy" :app :image))
  :plan ((was :tool "read" :args (:name "{{app}}") :out (:previous text) :undo "only reads")
         (put :tool "set" :args (:name "{{app}}" :image "{{image}}")
              :undo (:tool "set" :args (:name "{{app}}" :image "{{work.previous}}"))))
  :tests ((works :inputs (:app "shop" :image "v2") :expect (:status :EXPECT)))
  :fuzz (:count 5))
`

type bench struct {
	t *testing.T
	e *cortex.Engine
	d *desk.Desk
}

func newBench(t *testing.T) *bench {
	t.Helper()
	caps := capabilities.New()
	does := act.Func(func(context.Context, act.Call) (act.Receipt, error) {
		return act.Receipt{State: act.Done, Text: "v1"}, nil
	})
	e, err := cortex.Open(t.Context(), cortex.Options{Live: true, Heartbeat: time.Hour, Capabilities: caps,
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte(tools)}},
		Tools: []act.Tool{{Schema: &skills.Tool{Name: "read"}, Actuator: does},
			{Schema: &skills.Tool{Name: "set"}, Actuator: does}}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Close()) })
	return &bench{t, e, &desk.Desk{Capabilities: caps, Engine: e}}
}

var operator = &cortex.Approver{Name: "ann", Classes: []string{"operator"}}

func (b *bench) does(who *cortex.Approver, verb string, params any) (desk.Answer, error) {
	b.t.Helper()
	text, err := json.Marshal(params)
	require.NoError(b.t, err)
	return b.d.Do(b.t.Context(), who, verb, text)
}

func (b *bench) must(verb string, params any) string {
	b.t.Helper()
	a, err := b.does(operator, verb, params)
	require.NoError(b.t, err)
	return a.Text
}

func (b *bench) register(version, expect string) {
	b.t.Helper()
	text := strings.NewReplacer("VERSION", version, "EXPECT", expect).Replace(plan)
	b.must("register", desk.Register{File: "deploy.lisp", Text: text})
}

func (b *bench) start() *cortex.Held {
	b.t.Helper()
	a, err := skills.NewAction("deploy.app", sexpr.Plist("app", sexpr.Str("shop"), "image", sexpr.Str("v2")), "")
	require.NoError(b.t, err)
	f := &cortex.Facts{}
	f.Session.ID, f.Session.Principal = "s", "user"
	_, err = b.e.Do(b.t.Context(), a, f)
	var held *cortex.Held
	require.ErrorAs(b.t, err, &held)
	return held
}

// A version goes from registered to in force, and every state is a person's doing or a test's.
func TestAVersionComesIntoForce(t *testing.T) {
	b := newBench(t)
	assert.Equal(t, "no capabilities\n", b.must("list", nil))
	b.register("1.0.0", "ok")
	id := desk.Version{ID: "deploy.app"}
	_, err := b.does(operator, "try", id)
	require.ErrorIs(t, err, capabilities.ErrState, "it was not tested")
	assert.Contains(t, b.must("test", id), "deploy.app 1.0.0 is tested: unit 1 of 1, made up 5 of 5\n")
	_, err = b.does(operator, "activate", id)
	require.ErrorIs(t, err, capabilities.ErrState, "it was not on trial")
	assert.Equal(t, "deploy.app 1.0.0 is on-trial\n", b.must("try", id))

	held := b.start()
	require.Len(t, held.Approval.Slots, 2, "the trial, and the step that asks")
	require.Len(t, held.Approval.Plan, 2)
	preview := b.must("preview", desk.Preview{Version: id, To: capabilities.InForce})
	assert.Contains(t, preview, held.Approval.Token)
	assert.Contains(t, b.must("list", nil), "on-trial", "a preview changes nothing")

	require.NoError(t, b.e.Approve(t.Context(), held.Approval.Token, *operator))
	r, err := held.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, act.Done, r.State)
	shown := b.must("show", desk.Show{Name: r.Result.GetText("run")})
	assert.Contains(t, shown, "status     ok\n  was              done, intent")
	assert.Contains(t, b.must("stats", nil), "deploy.app  1 calls, 0 running, 0 repeats\n  100 % ended well")

	a, err := skills.NewAction("set", sexpr.Plist("name", sexpr.Str("x"), "image", sexpr.Str("y")), "")
	require.NoError(t, err)
	f := &cortex.Facts{}
	f.Session.ID, f.Session.Principal = "s2", "user"
	_, err = b.e.Do(t.Context(), a, f)
	var other *cortex.Held
	require.ErrorAs(t, err, &other)
	assert.Contains(t, b.must("activate", id),
		"deploy.app 1.0.0 is in-force\ncard "+other.Approval.Token+" was superseded\n")
	assert.Contains(t, b.must("show", desk.Show{Name: "deploy.app"}), "by ann: unit 1 of 1, made up 5 of 5\n")

	b.register("1.1.0", "ok") // a second version is tried beside the one in force
	b.must("test", id)
	b.must("try", id)
	_, err = b.does(operator, "revoke", id)
	require.ErrorContains(t, err, "name the version of deploy.app that you mean: 1.0.0 (in-force), 1.1.0 (on-trial)")
	b.must("activate", id)
	assert.Regexp(t, `1\.0\.0 +retired .*\n.*1\.1\.0 +in-force`, b.must("list", nil))
	b.must("revoke", desk.Version{ID: "deploy.app", Version: "1.1.0", Why: "it hurts"})
	rep, err := b.e.Replay(t.Context(), cortex.ReplayOptions{})
	require.NoError(t, err)
	assert.Empty(t, rep.Differences)
}

// What does not reach its rates is not tried, and neither is what reached them under other rules.
func TestR28_OnlyWhatReachesItsRatesIsTried(t *testing.T) {
	b := newBench(t)
	b.register("1.0.0", "partial_failure")
	a, err := b.does(operator, "test", desk.Version{ID: "deploy.app"})
	require.NoError(t, err)
	assert.Contains(t, a.Text, "deploy.app 1.0.0 is registered: unit 0 of 1")
	figures, _, err := b.d.Capabilities.Stats(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, figures[0].FailedTests)
	_, err = b.does(operator, "try", desk.Version{ID: "deploy.app"})
	require.ErrorIs(t, err, capabilities.ErrState)

	require.NoError(t, b.d.Capabilities.Move(t.Context(), "deploy.app", "1.0.0", capabilities.Tested, "ann",
		"under other rules"))
	_, err = b.does(operator, "try", desk.Version{ID: "deploy.app"})
	assert.ErrorContains(t, err, "does not reach its rates under the rules in force")
}

// Other people may look, and change nothing.
func TestI6_OnlyOperatorsChangeCapabilities(t *testing.T) {
	b := newBench(t)
	b.register("1.0.0", "ok")
	b.must("test", desk.Version{ID: "deploy.app"})
	for _, o := range desk.Orders() {
		for _, who := range []*cortex.Approver{nil, {Name: "bob"}, {Name: "", Classes: []string{"operator"}}} {
			_, err := b.d.Do(t.Context(), who, o.Verb, []byte(`{}`))
			assert.Equal(t, !o.Reads, errors.Is(err, approval.ErrNotApprover), "%s: %v", o.Verb, err)
		}
		assert.Equal(t, o.Reads, desk.Reads(o.Verb))
	}
	err := b.d.Capabilities.Order(t.Context(), "deploy.app", "1.0.0", capabilities.OnTrial,
		cortex.Approver{Name: "bob"}, "")
	require.ErrorIs(t, err, approval.ErrNotApprover)
	assert.Contains(t, b.must("list", nil), "tested")
	assert.False(t, desk.Reads("anything else"))
}
