package form_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/capabilities/form"
)

// small is a capability that is as short as one can be, with a place for more.
func small(more string) string {
	return `(defcapability a.b :version "1.0.0" :inputs (:app string :key (string :secret t))
 ` + more + `)`
}

// look is a plan that changes nothing.
const look = `:plan ((look :tool "shell" :args (:cmd "ls {{app}}") :undo "only reads"))`

// mistakes are texts with one mistake each, by the row that they belong to, and what is said.
var mistakes = []struct{ row, text, want string }{
	{"R01", `(defcapability deploy :version "1.0.0" ` + look + `)`,
		`p:1:16: deploy cannot be the id of a capability, which has a dot and is made of a-z, 0-9, ., _ and -; ` +
			`write project.deploy`},
	{"R01", `(defcapability "Deploy.App service" :version "1.0.0" ` + look + `)`, `; write deploy.app_service`},
	{"R01", `(defcapability a.b ` + look + `)`, `p:1:1: a.b has no :version; it takes version`},
	{"R01", `(defcapability a.b :version "1.0" ` + look + `)`,
		`p:1:29: a.b: :version is "1.0", expected a semantic version such as "1.0.0"`},
	{"R01", small(`:scope :projekt ` + look), `p:2:9: a.b: :scope is :projekt, expected :project or :org; did you mean :project?`},
	{"R01", small(`:verion "1" ` + look), `p:2:2: a.b: unknown member :verion; did you mean :version?`},
	{"R01", small(look + look), `:plan a second time`},
	{"R01", `(defcapabilty a.b)`, `p:1:1: found (defcapabilty a.b), expected (defcapability id ...); did you mean defcapability?`},
	{"R01", ``, `p: the file has no capability; write (defcapability id ...)`},
	{"R01", `(defcapability a.b`, `p:1:19: found the end of the text, expected one more ')'`},
	{"R01", `{"id": "a.b"`, `p:1:13: found text that is not JSON`},
	{"R01", `{"id": "a.b", "versoin": "1.0.0"}`, `p:1:15: the manifest: unknown member :versoin; did you mean :version?`},
	{"R01", `{"version": "1.0.0"}`, `p:1:1: the manifest has no "id"; it takes a name such as "deploy.appservice"`},
	{"R01", `[1]`, `the manifest: found 1, expected keys and values`},
	{"R01", small(look) + small(look), `p:2:76: the file defines a.b twice; give each version a file of its own`},
	{"R02", small(`:compat (:env "staging") ` + look), `p:2:16: :compat: :env is "staging", expected a list of texts`},
	{"R02", small(`:compat (:environment ("x")) ` + look), `:compat: unknown member :environment`},
	{"R03", small(`:required (:ap) ` + look), `p:2:13: :required has :ap, which is not an input; did you mean app?`},
	{"R03", `(defcapability a.b :version "1.0.0" :inputs (:app strin) ` + look + `)`,
		`p:1:51: unknown kind strin; did you mean string?`},
	{"R03", `(defcapability a.b :version "1.0.0" :inputs (:app (string :form facts.ctx.app)) ` + look + `)`,
		`p:1:59: :app: unknown member :form; did you mean :from?`},
	{"R03", `(defcapability a.b :version "1.0.0" :inputs (:app (string :from ctx.app)) ` + look + `)`,
		`p:1:65: :app: :from is ctx.app, expected a name such as facts.ctx.app`},
	{"R03", `(defcapability a.b :version "1.0.0" :inputs (:app string :app string) ` + look + `)`, `:inputs has :app twice`},
	{"R03", `(defcapability a.b :version "1.0.0" :inputs (:app string :work string) ` + look + `)`,
		`an input cannot be called work, which means something else; write work-name`},
	{"R03", small(`:outputs (:url url) ` + look), `p:1:1: nothing gives the output url; write :result (:url ...)`},
	{"R03", small(`:outputs (:url any) :result (:url ("a" "{{key}}")) ` + look), `:result shows the secret :key as the output url; leave it out`},
	{"R03", small(`:result (:url "x") ` + look), `p:2:11: :result gives :url, which is not among :outputs`},
	{"R03", `{"id": "a.b", "version": "1.0.0", "signature": {"inputs": [], "blackboard_bindings": {"inputs": {"x": "ctx.x"}}}}`,
		`blackboard_bindings: :x is not among the inputs`},
	{"R04", small(`:needs (:when ((= action.args.ap "x"))) ` + look),
		`p:2:20: a.b has no ap; did you mean app?`},
	{"R04", small(`:needs (:when ((= facts.context.a "x"))) ` + look), `unknown name facts.context`},
	{"R04", small(`:needs (:when ((equals facts.ctx.a "x"))) ` + look), `unknown`},
	{"R04", `{"id": "a.b", "version": "1.0.0", "preconditions": {"invariants": ["deploy_window('x') == 'open'"]},
"plan": {"steps": [{"tool": "shell", "args": {}, "undo": "only reads"}]}}`, `p:1:69: unknown function deploy_window`},
	{"R04", `{"id": "a.b", "version": "1.0.0", "preconditions": {"data_present": ["app"]},
"plan": {"steps": [{"tool": "shell", "args": {}, "undo": "only reads"}]}}`, `:required has :app, which is not an input`},
	{"R05", small(`:once (:key ("deploy" :ap)) ` + look), `p:2:24: the once-key names :ap, which is not an input; did you mean app?`},
	{"R05", small(`:once (:key (:key)) ` + look), `the once-key names :key, which is secret`},
	{"R05", small(`:once (:key ()) ` + look), `:once: :key is nil, expected at least one text or name of an input`},
	{"R05", small(`:budget (:usd -1) ` + look), `:budget: :usd is -1, expected a number, 0.0 to 1000000000.0`},
	{"R05", small(`:plan ()`), `the plan has 0 steps, expected 1 to 32`},
	{"R05", small(`:plan (` + strings.Repeat(`(a :tool "x" :undo "only reads")`, 33) + `)`), `the plan has 33 steps, expected 1 to 32`},
	{"R05", small(`:plan ((a :tool "x" :undo "only reads") (a :tool "x" :undo "only reads"))`),
		`p:2:42: there are two steps a; give this one another name`},
	{"R05", small(`:plan ((a :tol "x" :undo "only reads"))`), `p:2:12: step a: unknown member :tol; did you mean :tool?`},
	{"R05", small(`:plan ((a :tool "x" :ms "1" :undo "only reads"))`), `step a: :ms is "1", expected a whole number, 1 to 86400000`},
	{"R05", small(`:plan ((a :tool "x" :out (:v stdout) :undo "only reads"))`), `step a: :out has stdout, expected text, or a path`},
	{"R05", small(`:plan ((a :tool "x" :when (= facts.work.x) :undo "only reads"))`), `=`},
	{"R05", small(`:plan ((a :tool "c.d" :undo "only reads"))`) + `(defcapability c.d :version "1.0.0"
:plan ((x :tool "shell" :undo "only reads")))`,
		`p:2:9: step a calls the capability c.d: capabilities do not call each other; write its steps here`},
	{"R05", small(`:plan ((a :tool "x" :args (:v "{{ap}}") :undo "only reads"))`),
		`p:2:32: step a: {{ap}} names no input, no key of work and no fact; did you mean app?`},
	{"R05", small(`:plan ((a :tool "x" :args (:v "{{work.x}}") :undo "only reads"))`),
		`step a: no earlier step gives {{work.x}}; give it with :out (:x text), or take it as an input with :from facts.work.x`},
	{"R05", small(`:plan ((a :tool "x" :args (:v "{{work.x}}") :undo "only reads") (b :tool "x" :out (:x text) :undo "only reads"))`),
		`step a: no earlier step gives {{work.x}}; step b does, and must stand before`},
	{"R05", small(`:plan ((a :tool "x" :out (:x text) :args (:v "{{work.x}}") :undo "only reads"))`), `no earlier step gives {{work.x}}`},
	{"R05", small(`:plan ((a :tool "x" :args (:v "{{facts.env.x}}") :undo "only reads"))`),
		`{{facts.env.x}} cannot be filled in; slots read facts.ctx alone, and an input can have :from facts.env.x`},
	{"R05", small(`:plan ((a :tool "x" :args (:v "{{a b}}") :undo "only reads"))`), `nothing fills "{{a b}}"; a slot is {{input}}`},
	{"R05", small(`:plan ((a :tool "x" :args (:|{{app}}| 1) :undo "only reads"))`), `the name "{{app}}" has a slot; only values have slots`},
	{"R05", small(`:plan ((a :tool "x" :args (:cmd "ls '{{app}}'") :undo "only reads"))`),
		`step a: in its command, byte 5, {{app}} stands inside quotes; leave them out`},
	{"R05", small(`:plan ((a :tool "x" :args (:cmd "{{app}} -l") :undo "only reads"))`), `as the name of a command; write the command out`},
	{"R05", small(`:plan ((a :tool "x" :args (:cmd "ls $({{app}})") :undo "only reads"))`), `in an expansion`},
	{"R05", small(`:plan ((a :tool "x" :args (:cmd "eval {{app}}") :undo "only reads"))`), `its command cannot take values`},
	{"R06", small(`:plan ((a :tool "x"))`), `p:2:9: step a does not say what makes up for it; write :undo (:tool ... :args (...)), ` +
		`or a sentence that says why nothing needs to, such as :undo "only reads"`},
	{"R06", small(`:plan ((a :tool "x" :undo (:tool "y")))`), `p:2:9: step a changes something, and a.b has no once-key; ` +
		`write :once (:key (...)), or :undo "only reads" if the step changes nothing`},
	{"R06", small(`:plan ((a :tool "x" :undo "it lasts not"))`), `step a changes something, and a.b has no once-key`},
	{"R06", small(`:plan ((a :tool "x" :undo ""))`), `step a: :undo is "", expected a text of 1 to 500 characters`},
	{"R06", small(`:once (:key (:app)) :plan ((a :tool "x" :undo (:tool "y" :args (:v "{{work.old}}"))))`),
		`the :undo of step a: no earlier step gives {{work.old}}`},
	{"R06", `{"id": "a.b", "version": "1.0.0", "plan": {"steps": [{"tool": "x", "args": {}}]}}`,
		`step step-1 does not say what makes up for it`},
	{"R06", `{"id": "a.b", "version": "1.0.0", "effects": {"writes": ["work.x"]},
"plan": {"steps": [{"tool": "x", "args": {}, "undo": "only reads"}]}}`, `p:1:58: effects: nothing writes "work.x"; bind an output`},
	{"R06", `{"id": "a.b", "version": "1.0.0", "plan": {"steps": [{"tool": "x"}],
"compensation": [{"when": "always", "tool": "y"}]}}`, `compensation: "when" is "always", expected "partial_failure"`},
	{"R06", `{"id": "a.b", "version": "1.0.0", "plan": {"steps": [{"tool": "x"}],
"compensation": [{"tool": "y"}, {"tool": "z"}]}}`, `p:2:33: compensation: a second action, and it names no step; give its step an "undo"`},
	{"R07", small(`:offer (:tau -1) ` + look), `:offer: :tau is -1, expected a number`},
	{"R07", small(`:offer (:weights (:goal -3)) ` + look), `:weights: :goal is -3, expected a number`},
	{"R07", small(`:offer (:at-once 0) ` + look), `:offer: :at-once is 0, expected a whole number, 1 to 1000`},
	{"R07", small(`:offer (:goals ("a" "a")) ` + look), `:offer: :goals has "a" twice; leave one out`},
	{"R08", small(`:parsers (:key (:model "m" :prompt "p")) ` + look), `there is a parser of :key, which is secret`},
	{"R08", small(`:parsers (:ap (:model "m" :prompt "p")) ` + look), `there is a parser of :ap, which is not an input; did you mean app?`},
	{"R08", small(`:parsers (:app (:model "m")) ` + look), `the parser of :app has no :prompt; it takes text`},
	{"R08", `{"id": "a.b", "version": "1.0.0", "llm_support": {"parsers": [{"model": "m", "temperature": 0.7}]}}`,
		`parser: :temperature is 0.7, expected`},
	{"R09", small(`:gate ((denie x)) ` + look), `p:2:9: unknown kind of clause denie; did you mean deny?`},
	{"R09", small(`:gate ((deny x :when (= action.args.ap "x"))) ` + look), `p:2:26: a.b has no ap; did you mean app?`},
	{"R09", small(`:roles ("A") :gate ((deny roles)) ` + look), `two clauses roles`},
	{"R09", `{"id": "a.b", "version": "1.0.0", "policy": {"clauses": ["(deny"]},
"plan": {"steps": [{"tool": "x", "undo": "only reads"}]}}`, `policy: "(deny" is not the text of a clause`},
	{"R10", small(`:tests ((t1 :inputs ())) ` + look), `test t1 has no :expect; it takes object`},
	{"R10", small(`:tests ((t1 :expect (:status :good))) ` + look), `:status is :good, expected :ok, :partial_failure or :refused`},
	{"R10", small(`:tests ((t1 :stubs (:loo (:text "x")) :expect ())) ` + look), `the plan has no step loo; did you mean look?`},
	{"R10", small(`:tests ((t1 :facts (:cxt (:a 1)) :expect ())) ` + look), `the :facts of test t1: unknown member :cxt; did you mean :ctx?`},
	{"R10", small(`:tests ("../x.json") ` + look), `"../x.json" cannot be a file of tests; write a path below the folder of the plan`},
	{"R10", small(`:fuzz (:mutations ("alt_ap")) ` + look), `unknown mutation "alt_ap", expected missing_slot, wrong_type, hostile, alt_app or alt_key; did you mean alt_app?`},
	{"R10", small(`:rates (:unit 2) ` + look), `:rates: :unit is 2, expected a number, 0.0 to 1.0`},
	{"R11", small(`:provenance (:support 2) ` + look), `:provenance: :support is 2, expected a number, 0.0 to 1.0`},
}

// Each mistake is told with its place and what would be right, and nothing is told beside it that
// would lead away from it.
func TestMistakes(t *testing.T) {
	for _, c := range mistakes {
		all, err := form.Read("p", []byte(c.text))
		assert.Empty(t, all, c.text)
		if assert.Error(t, err, c.text) {
			assert.Contains(t, err.Error(), c.want, "%s: %s", c.row, c.text)
		}
	}
}

// Everything that is wrong with a file is told at once, by place, each as an Error.
func TestAllMistakesAtOnce(t *testing.T) {
	_, err := form.Read("p", []byte(`(defcapability a.b :version "1" :scop :org
 :needs (:when ((= action.args.x 1)))
 :plan ((a :tool "x") (b :tool "y" :args (:v "{{z}}") :undo "only reads")))
(defcapability c.d :plan ())`))
	require.Error(t, err)
	want := []string{
		`p:1:29: a.b: :version is "1", expected a semantic version such as "1.0.0"`,
		`p:1:33: a.b: unknown member :scop; did you mean :scope?`,
		`p:2:20: a.b has no x`,
		`p:3:9: step a does not say what makes up for it; write :undo`,
		`p:3:46: step b: {{z}} names no input, no key of work and no fact`,
		`p:4:1: c.d has no :version`,
		`p:4:26: the plan has 0 steps, expected 1 to 32`,
	}
	got := strings.Split(err.Error(), "\n")
	require.Len(t, got, len(want), err.Error())
	for i := range want {
		assert.True(t, strings.HasPrefix(got[i], want[i]), "got  %s\nwant %s", got[i], want[i])
	}
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	for _, e := range joined.Unwrap() {
		var one *form.Error
		require.ErrorAs(t, e, &one)
		assert.NotEmpty(t, one.Text)
		assert.NotZero(t, one.Pos)
	}
	var first *form.Error
	require.True(t, errors.As(err, &first))
	assert.Equal(t, form.Error{File: "p", Pos: first.Pos, Text: `a.b: :version is "1", expected a semantic version such as "1.0.0"`}, *first)
}
