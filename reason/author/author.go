// Package author holds the tools of people who write rules. They run the examples of a
// rulebook and say what these cover, explain one decision, plant faults that the examples
// should catch, compare two rulebooks, and draft declarations of tools.
//
// Everything here judges with [reason.Decide], as the engine does, so that what an author
// sees is what happens. Nothing here looks at the host or at a clock.
package author

import (
	"context"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Result is how one example came out.
type Result struct {
	Example  *rules.Example
	Decision *reason.Decision
	Wrong    []rules.Difference // empty if it holds
	Because  string             // of a wrong decision: the text of its reason
	Notes    []string           // what became of clauses that the example names
	Values   []Seen             // of a wrong one: what the clauses that matter looked at
}

// Report is what a run of all examples found.
type Report struct {
	Results  []Result
	Failed   int
	Coverage Coverage
}

// Run runs the examples of a rulebook, which may have been loaded without a judge.
func Run(ctx context.Context, book *rules.Rulebook) *Report {
	out := &Report{}
	seen := outcomes{}
	for _, e := range book.Examples() {
		r := Result{Example: e, Decision: reason.DecideExample(ctx, e)}
		seen.note(r.Decision)
		if r.Wrong = e.Wrong(r.Decision.Found()); len(r.Wrong) > 0 {
			out.Failed++
			explain(ctx, book, &r)
		}
		out.Results = append(out.Results, r)
	}
	out.Coverage = seen.coverage(book)
	return out
}

// explain says why an example does not hold: by the values of the clause that decided and
// of those that the example names. One that was not asked is said, with why.
func explain(ctx context.Context, book *rules.Rulebook, r *Result) {
	d := r.Decision
	if r.Wrong[0].What == "decision" {
		r.Because = d.Found().Reason
	}
	if d.Action == nil {
		return
	}
	if _, ok := r.Example.Policy.Tool(d.Action.Tool()); !ok {
		r.Notes = append(r.Notes, "no tool is called "+d.Action.Tool()+spell.DidYouMean(d.Action.Tool(), toolNames(book)))
	}
	c := caseOf(r.Example.Policy, d.Action, r.Example.Facts)
	decided := strings.TrimSuffix(d.Key, "/error")
	_, expected := r.Example.Expected()
	names := append([]string{expected}, r.Example.ExpectedToPass()...)
	show := []string{decided}
	for _, key := range names {
		key = strings.TrimSuffix(key, "/error")
		if _, ok := book.Rule(key); !ok || key == decided || slices.Contains(show, key) {
			continue
		}
		note, look := fate(ctx, book, d, key, c)
		if note != "" {
			r.Notes = append(r.Notes, note)
		}
		show = append(show, look)
	}
	for _, key := range show {
		if rule, ok := book.Rule(key); ok {
			r.Values = append(r.Values, Values(ctx, book, rule, c)...)
		}
	}
}

func toolNames(book *rules.Rulebook) (out []string) {
	for _, t := range book.Tools() {
		out = append(out, t.Name)
	}
	return out
}

// fate says what became of a clause or invariant that an example names, if that is not
// seen from its condition, and whose condition shows it: its own, or its skill's trigger.
func fate(ctx context.Context, book *rules.Rulebook, d *reason.Decision, key string, c *skills.Case) (note,
	look string) {
	for _, s := range slices.Backward(d.Trace) {
		if s.Gate == key {
			return "", key
		}
	}
	skill, _, _ := strings.Cut(key, "/")
	if r, ok := book.Rule(skill); ok && r.Kind == "defskill" {
		if form, ok := condition(r); ok {
			on, err := book.Calculator().Compute(ctx, form, c)
			if held, is := on.(bool); err != nil || is && !held {
				return key + " was not asked: the trigger of its skill does not hold", skill
			}
		}
	}
	return key + " was not asked: " + d.Key + " decided before it", key
}

func caseOf(p skills.Policy, a *skills.Action, f *skills.Facts) *skills.Case {
	tool, _ := p.Tool(a.Tool())
	return skills.NewCase(a, tool, f)
}

// condition is what a rule asks: :when of a clause, :holds of an invariant, :trigger of a
// skill.
func condition(r rules.Rule) (sexpr.Value, bool) {
	want := "when"
	switch r.Kind {
	case "definvariant":
		want = "holds"
	case "defskill":
		want = "trigger"
	}
	items := r.Form.Items()
	for i := 2; i+1 < len(items); i += 2 {
		if items[i].IsKey(want) {
			return items[i+1], true
		}
	}
	return sexpr.Value{}, false
}
