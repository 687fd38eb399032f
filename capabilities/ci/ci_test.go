package ci_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/ci"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/skills"
)

const tools = `
(deftool read :params (:name string) :required (:name) :tier :allow :effect :none)
(deftool set :params (:name string :image string) :required (:name :image) :tier :ask :effect :external)
(defaults :unknown-tool :deny)
(defskill frozen :trigger (= action.tool "set")
  :gate ((reject freeze :when (= facts.ctx.stage "freeze") :reason "no deployments during a freeze")))
`

const plan = `
(defcapability deploy.app
  :version "1.0.0" :owner "team" :scope :project
  :inputs (:app string :image string) :required (:app :image) :outputs (:previous string)
  :offer (:goals ("deploy") :weights (:goal 3.0) :tau 3.0)
  :once (:key ("deploy" :app :image))
  :plan ((was :tool "read" :args (:name "{{app}}") :out (:previous text) :undo "only reads")
         (put :tool "set" :args (:name "{{app}}" :image "{{image}}")
              :undo (:tool "set" :args (:name "{{app}}" :image "{{work.previous}}")))
         (check :tool "read" :args (:name "{{app}}") :undo "only reads"))
  :result (:previous "{{work.previous}}")
  :tests ((works :inputs (:app "shop" :image "v2") :facts (:ctx (:stage "go")) :stubs (:was (:text "v1"))
                 :expect (:status :ok :outputs (:previous "v1") :steps ("was" "put" "check")))
          (sick :inputs (:app "shop" :image "v2") :facts (:ctx (:stage "go")) :stubs (:was (:text "v1") :check (:error "it is down"))
                :expect (:status :partial_failure :steps ("was" "put" "check")))
          (frozen :inputs (:app "shop" :image "v2") :facts (:ctx (:stage "freeze"))
                  :expect (:status :refused :steps ()))
          EXTRA)
  :fuzz (:count MADE) :rates (:unit RATE :fuzz 1.0))
`

// host is an engine whose only tools, which count their calls, no test may reach.
func host(t *testing.T) (ci.Host, *int) {
	t.Helper()
	calls := 0
	never := act.Func(func(context.Context, act.Call) (act.Receipt, error) { calls++; return act.Receipt{}, nil })
	e, err := cortex.Open(t.Context(), cortex.Options{Live: true, Capabilities: capabilities.New(),
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte(tools)}},
		Tools: []act.Tool{{Schema: &skills.Tool{Name: "read"}, Actuator: never}, {Schema: &skills.Tool{Name: "set"},
			Actuator: never}}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Close()) })
	h := ci.Host{}
	h.Options, err = e.Hosts().Rehearsal()
	require.NoError(t, err)
	for _, tool := range e.Rules().Book().Tools() {
		if !tool.Builtin {
			h.Tools = append(h.Tools, tool)
		}
	}
	return h, &calls
}

// with is the plan with one more case, a rate of unit cases, and a made-up case of each mutation.
func with(extra, rate string) string { return made(extra, rate, "5") }

// made is the plan with so many made-up cases.
func made(extra, rate, count string) string {
	return strings.NewReplacer("EXTRA", extra, "RATE", rate, "MADE", count).Replace(plan)
}

func test(t *testing.T, h ci.Host, text string) *ci.Report {
	t.Helper()
	all, err := form.Read("plan.lisp", []byte(text))
	require.NoError(t, err)
	r, err := ci.Run(t.Context(), h, all[0])
	require.NoError(t, err)
	return r
}

// The unit cases of a plan run under the rules of the host, and nothing outside is touched.
func TestR10_UnitCasesRunUnderTheHostsRules(t *testing.T) {
	h, calls := host(t)
	r := test(t, h, with("", "1.0"))
	assert.Empty(t, r.Failures)
	assert.Equal(t, ci.Rate{Passed: 3, Of: 3}, r.Unit)
	assert.True(t, r.Reached)
	assert.Zero(t, *calls, "the tools of the host")
}

// A case that comes to something else is a failure, which says what.
func TestR10_ACaseThatFailsIsTold(t *testing.T) {
	h, _ := host(t)
	wrong := `(wrong :inputs (:app "shop" :image "v2") :facts (:ctx (:stage "go")) :stubs (:was (:text "v1"))
	                 :expect (:status :ok :outputs (:previous "v9")))`
	r := test(t, h, with(wrong, "1.0"))
	assert.Equal(t, ci.Rate{Passed: 3, Of: 4}, r.Unit)
	assert.False(t, r.Reached)
	require.Len(t, r.Failures, 1)
	assert.Equal(t, "wrong", r.Failures[0].Case)
	assert.Equal(t, `ok, outputs (:previous "v9")`, r.Failures[0].Expected)
	assert.Contains(t, r.Failures[0].Got, `outputs (:previous "v1")`)

	r = test(t, h, with(wrong, "0.75"))
	assert.True(t, r.Reached, "the rate that the plan declares")
}

// As many cases are made up as the plan says; the same plan has the same ones.
func TestR28_MadeUpCasesReachTheRate(t *testing.T) {
	h, _ := host(t)
	r := test(t, h, made("", "1.0", "25"))
	assert.Equal(t, ci.Rate{Passed: 25, Of: 25}, r.Fuzz)
	assert.Equal(t, r, test(t, h, made("", "1.0", "25")))
}

// Made-up cases find what unit cases do not: an input that nothing checks, and a step that fails with
// another value.
func TestR28_MadeUpCasesFindWhatUnitCasesDoNot(t *testing.T) {
	h, _ := host(t)
	loose := strings.Replace(made("", "1.0", "25"), ":required (:app :image)", ":required (:app :image)\n  "+
		`:gate ((reject only-v2 :when (not (= action.args.image "v2")) :reason "only v2"))`, 1)
	r := test(t, h, loose)
	assert.Equal(t, ci.Rate{Passed: 3, Of: 3}, r.Unit)
	assert.Less(t, r.Fuzz.Passed, r.Fuzz.Of)
	assert.False(t, r.Reached)
	for _, f := range r.Failures {
		assert.Equal(t, "alt_image", f.Mutation, f.Got)
	}
}

// A plan without cases cannot be tested.
func TestR28_APlanWithoutCasesIsNotTested(t *testing.T) {
	h, _ := host(t)
	a, _, ok := strings.Cut(plan, "  :tests")
	require.True(t, ok)
	all, err := form.Read("plan.lisp", []byte(a+")"))
	require.NoError(t, err)
	_, err = ci.Run(t.Context(), h, all[0])
	assert.ErrorContains(t, err, "deploy.app 1.0.0 has no tests")
}

// R23: the facts of a case are on the blackboard: a guard of a step reads facts.policy there as in a run.
func TestR23_ACaseSetsThePolicyThatGuardsRead(t *testing.T) {
	h, _ := host(t)
	guarded := strings.NewReplacer(`:args (:name "{{app}}") :undo "only reads"))`,
		`:args (:name "{{app}}") :guard (= (get facts.policy.checks "on") "on") :undo "only reads"))`).Replace(
		with(`(off :inputs (:app "shop" :image "v2") :facts (:ctx (:stage "go") :policy (:checks "off"))
			:stubs (:was (:text "v1")) :expect (:status :partial_failure :steps ("was" "put")))`, "1.0"))
	r := test(t, h, guarded)
	assert.Empty(t, r.Failures)
	assert.Equal(t, ci.Rate{Passed: 4, Of: 4}, r.Unit)
}
