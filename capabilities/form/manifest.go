package form

import (
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// manifest turns the JSON of a manifest into the definition that it means. What it says in the wrong
// place is told here; what it says wrongly is told by who reads the definition, at the same place.
type manifest struct {
	*faults
	text     string // the file
	id       string
	inputs   []string
	required []sexpr.Value
	out      []sexpr.Value
}

// names are pairs: a member of a manifest, and what a definition calls it.
type names [][2]string

// same are members that have one name in both.
func same(all ...string) (out names) {
	for _, n := range all {
		out = append(out, [2]string{n, n})
	}
	return out
}

func (n names) members() (out []member) {
	for _, pair := range n {
		out = append(out, member{name: pair[0]})
	}
	return out
}

// manifestParts are the members of each part of a manifest; "" are those of the whole.
var manifestParts = map[string]names{
	"": same("id", "version", "owner", "scope", "doc", "augment", "compat", "signature", "preconditions", "plan",
		"effects", "activation", "llm_support", "policy", "tests", "provenance"),
	"signature":           same("inputs", "outputs", "blackboard_bindings"),
	"field":               same("name", "type", "required", "secret"),
	"blackboard_bindings": same("inputs", "outputs"),
	"preconditions":       same("tools_available", "data_present", "invariants"),
	"plan": same("idempotence_key", "idempotence_window_s", "budget", "steps", "compensation",
		"result_map"),
	"budget": {{"max_cost_usd", "usd"}, {"max_latency_ms", "ms"}},
	"step": {{"name", ""}, {"when", ""}, {"guards", ""}, {"undo", ""}, {"tool", "tool"}, {"args", "args"},
		{"timeout_ms", "ms"}, {"retries", "retries"}, {"idempotent", "idempotent"}, {"out", "out"}},
	"compensation": {{"when", ""}, {"tool", "tool"}, {"args", "args"}},
	"effects":      same("writes", "external"),
	"activation": {{"required_slots", ""}, {"goal_labels", "goals"}, {"keywords_any", "keywords"},
		{"score_weights", ""}, {"tau", "tau"}, {"cooldown_s", "cooldown"}, {"max_concurrency", "at-once"}},
	"score_weights": {{"goal_label", "goal"}, {"keyword_hit", "keyword"}, {"entity_type", "entity"},
		{"recent_success", "recent"}},
	"llm_support": same("parsers"),
	"parser": {{"name", ""}, {"temperature", ""}, {"inputs", ""}, {"outputs", ""}, {"model", "model"},
		{"prompt_ref", "prompt"}},
	"policy":   same("allow_roles", "deny_if", "clauses"),
	"tests":    same("unit_cases", "fuzz", "expected"),
	"case":     {{"name", ""}, {"inputs", "inputs"}, {"facts", "facts"}, {"stubs", "stubs"}, {"expect", "expect"}},
	"expected": {{"pass_rate_unit", "unit"}, {"pass_rate_fuzz", "fuzz"}},
	"provenance": {{"mined_from_traces", "traces"}, {"support", "support"}, {"success", "success"},
		{"delta_cost", "delta-cost"}, {"delta_p95", "delta-p95"}},
}

// manifest reads one manifest.
func (f *faults) manifest(v sexpr.Value, text string) sexpr.Value {
	m := &manifest{faults: f, text: text}
	top := m.part("", v)
	id, ok := top.get("id")
	if !ok {
		f.add(v.Pos(), `the manifest has no "id"; it takes a name such as "deploy.appservice"`)
		return sexpr.ListOf(sexpr.Sym(define), sexpr.Str("no.id")).At(v.Pos())
	}
	m.id, m.out = id.Text(), []sexpr.Value{sexpr.Sym(define), id}
	for _, key := range []string{"version", "owner", "scope", "doc", "augment", "compat"} {
		m.copy(top, key, key)
	}
	parts := map[string]object{}
	for _, key := range []string{"signature", "preconditions", "plan", "effects", "activation", "llm_support", "policy",
		"tests"} {
		parts[key] = m.part(key, top.has[key])
	}
	m.signature(parts["signature"], parts["effects"])
	m.needs(parts["preconditions"], parts["activation"])
	m.offer(parts["activation"], top.has["activation"])
	m.plan(parts["plan"], parts["effects"])
	m.parsers(parts["llm_support"])
	m.policy(parts["policy"])
	m.tests(parts["tests"])
	m.renamed(top, "provenance", "provenance")
	return sexpr.ListOf(m.out...).At(v.Pos())
}

// part reads one part of a manifest.
func (m *manifest) part(name string, v sexpr.Value) object {
	what := name
	if what == "" {
		what = "the manifest"
	}
	return m.object(v, what, manifestParts[name].members())
}

func (m *manifest) put(key string, v sexpr.Value) {
	m.out = append(m.out, sexpr.Key(key).At(v.Pos()), v)
}

// copy puts a member, if it is there, under another name.
func (m *manifest) copy(o object, from, to string) {
	if v, ok := o.get(from); ok {
		m.put(to, v)
	}
}

// renamed puts a member, an object, with other names for its own members.
func (m *manifest) renamed(o object, key, to string) {
	if v, ok := o.get(key); ok {
		m.put(to, sexpr.ListOf(m.rename(key, v)...).At(v.Pos()))
	}
}

// rename is an object of that part with other names for its members. Those that have none are left
// out.
func (m *manifest) rename(part string, v sexpr.Value) (out []sexpr.Value) {
	o := m.part(part, v)
	for _, pair := range manifestParts[part] {
		if x, ok := o.get(pair[0]); ok && pair[1] != "" {
			out = append(out, sexpr.Key(pair[1]).At(x.Pos()), x)
		}
	}
	return out
}

// signature reads inputs and outputs, and what binds them to the blackboard.
func (m *manifest) signature(o, effects object) {
	b := m.part("blackboard_bindings", o.has["blackboard_bindings"])
	for _, v := range m.fields(o, "inputs", b.has["inputs"]) {
		if v.Kind() == sexpr.Keyword {
			m.inputs = append(m.inputs, v.Text())
		}
	}
	m.fields(o, "outputs", b.has["outputs"])
	written := map[string]bool{}
	for _, v := range b.has["outputs"].Items() {
		written[v.Text()] = v.Kind() == sexpr.String
	}
	for _, v := range effects.items("writes", "keys of work") {
		if !written[v.Text()] {
			m.add(v.Pos(), "effects: nothing writes %s; bind an output to it in blackboard_bindings", found(v))
		}
	}
}

// fields puts inputs or outputs, and returns them.
func (m *manifest) fields(o object, key string, bound sexpr.Value) (out []sexpr.Value) {
	has := map[string]bool{}
	for _, v := range o.items(key, `objects such as {"name": "app", "type": "string"}`) {
		p := m.part("field", v)
		name := sexpr.Key(p.text("name", 64)).At(v.Pos())
		typ := m.typ(p)
		if to, ok := bound.Get(name.Text()); ok {
			typ = append(typ, binding(key, to)...)
		}
		if p.flag("secret") {
			typ = append(typ, sexpr.Key("secret"), sexpr.T())
		}
		if p.flag("required") {
			m.required = append(m.required, name)
		}
		has[name.Text()] = true
		out = append(out, name, sexpr.ListOf(typ...).At(v.Pos()))
	}
	for i := 0; bound.IsPlist() && i < bound.Len(); i += 2 {
		if n := bound.Items()[i]; !has[n.Text()] {
			m.add(n.Pos(), "blackboard_bindings: %s is not among the %s", n, key)
		}
	}
	if len(out) > 0 {
		m.put(key, sexpr.ListOf(out...).At(o.at))
	}
	return out
}

// binding is where an input comes from, or an output goes to.
func binding(key string, to sexpr.Value) []sexpr.Value {
	if key == "outputs" {
		return []sexpr.Value{sexpr.Key("to"), to}
	}
	return []sexpr.Value{sexpr.Key("from"), sexpr.Sym("facts." + strings.TrimPrefix(to.Text(), "facts.")).At(to.Pos())}
}

// typ reads a type, a word or the text of a form, and returns the elements of its list.
func (m *manifest) typ(o object) []sexpr.Value {
	text := o.text("type", 4096)
	if !strings.HasPrefix(text, "(") {
		return []sexpr.Value{sexpr.Sym(text).At(o.has["type"].Pos())}
	}
	v, err := sexpr.Read("", text)
	if err != nil {
		o.wrong("type", o.has["type"], "a type such as string or (integer 1 9)")
	}
	return moved(v, o.has["type"].Pos()).Items()
}

// moved is a value that stands at one place as a whole.
func moved(v sexpr.Value, at sexpr.Pos) sexpr.Value {
	if v.Kind() != sexpr.List {
		return v.At(at)
	}
	items := make([]sexpr.Value, v.Len())
	for i, x := range v.Items() {
		items[i] = moved(x, at)
	}
	return sexpr.ListOf(items...).At(at)
}
