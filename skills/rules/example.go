package rules

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
)

// example is a defexample that was read.
type example struct {
	src       *source
	pos       sexpr.Pos
	name      string
	proposal  sexpr.Value
	facts     *skills.Facts
	kind, key string // expected; key "" is any
	plugins   []*pluginAnswer
}

// run holds the examples against the part of the book that their own file, and
// what it includes, defines.
func (d *definitions) run(book *Rulebook, judge Judge) {
	var all []*example
	for _, f := range d.examples {
		if e, ok := d.example(f.src, f.v); ok {
			all = append(all, e)
		}
	}
	if judge == nil || d.b.faults.count() > 0 {
		return
	}
	parts := map[*source]*Rulebook{}
	for _, e := range all {
		if parts[e.src] == nil {
			files := map[*source]bool{}
			e.src.reach(files)
			parts[e.src] = book.only(files, d.tools)
		}
		kind, key, err := judge(context.Background(), e.beside(parts[e.src]), e.proposal, e.facts)
		switch {
		case err != nil:
			d.b.faults.add(e.src, e.pos, err, "the example %q could not be judged: %s", e.name, err)
		case kind != e.kind || e.key != "" && key != e.key:
			d.b.faults.add(e.src, e.pos, nil, "the example %q does not hold: found (%s %s), expected (%s)",
				e.name, kind, key, strings.TrimSpace(e.kind+" "+e.key))
		}
	}
}

// example reads a defexample.
func (d *definitions) example(s *source, v sexpr.Value) (*example, bool) {
	before := d.b.faults.count()
	f := d.b.fields(s, v, 2, "action", "expect", "session", "facts", "signal", "now", "plugins")
	e := &example{src: s, pos: v.Pos(), facts: d.given(f), plugins: d.answers(f)}
	if v.Len() < 2 || v.Items()[1].Kind() != sexpr.String {
		f.b.faults.add(s, v.Pos(), nil, "defexample begins with what it shows, as a string")
	} else {
		e.name = v.Items()[1].Text()
	}
	e.proposal, _ = f.get("action")
	if !e.proposal.IsPlist() {
		f.fault("action", `a proposal such as (:tool "shell" :args (:cmd "ls"))`)
	}
	expect, _ := f.get("expect")
	items := expect.Items()
	kinds := []string{"allow", "ask", "deny"}
	if len(items) < 1 || len(items) > 2 || items[0].Kind() != sexpr.Symbol || !contains(kinds, items[0].Text()) {
		f.fault("expect", "(allow), (ask) or (deny), with a key if it matters: (deny skill/clause)")
		return nil, false
	}
	e.kind = items[0].Text()
	if len(items) == 2 {
		e.key = items[1].Text()
		if !e.names(e.key) {
			d.checkKey(s, items[1])
		}
	}
	return e, d.b.faults.count() == before
}

// checkKey reports a key of a clause or invariant that nothing has.
func (d *definitions) checkKey(s *source, v sexpr.Value) {
	key := strings.TrimSuffix(v.Text(), "/error")
	first, _, ok := strings.Cut(key, "/")
	if v.Kind() != sexpr.Symbol && v.Kind() != sexpr.String || key == "" {
		d.b.faults.add(s, v.Pos(), nil, "found %s, expected the key of a reason such as skill/clause", clipped(v))
		return
	}
	if !ok || first != "invariant" && contains(reserved(), first) || d.keys[key] || d.b.faults.broken {
		return
	}
	d.b.faults.add(s, v.Pos(), nil, "nothing has the key %s%s", key,
		spell.DidYouMean(key, slices.Sorted(maps.Keys(d.keys))))
}

// given reads the facts of an example. They are written as requests of cortex
// decide are.
func (d *definitions) given(f *fields) *skills.Facts {
	out := &skills.Facts{Now: f.number("now", 0, 1<<53, 1_700_000_000)}
	if v, ok := f.get("session"); ok {
		g := d.sub(f, v, "id", "user", "system", "principal", "roles", "calls")
		out.Session = skills.Session{ID: g.text("id"), Principal: g.text("principal"), System: g.text("system"),
			Roles: g.texts("roles")}
		if u := g.text("user"); u != "" {
			out.Session.Turns = append(out.Session.Turns, skills.Turn{User: u})
		}
		calls, _ := g.get("calls")
		for _, c := range calls.Items() {
			out.Session.Turns = append(out.Session.Turns, d.turn(g, c, out.Now))
		}
	}
	if v, ok := f.get("facts"); ok {
		g := d.sub(f, v, "ctx", "env", "work", "policy")
		out.Ctx, out.Env, out.Work, out.Policy = g.object("ctx"), g.object("env"), g.object("work"), g.object("policy")
	}
	if v, ok := f.get("signal"); ok {
		g := d.sub(f, v, "sensor", "source", "session", "text", "from")
		out.Signal = perceive.Signal{
			Type: "event", Sensor: g.text("sensor"), Source: g.text("source"), Session: g.text("session"),
			Text: g.text("text"), Principal: g.text("from"),
		}
	}
	d.spend(out)
	return out
}

// turn reads one of :calls: an earlier call, or a later message of the user.
func (d *definitions) turn(f *fields, v sexpr.Value, now int64) skills.Turn {
	g := d.sub(f, v, "tool", "args", "result", "error", "decision", "at", "happened", "user")
	if _, ok := g.get("user"); ok {
		return skills.Turn{User: g.text("user")}
	}
	c := &skills.Call{Tool: g.text("tool"), Args: g.object("args"), Error: g.text("error"), Decision: "allow",
		Happened: true}
	c.Result, _ = g.get("result")
	c.At = g.number("at", 0, 1<<53, now)
	if w := g.text("decision"); w != "" {
		c.Decision = w
	}
	if _, ok := g.get("happened"); ok {
		c.Happened = g.flag("happened")
	}
	if c.Tool == "" {
		g.fault("tool", "the name of a tool")
	}
	return skills.Turn{Call: c}
}

// spend counts what the earlier calls took from budgets.
func (d *definitions) spend(f *skills.Facts) {
	for _, t := range f.Session.Turns {
		if t.Call == nil || !t.Call.Happened || t.Call.Decision != "allow" || d.b.Tools[t.Call.Tool] == nil {
			continue
		}
		for _, s := range d.b.Tools[t.Call.Tool].Spends {
			amount := s.Fixed
			if s.Arg != "" {
				v, _ := t.Call.Args.Get(s.Arg)
				amount = v.Float() + float64(v.Int())
			}
			f.Spends = append(f.Spends,
				skills.Spend{Budget: s.Budget, Amount: amount, Session: f.Session.ID, Tool: t.Call.Tool, At: t.Call.At})
		}
	}
}

// sub reads a plist inside a definition.
func (d *definitions) sub(f *fields, v sexpr.Value, known ...string) *fields {
	if v.Kind() != sexpr.List {
		d.b.faults.add(f.src, v.Pos(), nil, "found %s, expected a plist with %s", clipped(v), condition.Listed(":", known))
		return &fields{b: d.b, src: f.src, pos: v.Pos()}
	}
	return d.b.plist(f.src, v, f.what, 0, known)
}

func (f *fields) texts(key string) []string {
	v, _ := f.get(key)
	var out []string
	for _, x := range v.Items() {
		if x.Kind() != sexpr.String {
			f.fault(key, "a list of strings")
		}
		out = append(out, x.Text())
	}
	return out
}

// object reads a plist of facts, which must mean something in JSON.
func (f *fields) object(key string) sexpr.Value {
	v, ok := f.get(key)
	if ok && !v.IsObject() && !v.IsNil() {
		f.fault(key, "a plist")
	} else if err := sexpr.CheckJSON(v); err != nil {
		f.fail(key, "%s", err)
	}
	return v
}
