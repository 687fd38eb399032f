package capabilities

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/act"
)

// The reference of the random test of runs: rules, plans and tools as plain values, a second time, short and
// slow. It shares no code with the engine, the gates or the driver; the engine gets the same as text.

// refRule is one clause. Its condition reads arguments, the step, earlier calls, their results and what was
// spent.
type refRule struct {
	tool, clause, cond string // clause is reject, ask or rewrite
	n                  int
	word               string // a name, a step or a tool that the condition is about
}

// refCall is a call as rules see it later.
type refCall struct {
	tool     string
	happened bool
	failed   bool
	amount   int // of money, which the call took
}

// refAction is an action of a step. Its values are those of the plan, with slots or without.
type refAction struct {
	tool, name, v string
	amount        int
}

// refStep is a step of a plan.
type refStep struct {
	name       string
	does       refAction
	undo       *refAction
	retries    int
	idempotent bool
	out        bool   // its text becomes work.x
	when       string // "" or what work.x has to be
	guard      string
}

// refPlan is a plan. result says that its Result has work.x.
type refPlan struct {
	id     string
	steps  []refStep
	result bool
}

// refRules are the rules: a tier for each tool, and clauses.
type refRules struct {
	tiers map[string]string
	rules []refRule
	most  int // that may be spent in a session; 0 for any
}

// holds tells whether a condition holds for an action as a step, after a past.
func (r *refRule) holds(a refAction, step string, undo bool, past []refCall) bool {
	happened := 0
	spent := 0
	failed := false
	for _, c := range past {
		spent += c.amount
		if c.tool == r.word && c.happened {
			happened++
			failed = failed || c.failed
		}
	}
	switch r.cond {
	case "calls":
		return happened > r.n
	case "failed":
		return failed
	case "spent":
		return spent > 100*r.n
	case "step":
		return step == r.word
	case "undo":
		return undo
	case "name":
		return a.name == r.word
	}
	return a.amount > 100*r.n
}

func (r *refRule) text(i int) string {
	cond := map[string]string{
		"calls":  fmt.Sprintf(`(> (len (filter (calls %q) (= it.happened t))) %d)`, r.word, r.n),
		"failed": fmt.Sprintf(`(> (len (filter (calls %q) (and (= it.happened t) (not (= it.error ""))))) 0)`, r.word),
		"spent":  fmt.Sprintf(`(> (spent :money :session) %d)`, 100*r.n),
		"step":   fmt.Sprintf(`(= facts.step.step %q)`, r.word),
		"undo":   `(= facts.step.undo t)`,
		"name":   fmt.Sprintf(`(= action.args.name %q)`, r.word),
		"amount": fmt.Sprintf(`(> action.args.amount %d)`, 100*r.n),
	}[r.cond]
	more := ""
	if r.clause == "rewrite" {
		more = `:set (:v "w") `
	}
	return fmt.Sprintf("(defskill k%d :trigger (= action.tool %q) :gate ((%s c :when %s %s:reason \"r\")))\n", i, r.tool,
		r.clause, cond, more)
}

func (r *refRules) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, `(deftool pay :params (:amount integer :name string) :required (:amount :name) :tier :%s :effect :external
  :spends (:money :amount))
(deftool look :params (:name string) :required (:name) :tier :%s :effect :none)
(deftool put :params (:name string :v string) :required (:name :v) :tier :%s :effect :external)
(defaults :unknown-tool :deny)
`, r.tiers["pay"], r.tiers["look"], r.tiers["put"])
	for i := range r.rules {
		b.WriteString(r.rules[i].text(i))
	}
	if r.most > 0 {
		fmt.Fprintf(&b, `(definvariant most :when (= action.tool "pay")
  :holds (<= (+ action.args.amount (spent :money :session)) %d) :reason "too much")
`, r.most)
	}
	return b.String()
}

// judge decides on an action: the action as it is done, whether it is denied, and what asks about it.
func (r *refRules) judge(a refAction, step string, undo bool, past []refCall) (final refAction, denied bool,
	asks []string) {
	for i := range r.rules {
		if x := &r.rules[i]; x.clause == "rewrite" && x.tool == a.tool && x.holds(a, step, undo, past) {
			a.v = "w"
		}
	}
	for i := range r.rules {
		x := &r.rules[i]
		if x.tool != a.tool || !x.holds(a, step, undo, past) {
			continue
		}
		denied = denied || x.clause == "reject"
		if x.clause == "ask" {
			asks = append(asks, fmt.Sprint("rule ", i))
		}
	}
	spent := a.amount
	for _, c := range past {
		spent += c.amount
	}
	if a.tool == "pay" && r.most > 0 && spent > r.most {
		denied = true
	}
	switch r.tiers[a.tool] {
	case "deny":
		denied = true
	case "ask":
		asks = append(asks, "tier")
	}
	return a, denied, asks
}

// args are the arguments of an action as the engine has them.
func (a refAction) args() string {
	switch a.tool {
	case "pay":
		return fmt.Sprintf(`(:amount %d :name %q)`, a.amount, a.name)
	case "put":
		return fmt.Sprintf(`(:name %q :v %q)`, a.name, a.v)
	}
	return fmt.Sprintf(`(:name %q)`, a.name)
}

// open reports whether an action is known only when earlier steps are done.
func (a refAction) open() bool { return a.v == "{{work.x}}" }

// fill puts work into an action. It is false if there is none yet.
func (a refAction) fill(id, x string, known bool) (refAction, bool) {
	a.name = strings.ReplaceAll(a.name, "{{id}}", id)
	if !a.open() {
		return a, true
	}
	a.v = x
	return a, known
}

func (p *refPlan) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, `(defcapability x.%s :version "1.0.0" :owner "o" :scope :project :inputs (:id string) :required (:id)
  :once (:key ("k" :id)) `, p.id)
	if p.result {
		b.WriteString(`:outputs (:x string) :result (:x "{{work.x}}") `)
	}
	b.WriteString(`:plan (`)
	for _, s := range p.steps {
		fmt.Fprintf(&b, "(%s :tool %q :args %s", s.name, s.does.tool, s.does.args())
		if s.retries > 0 {
			fmt.Fprintf(&b, " :retries %d", s.retries)
		}
		if s.idempotent {
			b.WriteString(" :idempotent t")
		}
		if s.out {
			b.WriteString(" :out (:x text)")
		}
		if s.when != "" {
			fmt.Fprintf(&b, ` :when (= (get facts.work.x "") %q)`, s.when)
		}
		if s.guard != "" {
			fmt.Fprintf(&b, ` :guard (= (get facts.work.x "") %q)`, s.guard)
		}
		if s.undo == nil {
			b.WriteString(` :undo "only reads")`)
		} else {
			fmt.Fprintf(&b, ` :undo (:tool %q :args %s))`, s.undo.tool, s.undo.args())
		}
	}
	b.WriteString("))")
	return b.String()
}

// fate is what a script has in store for a try of a step: what its tool does, what it says, and what people
// answer. It follows from the names alone, so that it is kept nowhere.
func fate(plan, step string, try int) (state act.State, text string, yes, happened bool) {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %s %d", plan, step, try)
	n := h.Sum64()
	n ^= n >> 29
	state = []act.State{act.Done, act.Done, act.Done, act.Done, act.Done, act.Done, act.Failed, act.Failed, act.Nothing,
		act.Unknown}[n%10]
	return state, []string{"v1", "v2"}[n/10%2], n/20%6 > 0, n/120%2 == 0
}

// plan draws a plan.
func (d dice) refPlan(id string) *refPlan {
	p := &refPlan{id: id}
	action := func(tool string) refAction {
		a := refAction{tool: tool, name: d.of("a", "b", "{{id}}")}
		switch tool {
		case "pay":
			a.amount = 100 * (1 + d.IntN(6))
		case "put":
			a.v = d.of("1", "1", "2", "{{work.x}}")
		}
		return a
	}
	out := false
	for i := range 1 + d.IntN(5) {
		s := refStep{name: fmt.Sprint("s", i), does: action(d.tool())}
		if !out && s.does.open() {
			s.does.v = "1"
		}
		if d.IntN(2) == 0 {
			s.retries, s.idempotent = 1+d.IntN(2), d.IntN(2) == 0
		}
		if s.out = s.does.tool == "look" && d.IntN(2) == 0; !out && d.IntN(3) > 0 {
			s.when, s.guard = "", ""
		} else if out && d.IntN(4) == 0 {
			s.when = d.of("v1", "v2")
		} else if out && d.IntN(4) == 0 {
			s.guard = d.of("v1", "v2")
		}
		out = out || s.out
		if s.does.tool != "look" || d.IntN(4) == 0 {
			undo := action(d.of("pay", "put"))
			if !out && undo.open() {
				undo.v = "0"
			}
			s.undo = &undo
		}
		p.steps = append(p.steps, s)
	}
	p.result = out && d.IntN(2) == 0
	return p
}

// refRules draws rules.
func (d dice) refRules() *refRules {
	r := &refRules{tiers: map[string]string{"look": "allow", "pay": d.of("allow", "allow", "ask"),
		"put": d.of("allow", "allow", "allow", "ask", "ask", "ask", "deny")}}
	for range d.IntN(4) {
		x := refRule{tool: d.tool(), clause: d.of("reject", "ask", "ask"), n: d.IntN(5)}
		conds := []string{"calls", "failed", "spent", "step", "undo", "name"}
		switch {
		case x.tool == "pay":
			conds = append(conds, "amount")
		case x.tool == "put" && !slices.ContainsFunc(r.rules, func(o refRule) bool { return o.clause == "rewrite" }):
			x.clause = d.of("reject", "ask", "ask", "rewrite")
		}
		switch x.cond = d.of(conds...); x.cond {
		case "step":
			x.word = fmt.Sprint("s", d.IntN(4))
		case "name":
			x.word = d.of("a", "b")
		default:
			x.word = d.tool()
		}
		r.rules = append(r.rules, x)
	}
	if d.IntN(3) == 0 {
		r.most = 500 + 100*d.IntN(15)
	}
	return r
}
