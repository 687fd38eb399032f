package capabilities

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// What the generator covers: plans of 1 to 6 steps over three tools, with literal arguments and inputs,
// undos, and no step that is open; rules that read arguments, earlier calls and their order, spending by
// day and by session, the step and whether it makes up for another; rewrites, asks, allows, denials and
// invariants; histories of up to 4 calls with their spending. Rules read neither results nor the clock.

type dice struct{ *rand.Rand }

func (d dice) of(s ...string) string { return s[d.IntN(len(s))] }

func (d dice) tool() string { return d.of("pay", "look", "put") }

func (d dice) condition(tool string) string {
	n := strconv.Itoa(d.IntN(4))
	options := []string{
		fmt.Sprintf(`(> (len (calls %q)) %s)`, d.tool(), n),
		fmt.Sprintf(`(some-call-since (= it.tool %q) (= it.tool %q))`, d.tool(), d.tool()),
		fmt.Sprintf(`(no-call-since (= it.tool %q) (= it.tool %q))`, d.tool(), d.tool()),
		fmt.Sprintf(`(= facts.step.step "s%s")`, n),
		`(= facts.step.undo t)`,
		fmt.Sprintf(`(> (spent :money :session) %d)`, d.IntN(900)),
		`(some (calls "look") (= it.args.name "a"))`,
	}
	if tool == "pay" {
		options = append(options, fmt.Sprintf(`(> action.args.amount %d)`, d.IntN(600)),
			fmt.Sprintf(`(> (+ action.args.amount (spent :money :day)) %d)`, d.IntN(1500)))
	} else {
		options = append(options, fmt.Sprintf(`(= action.args.name %q)`, d.of("a", "b")))
	}
	return d.of(options...)
}

func (d dice) rules() string {
	var b strings.Builder
	tier := func() string { return d.of("allow", "allow", "ask", "ask", "deny") }
	fmt.Fprintf(&b, `(deftool pay :params (:amount integer :to string) :required (:amount :to) :tier :%s :effect :external
  :spends (:money :amount))
(deftool look :params (:name string) :required (:name) :tier :allow :effect :none)
(deftool put :params (:name string :v integer) :required (:name) :tier :%s :effect :external)
(defaults :unknown-tool :deny)
`, d.of("allow", "ask"), tier())
	for i := range d.IntN(5) {
		tool := d.tool()
		clause := d.of("reject", "reject", "ask", "ask", "allow")
		body := fmt.Sprintf(`(%s c :when %s :reason "r%d")`, clause, d.condition(tool), i)
		if tool == "put" && d.IntN(4) == 0 {
			body = fmt.Sprintf(`(rewrite c :when %s :set (:v %d))`, d.condition(tool), d.IntN(3))
		}
		fmt.Fprintf(&b, "(defskill k%d :priority %d :trigger (= action.tool %q) :gate (%s))\n", i, d.IntN(3), tool, body)
	}
	if d.IntN(2) == 0 {
		fmt.Fprintf(&b, `(definvariant most :when (= action.tool "pay")
  :holds (<= (+ action.args.amount (spent :money :session)) %d) :reason "too much")
`, 200+d.IntN(1500))
	}
	return b.String()
}

func (d dice) args(tool string) string {
	name := d.of(`"a"`, `"b"`, `"{{name}}"`)
	switch tool {
	case "pay":
		return fmt.Sprintf(`(:amount %s :to %s)`, d.of("100", "600", `"{{n}}"`), name)
	case "put":
		return fmt.Sprintf(`(:name %s :v %s)`, name, d.of("1", `"{{n}}"`))
	}
	return fmt.Sprintf(`(:name %s)`, name)
}

func (d dice) plan() string {
	var b strings.Builder
	b.WriteString(`(defcapability x.y :version "1.0.0" :owner "o" :scope :project :inputs (:n integer :name string)
  :required (:n :name) :once (:key ("k" :n :name)) :plan (`)
	for i := range 1 + d.IntN(6) {
		tool, undo := d.tool(), `"only reads"`
		if d.IntN(3) == 0 {
			t := d.tool()
			undo = fmt.Sprintf(`(:tool %q :args %s)`, t, d.args(t))
		}
		fmt.Fprintf(&b, `(s%d :tool %q :args %s :undo %s)`, i, tool, d.args(tool), undo)
	}
	b.WriteString("))")
	return b.String()
}

func (d dice) facts() *skills.Facts {
	f := &skills.Facts{Now: 1_800_000_000, Session: skills.Session{ID: "s", Principal: "u"}}
	f.Session.Turns = []skills.Turn{{User: "go on"}}
	for range d.IntN(5) {
		tool := d.tool()
		v, _ := sexpr.Read("", strings.NewReplacer(`"{{name}}"`, `"a"`, `"{{n}}"`, "3").Replace(d.args(tool)))
		decided := d.of("allow", "allow", "deny")
		call := &skills.Call{Tool: tool, Args: v, Decision: decided, Happened: decided == "allow", At: f.Now}
		f.Session.Turns = append(f.Session.Turns, skills.Turn{Call: call})
		if tool == "pay" && call.Happened {
			f.Spends = append(f.Spends, skills.Spend{Budget: "money", Amount: float64(v.GetInt("amount")), Session: "s",
				Principal: "u", Tool: tool, At: f.Now})
		}
	}
	return f
}

// verdict is what is compared: what was decided, and each ask or the denial with its step.
func verdict(kind string, steps []string) string { return kind + ": " + strings.Join(steps, "; ") }

// stepByStep is the reference: it decides each step by itself, and enters it into a plain list of turns
// before the next. It knows nothing of trials, and shares no code with the gates.
func stepByStep(t *testing.T, book skills.Policy, v *form.Capability, f skills.Facts, inputs sexpr.Value) string {
	t.Helper()
	hash := v.Hash().String()
	ask := func(a *skills.Action, undo bool, name string) *reason.Decision {
		g := f
		g.Step = skills.Step{Plan: hash, Version: 1, ID: name, Undo: undo}
		g.Signal = perceive.Signal{Type: perceive.Event, Sensor: perceive.Run, Source: perceive.Run, Principal: "u"}
		return reason.Decide(t.Context(), reason.Request{Policy: book, Action: a, Facts: &g})
	}
	var asks []string
	for i := range v.Steps {
		s := &v.Steps[i]
		a, err := v.Fill(s, form.Seen{Inputs: inputs})
		require.NoError(t, err)
		d := ask(a, false, s.Name)
		if d.Kind == reason.Deny {
			return verdict("deny", []string{s.Name + " " + d.Reasons[0].Text})
		}
		for _, x := range d.Asks {
			if d.Kind == reason.Ask {
				asks = append(asks, s.Name+" "+d.Action.Args().String()+" "+x.Reason.Text)
			}
		}
		f.Session.Turns = append(slices.Clone(f.Session.Turns), skills.Turn{Call: &skills.Call{Tool: s.Tool,
			Args: d.Action.Args(), Decision: "allow", Happened: true, At: f.Now}})
		if s.Tool == "pay" {
			f.Spends = append(slices.Clone(f.Spends), skills.Spend{Budget: "money",
				Amount: float64(d.Action.Args().GetInt("amount")), Session: "s", Principal: "u", Tool: "pay", At: f.Now})
		}
		if s.Undo == nil {
			continue
		}
		a, err = v.FillUndo(s, form.Seen{Inputs: inputs})
		require.NoError(t, err)
		if u := ask(a, true, s.Name+"/undo"); u.Kind == reason.Deny {
			return verdict("deny", []string{s.Name + "/undo " + u.Reasons[0].Text})
		}
	}
	if len(asks) > 0 {
		return verdict("ask", asks)
	}
	return verdict("allow", nil)
}

func whole(d *reason.Decision) string {
	var steps []string
	switch d.Kind {
	case reason.Deny:
		steps = []string{strings.Replace(strings.TrimPrefix(d.Reasons[0].Text, "step "), ":", "", 1)}
	case reason.Ask:
		for _, x := range d.Asks {
			steps = append(steps, x.Of.Step+" "+x.Of.Action.Args().String()+" "+x.Reason.Text)
		}
	case reason.Allow:
	}
	return verdict(d.Kind.String(), steps)
}

// Judging a plan whole and judging it step by step agree, over plans without open steps, under rules that
// read neither results nor the clock. CORTEX_PLANS sets how many plans.
func TestWholeAndStepByStepAgree(t *testing.T) {
	plans := 2_000
	if n, err := strconv.Atoi(os.Getenv("CORTEX_PLANS")); err == nil {
		plans = n
	} else if testing.Short() {
		plans = 150
	}
	const perBook = 50
	kinds := map[string]int{}
	for seed := range plans / perBook {
		d := dice{rand.New(rand.NewPCG(uint64(seed), 21))}
		rulebook := d.rules()
		for range perBook {
			text := d.plan()
			all, err := form.Read("plan.lisp", []byte(text))
			require.NoError(t, err, text)
			v := all[0]
			book, err := reason.Loader(rules.Loader{Tools: []*skills.Tool{v.Tool()}}).Load(rules.Root{FS: fstest.MapFS{
				"rules.lisp": {Data: []byte(rulebook)}}})
			require.NoError(t, err, rulebook)
			b := newBook([]*version{newVersion(v, v.Hash().String(), false)},
				func(string, string) (string, error) { return "", nil })
			p, err := b.policy(book)
			require.NoError(t, err)
			f := d.facts()
			inputs := sexpr.Plist("n", sexpr.Int64(int64(d.IntN(700))), "name", sexpr.Str(d.of("a", "b")))
			a, err := skills.NewAction("x.y", inputs, "")
			require.NoError(t, err)
			got := reason.Decide(t.Context(), reason.Request{Policy: p, Action: a, Facts: f})
			want := stepByStep(t, book, v, *f, inputs)
			require.Equal(t, want, whole(got), "seed %d\n%s\n%s\n%v", seed, rulebook, text, f.Session.Turns)
			kinds[got.Kind.String()]++
		}
	}
	t.Logf("%d plans: %v", plans, kinds)
	for _, k := range []string{"allow", "ask", "deny"} {
		require.Positive(t, kinds[k], k)
	}
}
