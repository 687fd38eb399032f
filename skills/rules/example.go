package rules

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
	"github.com/opencortex-go/cortex/skills/rules/vocabulary"
)

// Example is a defexample that was read. It is immutable.
type Example struct {
	Name     string
	File     string
	Pos      sexpr.Pos
	Form     sexpr.Value // as it is written
	Proposal sexpr.Value
	Facts    *skills.Facts
	// Lookup answers for the links that the example names; nil if it names none.
	Lookup func(function, argument string) (string, error)
	// Policy is what judges it: the part of the rulebook that its own file, and what
	// this includes, defines, and the plugins that it answers for.
	Policy skills.Policy

	src     *source
	want    wanted
	plugins []*pluginAnswer
}

// Examples returns every example, by file and place.
func (b *Rulebook) Examples() []*Example { return b.examples }

// gather reads the examples, each with the part of the book that it is held against.
func (d *definitions) gather(book *Rulebook) (all []*Example) {
	parts := map[*source]*Rulebook{}
	for _, f := range d.examples {
		e, ok := d.example(f.src, f.v)
		if !ok {
			continue
		}
		if parts[e.src] == nil {
			files := map[*source]bool{}
			e.src.reach(files)
			parts[e.src] = book.only(files, d.tools)
		}
		e.Policy = e.beside(parts[e.src])
		all = append(all, e)
	}
	return all
}

// run holds the examples against what judge decides.
func (d *definitions) run(all []*Example, judge Judge) {
	if judge == nil || d.b.faults.count() > 0 {
		return
	}
	for _, e := range all {
		found, err := judge(context.Background(), e)
		if err != nil {
			d.b.faults.add(e.src, e.Pos, err, "the example %q could not be judged: %s", e.Name, err)
			continue
		}
		if wrong := e.Wrong(found); len(wrong) > 0 {
			d.b.faults.add(e.src, e.Pos, nil, "the example %q does not hold: %s", e.Name, listed(wrong))
		}
	}
}

// example reads a defexample.
func (d *definitions) example(s *source, v sexpr.Value) (*Example, bool) {
	before := d.b.faults.count()
	f := d.b.fields(s, v, 2, "defexample")
	e := &Example{File: s.path, Pos: v.Pos(), Form: v, src: s, Facts: d.given(f), Lookup: d.links(f),
		plugins: d.answers(f)}
	if v.Len() < 2 || v.Items()[1].Kind() != sexpr.String {
		f.b.faults.add(s, v.Pos(), nil, "defexample begins with what it shows, as a string")
	} else {
		e.Name = v.Items()[1].Text()
	}
	e.Proposal, _ = f.get("action")
	if !e.Proposal.IsPlist() {
		f.fault("action", `a proposal such as (:tool "shell" :args (:cmd "ls"))`)
	}
	if !d.wants(f, e) {
		return nil, false
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
	if !ok || first != "invariant" && contains(vocabulary.Reserved(), first) || d.keys[key] || d.b.faults.broken {
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
		g := d.sub(f, v, "session")
		out.Session = skills.Session{ID: g.text("id"), Principal: g.text("principal"), System: g.text("system"),
			Roles: g.texts("roles")}
		if u, attached := g.text("user"), d.sources(g); u != "" || attached != nil {
			out.Session.Turns = append(out.Session.Turns, skills.Turn{User: u, Attached: attached})
		}
		if _, ok := g.get("whole"); ok {
			out.Session.Partial = !g.flag("whole")
		}
		calls, _ := g.get("calls")
		for _, c := range calls.Items() {
			out.Session.Turns = append(out.Session.Turns, d.turn(g, c, out.Now))
		}
		out.Covers = d.covers(g, out)
	}
	if v, ok := f.get("facts"); ok {
		g := d.sub(f, v, "facts")
		out.Ctx, out.Env, out.Work, out.Policy = g.object("ctx"), g.object("env"), g.object("work"), g.object("policy")
	}
	if v, ok := f.get("signal"); ok {
		g := d.sub(f, v, "signal")
		out.Signal = perceive.Signal{
			Type: "event", Sensor: g.text("sensor"), Source: g.text("source"), Session: g.text("session"),
			Text: g.text("text"), Principal: g.text("from"),
		}
	}
	d.spend(out)
	return out
}

// sources reads :attached: texts that the user's host put into a message.
func (d *definitions) sources(f *fields) (out []skills.Source) {
	list, _ := f.get("attached")
	for _, v := range list.Items() {
		g := d.sub(f, v, "attached")
		out = append(out, skills.Source{Name: g.text("name"), Text: g.text("text")})
	}
	return out
}

// covers reads :covers: what people covered in the session of these facts.
func (d *definitions) covers(f *fields, of *skills.Facts) (out []skills.Cover) {
	list, _ := f.get("covers")
	for _, v := range list.Items() {
		g := d.sub(f, v, "cover")
		c := skills.Cover{Tool: g.text("tool"), Principal: of.Session.Principal, Left: int(g.number("left", 0, 1<<10, 1)),
			Until: g.number("until", 0, 1<<53, of.Now+60)}
		if _, ok := g.get("principal"); ok {
			c.Principal = g.text("principal")
		}
		sources, _ := g.get("sources")
		for _, n := range sources.Items() {
			if n.Kind() != sexpr.Int || n.Int() < 0 || n.Int() > int64(len(of.Session.Turns)) {
				g.fault("sources", "a list of places in the session, 0 to "+strconv.Itoa(len(of.Session.Turns)))
				break
			}
			c.Sources = append(c.Sources, uint64(n.Int())) //nolint:gosec // not negative
		}
		if c.Tool == "" {
			g.fault("tool", "the name of a tool")
		}
		out = append(out, c)
	}
	return out
}

// turn reads one of :calls: an earlier call, a later message of the user, or what else
// was said or read.
func (d *definitions) turn(f *fields, v sexpr.Value, now int64) skills.Turn {
	g := d.sub(f, v, "call")
	if _, ok := g.get("user"); ok {
		return skills.Turn{User: g.text("user"), Attached: d.sources(g)}
	}
	if _, ok := g.get("reply"); ok {
		return skills.Turn{Reply: g.text("reply")}
	}
	if _, ok := g.get("source"); ok {
		return skills.Turn{Source: &skills.Source{Name: g.text("name"), Text: g.text("source")}}
	}
	c := &skills.Call{Tool: g.text("tool"), Args: g.object("args"), Error: g.text("error"), Decision: "allow",
		Happened: true}
	result, told := g.get("result")
	c.Result = result
	c.At = g.number("at", 0, 1<<53, now)
	if w := g.text("decision"); w != "" {
		c.Decision = w
	}
	if _, ok := g.get("happened"); ok {
		c.Happened = g.flag("happened")
	}
	c.Cut, c.Untold = g.flag("cut"), !told && c.Happened && c.Error == ""
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

// sub reads a plist inside a definition, with the keys of a part of the vocabulary.
func (d *definitions) sub(f *fields, v sexpr.Value, part string) *fields {
	known := d.b.keys[part]
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
