package lint

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// run is an action that was run through the rules.
type run struct {
	action   *skills.Action
	tool     *skills.Tool
	decision *reason.Decision
}

// text is the action in the notation.
func (r *run) text() string {
	return sexpr.Plist("tool", sexpr.Str(r.action.Tool()), "args", r.action.Args()).String()
}

// answer is what the rules said.
func (r *run) answer() string { return r.decision.Kind.String() + " " + r.decision.Key }

// around are the facts that witnesses are judged with.
func around() *skills.Facts {
	return &skills.Facts{Now: 1_700_000_000,
		Env: sexpr.Plist("cwd", sexpr.Str("/workspace"), "home", sexpr.Str("/home/agent"),
			"workspace", sexpr.Str("/workspace")),
		Session: skills.Session{ID: "lint", Principal: "ann", Roles: []string{"user"},
			Turns: []skills.Turn{{User: "Please do it."}}}}
}

// try makes an action and runs it; nil if it does not fit the schema.
func (l *linter) try(tool string, args []any) *run {
	if !l.work(perTry) {
		return nil
	}
	object := sexpr.EmptyObject()
	if len(args) > 0 {
		object = sexpr.Plist(args...)
	}
	a, err := skills.NewAction(tool, object, "A witness that lint made to show a finding.")
	if err != nil {
		return nil
	}
	if a, err = skills.Conform(a, l.book); err != nil {
		return nil
	}
	r := &run{action: a}
	r.tool, _ = l.book.Tool(tool)
	r.decision = reason.Decide(l.ctx,
		reason.Request{Policy: l.book, Action: a, Facts: around()})
	return r
}

// maxTries bounds the actions that one finding is tried on.
const maxTries = 12

// witnesses makes an action of each way, and runs it. full gives optional arguments too.
func (l *linter) witnesses(ways []way, full bool) (out []*run) {
	for _, w := range ways {
		tools := []string{w.tool}
		if w.tool == "" {
			tools = l.someTools(w.model)
		}
		for _, name := range tools {
			if len(out) >= maxTries {
				return out
			}
			tool, _ := l.book.Tool(name)
			if r := l.try(name, given(tool, w.model, full)); r != nil {
				out = append(out, r)
			}
		}
	}
	return out
}

// someTools are tools to try a condition on that is about any.
func (l *linter) someTools(m model) (out []string) {
	d := m.values["action.tool"]
	for _, t := range l.book.Tools() {
		if (d == nil || d.admits(sexpr.Str(t.Name))) && len(out) < 3 {
			out = append(out, t.Name)
		}
	}
	if d == nil || d.admits(sexpr.Str("other")) {
		out = append(out, "other")
	}
	return out
}

// given are the arguments of a way: what it says something of, and what the schema wants.
func given(tool *skills.Tool, m model, full bool) (args []any) {
	if tool == nil {
		for _, name := range sorted(m.values) {
			if key, ok := strings.CutPrefix(name, "action.args."); ok && !m.values[name].absent {
				if v, ok := m.values[name].pick(); ok {
					args = append(args, key, v)
				}
			}
		}
		return args
	}
	required := map[string]bool{}
	for _, r := range tool.Required {
		required[r] = true
	}
	for _, p := range tool.Params {
		d := m.values["action.args."+p.Name]
		if d != nil && d.absent || !required[p.Name] && !full && (d == nil || !d.there && !d.compared) {
			continue
		}
		if d == nil {
			d = newDomain()
			d.declare(p.Type)
		}
		v := sample(&p.Type, d)
		if w, ok := m.within(&p); ok && d.admits(w) {
			v = w
		}
		args = append(args, p.Name, v)
	}
	return args
}

// sample is a value of a type, one that is admitted if there is one at hand.
func sample(t *skills.Type, d *domain) sexpr.Value {
	usual := map[skills.ParamKind]string{skills.KindCommand: "ls", skills.KindPath: "/workspace/a.txt",
		skills.KindHost: "example.com", skills.KindURL: "https://example.com/a", skills.KindSQL: "select 1"}
	switch t.Kind {
	case skills.KindList:
		if t.Elem == nil {
			return sexpr.ListOf(sexpr.Str("text"))
		}
		return sexpr.ListOf(sample(t.Elem, plainDomain(t.Elem)))
	case skills.KindObject:
		var args []any
		for _, p := range t.Params {
			args = append(args, p.Name, sample(&p.Type, plainDomain(&p.Type)))
		}
		if len(args) == 0 {
			return sexpr.EmptyObject()
		}
		return sexpr.Plist(args...)
	case skills.KindAny, skills.KindString, skills.KindBoolean, skills.KindInteger, skills.KindNumber, skills.KindEnum,
		skills.KindCommand, skills.KindPath, skills.KindHost, skills.KindURL, skills.KindSQL:
	}
	if v := sexpr.Str(usual[t.Kind]); v.Text() != "" && !d.any && len(d.members()) == 0 && d.admits(v) {
		return v
	}
	v, _ := d.pick()
	return v
}

func plainDomain(t *skills.Type) *domain {
	d := newDomain()
	d.declare(*t)
	return d
}

// answers is what one clause says of an action, whatever the others say.
type answers uint8

const (
	passes answers = iota
	applies
	errs
	silent // its skill is not triggered, or the case cannot be judged
)

// ask puts one clause to an action.
func (l *linter) ask(c *clause, r *run) answers {
	x := skills.NewCase(r.action, r.tool, around())
	if c.skill != nil && c.skill.Trigger != nil {
		if on, err := c.skill.Trigger(x); err != nil || !on {
			return silent
		}
	}
	v, err := c.gate.Judge(l.ctx, x)
	if err != nil {
		return silent
	}
	failed := func(w skills.Reason) answers {
		if strings.HasSuffix(w.Key, "/error") {
			return errs
		}
		return applies
	}
	switch v := v.(type) {
	case skills.Pass:
		if v.Note != "" {
			return errs
		}
		return passes
	case skills.Deny:
		return failed(v.Reason)
	case skills.Ask:
		return failed(v.Reason)
	case skills.Allow, skills.Rewrite, skills.Asks:
		return applies
	}
	return silent
}

// first is the first of the actions on which the clause answers so.
func (l *linter) first(c *clause, want answers, tries []*run) *run {
	for _, r := range tries {
		if l.ask(c, r) == want {
			return r
		}
	}
	return nil
}

// rewrote reports whether a clause rewrote the action when all were asked.
func (r *run) rewrote(id string) bool {
	return slices.ContainsFunc(r.decision.Trace, func(s reason.Step) bool {
		return s.Gate == id && s.Outcome == reason.Rewrote
	})
}
