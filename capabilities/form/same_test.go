package form_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/sexpr"
)

// twin is one capability in both spellings: members of the definition, and the manifest.
type twin struct {
	r        *rand.Rand
	members  []string
	manifest map[string]any
	inputs   []string
}

type object = map[string]any

func (w *twin) maybe() bool { return w.r.IntN(3) > 0 }

// words are texts as authors may write them, also ones that have to be escaped.
func (w *twin) text() string {
	all := []string{"deploy", "it's \"quoted\"", "a\\b", "line\nline", "größe", "(= a b)", "; no comment", ":key", "nil",
		"<a&b>", "\u2028", "1.0", "  "}
	return all[w.r.IntN(len(all))]
}

func (w *twin) texts() (list []any, written string) {
	seen := map[string]bool{}
	for range 1 + w.r.IntN(3) {
		if s := w.text(); !seen[s] {
			seen[s], list = true, append(list, s)
			written += " " + quoted(s)
		}
	}
	return list, "(" + written + ")"
}

func quoted(s string) string { return sexpr.Str(s).String() }

func (w *twin) number() float64 {
	return []float64{0.5, 1, 3.5, 1e-7, 1e6, 2, 0.1}[w.r.IntN(7)]
}

func float(x float64) string { return sexpr.Float64(x).String() }

func (w *twin) add(format string, args ...any) {
	w.members = append(w.members, fmt.Sprintf(format, args...))
}

// types are types in the spelling of both.
var types = []string{"string", "integer", "(integer 1 9)", "(number 0.5 2)", `(enum "a" "b \"c\"")`, "(list string)",
	"(nullable path)", "(object (:k string :n (list integer)) :required (:k))", "url", "any", "(sql postgres)", "boolean"}

func (w *twin) signature() {
	var fields []any
	bound := object{}
	var written, required string
	for i := range 1 + w.r.IntN(4) {
		name := []string{"app", "image_tag", "N", "with-dash", "nil"}[i]
		w.inputs = append(w.inputs, name)
		typ := types[w.r.IntN(len(types))]
		f, more := object{"name": name, "type": typ}, ""
		if w.maybe() {
			more += " :from facts.ctx.x" + strconv.Itoa(i)
			bound[name] = "ctx.x" + strconv.Itoa(i)
		}
		if i > 0 && w.maybe() { // the first is in the once-key
			more += " :secret t"
			f["secret"] = true
		}
		if w.maybe() {
			required += " " + sexpr.Key(name).String()
			f["required"] = true
		}
		if inner, form := strings.CutPrefix(typ, "("); form && more != "" {
			typ = "(" + inner[:len(inner)-1] + more + ")"
		} else if more != "" {
			typ = "(" + typ + more + ")"
		}
		fields = append(fields, f)
		written += " " + sexpr.Key(name).String() + " " + typ
	}
	w.manifest["signature"] = object{"inputs": fields, "outputs": []any{object{"name": "out", "type": "any"}},
		"blackboard_bindings": object{"inputs": bound, "outputs": object{"out": "work.elsewhere"}}}
	w.add(":inputs (%s)", written)
	w.add(":required (%s)", required)
	w.add(":outputs (:out (any :to work.elsewhere))")
}

func (w *twin) plan() {
	var steps []any
	var written string
	for i := range 1 + w.r.IntN(4) {
		name := "s" + strconv.Itoa(i)
		arg := w.text()
		n := w.r.IntN(100)
		s := object{"name": name, "tool": "tool-" + strconv.Itoa(i), "args": object{"text": arg, "n": n, "in": "{{app}}",
			"deep": object{"list": []any{true, nil, 1.5, arg}}}}
		written += fmt.Sprintf("\n(%s :tool %s :args (:deep (:list (t null 1.5 %s)) :in \"{{app}}\" :n %d :text %s)", name,
			quoted("tool-"+strconv.Itoa(i)), quoted(arg), n, quoted(arg))
		if w.maybe() {
			s["timeout_ms"], s["retries"], s["idempotent"] = 1000, 2, true
			written += " :ms 1000 :retries 2 :idempotent t"
		}
		if w.maybe() {
			s["when"], s["guards"] = "ctx.a == 'x y'", []any{"env.n > 3", "not (policy.freeze == true)"}
			written += ` :when (= facts.ctx.a "x y") :guard (and (> facts.env.n 3) (not (= facts.policy.freeze t)))`
		}
		if w.maybe() {
			s["out"] = object{"z" + name: "text", "a" + name: "result.id"}
			written += fmt.Sprintf(" :out (:a%s result.id :z%s text)", name, name)
		}
		if w.maybe() {
			s["undo"] = object{"tool": "u", "args": object{"v": "{{app}}"}}
			written += ` :undo (:args (:v "{{app}}") :tool "u"))`
		} else {
			s["undo"] = "only reads"
			written += ` :undo "only reads")`
		}
		steps = append(steps, s)
	}
	w.manifest["plan"] = object{"steps": steps, "idempotence_key": "x:{{app}}", "idempotence_window_s": 60,
		"budget": object{"max_cost_usd": 0.5, "max_latency_ms": 10}, "result_map": object{"out": "{{app}}"}}
	w.add(":plan (%s)", written)
	w.add(`:once (:within 60 :key ("x:" :app))`)
	w.add(":budget (:ms 10 :usd 0.5)")
	w.add(`:result (:out "{{app}}")`)
}

// rest are members that may be missing.
func (w *twin) rest() {
	if w.maybe() {
		list, written := w.texts()
		w.manifest["compat"] = object{"env": list, "toolset": "v6"}
		w.add(`:compat (:toolset "v6" :env %s)`, written)
	}
	if w.maybe() {
		list, written := w.texts()
		tau := w.number()
		w.manifest["activation"] = object{"goal_labels": list, "keywords_any": list, "tau": tau, "cooldown_s": 5,
			"max_concurrency": 2, "score_weights": object{"goal_label": tau, "entity_type": 1}}
		w.add(":offer (:at-once 2 :cooldown 5 :tau %s :keywords %s :goals %s :weights (:entity 1 :goal %s))", float(tau),
			written, written, float(tau))
	}
	if w.maybe() {
		list, written := w.texts()
		w.manifest["policy"] = object{"allow_roles": list, "clauses": []any{`(deny no :when (= facts.policy.no t) :reason "no")`}}
		w.add(":roles %s", written)
		w.add(`:gate ((deny no :when (= facts.policy.no t) :reason "no"))`)
	}
	if w.maybe() {
		list, written := w.texts()
		w.manifest["preconditions"] = object{"tools_available": list, "invariants": []any{"ctx.a == env.a"}}
		w.add(":needs (:when ((= facts.ctx.a facts.env.a)) :tools %s)", written)
	}
	if w.maybe() {
		rate := 0.75
		w.manifest["tests"] = object{"unit_cases": []any{"t/a.json", object{"name": "one", "inputs": object{"app": "x"},
			"facts": object{"ctx": object{"a": 1}}, "stubs": object{"s0": object{"text": "y", "result": object{"id": 1}}},
			"expect": object{"status": "ok", "outputs": object{"out": "x"}, "steps": []any{"s0"}}}},
			"fuzz":     object{"count": 7, "mutations": []any{"missing_slot", "alt_app"}},
			"expected": object{"pass_rate_unit": rate, "pass_rate_fuzz": rate}}
		w.add(`:tests ("t/a.json" (one :expect (:steps ("s0") :outputs (:out "x")) :facts (:ctx (:a 1)) :inputs (:app "x")
			:stubs (:s0 (:result (:id 1) :text "y"))))`)
		w.add(`:fuzz (:mutations ("missing_slot" "alt_app") :count 7)`)
		w.add(":rates (:fuzz 0.75 :unit 0.75)")
	}
	if w.maybe() {
		list, written := w.texts()
		w.manifest["provenance"] = object{"mined_from_traces": list, "support": 0.5, "success": 1, "delta_cost": -0.42,
			"delta_p95": 0.1}
		w.add(":provenance (:delta-p95 0.1 :delta-cost -0.42 :success 1 :support 0.5 :traces %s)", written)
	}
	for _, key := range []string{"owner", "doc", "augment"} {
		if w.maybe() {
			text := w.text()
			w.manifest[key] = text
			w.add(":%s %s", key, quoted(text))
		}
	}
}

// twins are one capability as a definition, with its members in some order and layout, and as a
// manifest.
func twins(r *rand.Rand) (plist, manifest string, err error) {
	w := &twin{r: r, manifest: object{"id": "some.thing", "version": "1.2.3-rc.1", "scope": "org"}}
	w.add(`:version "1.2.3-rc.1"`)
	w.add(":scope :org")
	w.signature()
	w.plan()
	w.rest()
	text, err := json.Marshal(w.manifest)
	return w.written(), string(text), err
}

func (w *twin) written() string {
	w.r.Shuffle(len(w.members), func(i, j int) { w.members[i], w.members[j] = w.members[j], w.members[i] })
	var b strings.Builder
	b.WriteString("(defcapability some.thing")
	for _, m := range w.members {
		b.WriteString([]string{" ", "\n  ", " ; a comment )\n", " #| and\n another |# ", "\t"}[w.r.IntN(5)] + m)
	}
	return b.String() + ")"
}

// many is a number of cases, and a tenth of it in short tests.
func many(n uint64) uint64 {
	if testing.Short() {
		return n / 10
	}
	return n
}

// Layout, comments, the order of members and the spelling change nothing.
func TestR01_OneHashWhateverTheSpelling(t *testing.T) {
	hashes, n := map[sexpr.Digest]bool{}, many(500)
	for i := range n {
		plist, manifest, err := twins(rand.New(rand.NewPCG(1, i)))
		require.NoError(t, err)
		a := one(t, plist)
		b := one(t, manifest)
		require.Equal(t, string(a.Canonical()), string(b.Canonical()), "%d: %s", i, plist)
		require.Equal(t, a.Hash(), b.Hash())
		hashes[a.Hash()] = true
	}
	assert.Greater(t, len(hashes), int(n)*9/10, "the capabilities differ")
}

// What is printed reads as the same capability, and what is kept loads as it.
func TestR01_PrintReadAndLoadGoRound(t *testing.T) {
	texts := []string{file(t, "testdata/deploy.lisp"), file(t, "testdata/container.json")}
	for i := range many(300) {
		plist, _, err := twins(rand.New(rand.NewPCG(2, i)))
		require.NoError(t, err)
		texts = append(texts, plist)
	}
	for _, text := range texts {
		c := one(t, text)
		printed := one(t, c.Print())
		require.Equal(t, c.Hash(), printed.Hash(), c.Print())
		assert.Equal(t, c.Print(), printed.Print())
		loaded, err := form.Load(c.Canonical())
		require.NoError(t, err)
		require.Equal(t, c.Hash(), loaded.Hash())
		assert.Equal(t, c.Tool(), loaded.Tool())
	}
}

// Load takes the canonical bytes of a capability that obeys the form, and nothing else.
func TestLoadRefusesOtherBytes(t *testing.T) {
	c := deploy(t)
	canonical := string(c.Canonical())
	_, err := form.Load([]byte(canonical))
	require.NoError(t, err)
	for _, change := range [][2]string{
		{`"schema":1`, `"schema":2`}, {`{"budget"`, ` {"budget"`}, {`"version":"1.3.0"`, `"version":"1.3"`},
		{`"ms":5000`, `"ms":-1`}, {`"why":"only reads"`, `"why":""`}, {`{{app}}`, `{{ap}}`}, {`"type":"string"`, `"type":"strin"`},
		{`"scope":"project"`, `"scope":"world"`}, {`"once":`, `"twice":`}, {`(deny frozen`, `(denie frozen`},
		{`(= facts.ctx.subscription`, `(= facts.context.subscription`}, {`"name":"was"`, `"name":"restart"`},
		{`"input":"app"`, `"input":"apt"`}, {`-i {{image}}`, `-i '{{image}}'`}, {`"tau":3.5`, `"tau":-3.5`},
		{`"why":"only reads"`, `"undo":{"args":{},"tool":"x"},"why":"only reads"`},
	} {
		changed := strings.Replace(canonical, change[0], change[1], 1)
		require.NotEqual(t, canonical, changed, change)
		_, err := form.Load([]byte(changed))
		assert.Error(t, err, change)
	}
}

// A capability that differs in anything that it says has another hash.
func TestEachMemberIsInTheHash(t *testing.T) {
	text := file(t, "testdata/container.lisp")
	seen := map[sexpr.Digest]string{one(t, text).Hash(): "as it is"}
	for _, change := range [][2]string{
		{"1.3.0", "1.3.1"}, {"team-platform", "team"}, {"2025-08", "2026-08"}, {"0.041", "0.042"}, {"0.98", "0.97"},
		{"-0.42", "-0.43"},
		{"-0.3", "-0.4"}, {`("ReleaseManager")`, `("Other")`}, {"acme/payments", "acme/pay"}, {`"v6"`, `"v7"`},
		{`("staging")`, `("prod")`}, {"facts.ctx.appservice", "facts.ctx.app"}, {":prev_image_tag (string", ":prev_image_tag (path"},
		{"(:image_tag :app_name)", "(:app_name)"}, {":to work.endpoint", ":to work.url"}, {`"tests.run"`, `"test"`},
		{"facts.env.subscription", "facts.env.sub"},
		{"step-1 :tool \"term.exec\" :ms 1500", "step-1 :tool \"term.exec\" :ms 1501"},
		{"set --name", "set -n"}, {"--image {{prev", "-i {{prev"}, {"webapp restart", "webapp start"},
		{`"the undo of step-1`, `"that of step-1`}, {`"https://{{app_name}}.azurewebsites.net"`, `"https://{{app_name}}.net"`},
		{`"deploy:appservice:"`, `"deploy"`}, {":ms 5000", ":ms 5001"}, {":usd 0.1", ":usd 0.2"}, {`"push image"`, `"push"`},
		{":goal 3", ":goal 4"}, {":keyword 1", ":keyword 2"}, {":recent 1.5", ":recent 2.5"}, {":tau 3.5", ":tau 4"},
		{":cooldown 30", ":cooldown 31"}, {":at-once 3", ":at-once 4"}, {"gpt-4o", "gpt-5"}, {"extract.v1", "extract.v2"},
		{`facts.policy.risk "high"`, `facts.policy.risk "low"`}, {"tests/deploy", "tests/other"}, {":count 50", ":count 51"},
		{`"alt_image_tag" `, ""}, {":unit 0.95", ":unit 0.9"}, {":fuzz 0.85", ":fuzz 0.8"}, {"(defcapability deploy", "(defcapability d"},
	} {
		changed := strings.Replace(text, change[0], change[1], 1)
		require.NotEqual(t, text, changed, change)
		h := one(t, changed).Hash()
		assert.Empty(t, seen[h], "%v", change)
		seen[h] = fmt.Sprint(change)
	}
}
