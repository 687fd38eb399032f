package repl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// explain shows a decision: what was asked, by whom, when, and how it came out; then
// the clauses that decided with the values they saw, and what the other gates did.
func explain(ctx context.Context, s *Session, c call) (Result, error) {
	n, ok := c.number(0)
	if !ok || len(c.args) != 1 {
		return Result{}, c.wrong("NUMBER")
	}
	x, err := s.r.opt.Engine.Explain(ctx, n)
	if err != nil {
		return Result{}, err
	}
	d := x.Decision
	out := explanation{s: s, x: x}
	out.head()
	out.clauses(ctx)
	out.origins()
	out.trace()
	return Result{Value: decisionValue(d).With("recorded", d.Value()).With("trace",
		reason.TraceValue(x.Trace)).With("facts", x.Facts.Value()).With("intent", number(x.Intent)).With("origins",
		listOf(x.Origins, originValue)), Out: out.text.String(),
		Quiet: true}, nil
}

// explanation writes what a person reads of a decision.
type explanation struct {
	s    *Session
	x    *cortex.Explanation
	text strings.Builder
}

func (e *explanation) printf(format string, args ...any) { fmt.Fprintf(&e.text, format, args...) }

// shown is text of an action or a fact as a card shows it: without credentials.
func (e *explanation) shown(text string) string {
	if mask := e.s.r.opt.Card.Mask; mask != nil {
		text = mask(text)
	}
	return clip(text, 400)
}

// judged is the action that the clauses saw: as rewritten, if it was.
func (e *explanation) judged() *skills.Action {
	if d := e.x.Decision; d.Action != nil {
		return d.Action
	}
	return e.x.Decision.Proposed
}

// head says what was asked, by whom, when, and how it came out.
func (e *explanation) head() {
	d, f := e.x.Decision, e.x.Facts
	if a := e.judged(); a != nil {
		e.printf("action     %s %s\n", a.Tool(), e.shown(a.Args().String()))
		if a.Explanation() != "" {
			e.printf("it says    %s\n", e.shown(sexpr.Str(a.Explanation()).String()))
		}
		if d.Proposed != nil && a.Digest() != d.Proposed.Digest() {
			e.printf("rewritten  from %s %s\n", d.Proposed.Tool(), e.shown(d.Proposed.Args().String()))
		}
	}
	e.printf("requester  %s in session %s\n", sexpr.Str(f.Session.Principal), sexpr.Str(f.Session.ID))
	e.printf("time       %s UTC\n", time.Unix(f.Now, 0).UTC().Format(time.DateTime))
	if at, ok := f.Env.Get("workspace"); ok {
		if at.Kind() == sexpr.List && at.Len() == 0 {
			e.printf("project    none: the host names none that may be one\n")
		} else {
			e.printf("project    %s\n", e.shown(at.String()))
		}
	}
	e.printf("outcome    %s\n", verdict(d))
	if d.Approval != "" {
		e.printf("           it waits for approval %s\n", d.Approval)
	}
}

// verdict is how a decision came out, in a line: "denied by guard/no-rm, record 20".
func verdict(d *cortex.Decision) string {
	word := map[reason.Kind]string{reason.Allow: "allowed", reason.Ask: "held", reason.Deny: "denied"}[d.Kind]
	text := fmt.Sprintf("%s by %s, record %d", word, d.Key, d.ID)
	if d.Grant != "" {
		text += ", with approval " + d.Grant
	}
	if d.Would {
		text = "would be " + text + "; nothing is held"
	}
	return text
}

// clauses shows each clause that decided.
func (e *explanation) clauses(ctx context.Context) {
	d := e.x.Decision
	list := d.Reasons
	if d.Kind == reason.Allow {
		list = d.Vouched
	}
	for _, r := range list {
		e.printf("\n%s: %s", r.Key, e.shown(r.Text))
		if r.Pos != "" {
			e.printf(" (%s)", r.Place())
		}
		e.printf("\n")
		for line := range strings.Lines(r.Advice) {
			e.printf("  %s\n", e.shown(strings.TrimSuffix(line, "\n")))
		}
		e.clause(ctx, r.Key)
	}
	if h := d.Hint; h != nil {
		e.printf("\n  %s\n", e.shown(h.String()))
	}
}

// clause shows a clause as it is written, and the values that it reads. What the
// rules were that decided is known only while they are in force.
func (e *explanation) clause(ctx context.Context, key string) {
	engine := e.s.r.opt.Engine
	rule, ok := engine.Rules().Book().Rule(strings.TrimSuffix(key, "/error"))
	switch {
	case !ok:
		return
	case engine.Rules().Policy().Hash() != e.x.Decision.Policy:
		e.printf("  the rules have changed since: what the clause says today may not be what it said\n")
		return
	}
	e.printf("  %s\n", clip(rule.Form.String(), 600))
	saw := skills.NewCase(e.judged(), nil, e.x.Facts)
	for _, name := range reads(rule.Form, nil) {
		x, err := engine.Rules().Calculator().Compute(ctx, sexpr.Sym(name), saw)
		if err != nil {
			continue // a name of the clause's own, such as it.name
		}
		room := converter{room: 1000}
		if v, err := room.value(x); err == nil && room.room >= 0 {
			e.printf("  saw %s = %s\n", name, e.shown(v.String()))
		} else {
			e.printf("  saw %s, which is long\n", name)
		}
	}
}

// reads appends the names in a form that have parts, such as action.args.cmd, in
// the order in which they come.
func reads(form sexpr.Value, names []string) []string {
	if form.Kind() == sexpr.Symbol && strings.Contains(form.Text(), ".") && !slices.Contains(names, form.Text()) {
		return append(names, form.Text())
	}
	for _, x := range form.Items() {
		names = reads(x, names)
	}
	return names
}

// origins says where each value of the action came from, and what it was found in.
func (e *explanation) origins() {
	if e.x.NoOrigins != nil {
		e.printf("\n  where the values came from cannot be told: %s\n", card.Visible(clip(e.x.NoOrigins.Error(), 200)))
	}
	if len(e.x.Origins) > 0 {
		e.printf("\n")
	}
	for _, o := range e.x.Origins {
		e.printf("  %-16s %-11s %s\n", sexpr.Key(clip(o.Name, 80)), o.Origin, e.shown(found(o)))
	}
}

// found is where a value was found: "field body, record 2 of read_mail's result (record 17): ...".
func found(o cortex.Origin) string {
	var parts []string
	if o.Why != "" {
		parts = append(parts, o.Why)
	}
	if o.Field != "" {
		parts = append(parts, "field "+o.Field)
	}
	switch {
	case o.Tool != "" && o.Record > 0:
		parts = append(parts, fmt.Sprintf("item %d of what %s returned", o.Record, o.Tool))
	case o.Tool != "":
		parts = append(parts, "what "+o.Tool+" returned")
	}
	if o.Ref > 0 {
		parts = append(parts, fmt.Sprintf("record %d", o.Ref))
	}
	text := strings.Join(parts, ", ")
	if o.Text != "" {
		text += ": " + sexpr.Str(o.Text).String()
	}
	return text
}

// originValue is where a value came from, for programs.
func originValue(o cortex.Origin) sexpr.Value {
	v := sexpr.Plist("argument", sexpr.Str(o.Name), "origin", sexpr.Str(o.Origin), "role", sexpr.Str(o.Role))
	if o.Why != "" {
		v = v.With("why", sexpr.Str(o.Why))
	}
	if o.Ref > 0 {
		v = v.With("record", number(o.Ref))
	}
	if o.Tool != "" {
		v = v.With("tool", sexpr.Str(o.Tool))
	}
	if o.Record > 0 {
		v = v.With("item", sexpr.Int64(int64(o.Record)))
	}
	if o.Field != "" {
		v = v.With("field", sexpr.Str(o.Field))
	}
	return v
}

// trace shows what every gate did that did something, and counts the others.
func (e *explanation) trace() {
	d := e.x.Decision
	passed := 0
	e.printf("\n")
	for _, t := range e.x.Trace {
		if t.Outcome == reason.Passed && t.Note == "" {
			passed++
			continue
		}
		e.printf("  round %d  %-40s %s", t.Round, t.Gate, t.Outcome)
		if t.Note != "" {
			e.printf("  %s", e.shown(clip(t.Note, 200)))
		}
		if !t.Diff.IsNil() {
			e.printf("  %s", e.shown(t.Diff.String()))
		}
		e.printf("\n")
	}
	e.printf("  %d gates passed, %d had nothing to say about this tool\n", max(passed, d.Passed), d.Skipped)
	if e.x.Underived != nil {
		e.printf("  which ones passed cannot be derived: %s\n", card.Visible(clip(e.x.Underived.Error(), 200)))
	}
	if e.x.Compensates > 0 {
		e.printf("  to make up for intent %d\n", e.x.Compensates)
	}
	if e.x.Intent > 0 {
		e.printf("  acted on by intent %d\n", e.x.Intent)
	}
}
