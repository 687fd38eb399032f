package reason

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/opencortex-go/cortex/reason/internal/foreign"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// contact says how an action stands to the protected places.
type contact uint8

const (
	apart    contact = iota // touches none of them
	unclear                 // may touch one: it cannot be determined
	touching                // touches one
)

// protect is step 2: it keeps the action away from the protected places. It
// reports whether gates are to be asked. Saying something to the user, or asking a
// person, touches nothing. An action that breaks its schema, as broken says, may say anything.
func (r *run) protect(broken error) bool {
	r.unsure = r.unsure && r.req.Observe // what was proposed is what would run
	p := r.req.Places
	if p == nil || len(p.Paths)+len(p.Hosts) == 0 || r.tool != nil && r.tool.Builtin {
		return true
	}
	g := guard{places: p, kept: p.all(), c: &r.c}
	if broken != nil && g.runs() {
		g.note(unclear, "arguments that break the schema of "+r.tool.Name)
	}
	g.look()
	switch g.found {
	case touching:
		r.deny(skills.Reason{Key: KeyProtection, Text: "this belongs to the guard itself and is out of bounds",
			Detail: foreign.Legible(g.why)})
		r.trace(Step{Round: r.d.Rounds, Gate: KeyProtection, Outcome: Denied})
		return false
	case unclear:
		r.unsure = true
		r.trace(Step{Round: r.d.Rounds, Gate: KeyProtection, Outcome: Asked, Note: foreign.Legible(g.why)})
	case apart:
	}
	return true
}

// place is a protected path, cleaned: one with a slash at its end would match
// nothing.
type place struct {
	path string
	kept *facts.Kept // nil until it is needed
}

// Ready returns p with its paths compiled, which otherwise each decision does that
// needs them. One below ~ is left to decisions: they tell where that is.
func (p Places) Ready() Places {
	p.kept = p.cleaned()
	for i := range p.kept {
		if at := &p.kept[i]; !strings.HasPrefix(at.path, "~") {
			at.kept = facts.Keep(at.path, nil)
		}
	}
	return p
}

// all are the paths. What is nil in there, the caller may fill in.
func (p *Places) all() []place {
	if p.kept == nil {
		return p.cleaned()
	}
	if slices.ContainsFunc(p.kept, func(at place) bool { return at.kept == nil }) {
		return slices.Clone(p.kept)
	}
	return p.kept
}

func (p *Places) cleaned() []place {
	out := make([]place, len(p.Paths))
	for i, s := range p.Paths {
		out[i].path = path.Clean(s)
	}
	return out
}

// guard looks at one action.
type guard struct {
	places *Places
	kept   []place // the paths of places
	c      *skills.Case
	found  contact
	why    string // what was found first, for the operator
}

func (g *guard) note(found contact, why string) {
	if found > g.found {
		g.found, g.why = found, why
	}
}

// look finds the closest contact. Whatever cannot be read is unclear.
func (g *guard) look() {
	if spelled := g.spelled(g.c.Action().Args()); spelled != "" {
		g.note(touching, spelled)
		return
	}
	if found, ok := g.call("paths", g.c.Action()); ok {
		for _, p := range found.([]any) {
			g.path(p)
		}
	}
	if found, ok := g.call("hosts", g.c.Action()); ok {
		for _, h := range found.([]any) {
			g.host(h)
		}
	}
	g.words()
}

// core are the functions that every rulebook has, made once: describing them
// costs more than most calls.
var core = sync.OnceValue(facts.Core)

// call asks a function that rules use too, so that both see the same. An error
// is noted: what cannot be told may touch a place.
func (g *guard) call(name string, args ...any) (any, bool) {
	all := core()
	i := slices.IndexFunc(all, func(f facts.Function) bool { return f.Name == name })
	out, err := all[i].Call(g.c, args)
	if err == nil {
		out, err = facts.Read(out)
	}
	if err != nil {
		if g.runs() {
			g.note(unclear, err.Error())
		}
		return nil, false
	}
	return out, true
}

// runs reports whether the action runs commands or names paths by its schema:
// then what cannot be told matters. A title with a slash in it is not a path.
func (g *guard) runs() bool {
	return g.c.Tool() != nil && slices.ContainsFunc(g.c.Tool().Params, func(p skills.Param) bool {
		return p.Type.Kind == skills.KindCommand || p.Type.Kind == skills.KindPath
	})
}

// path compares one path with every place. A plain one is absolute and clean, or
// below an unknown home.
func (g *guard) path(p any) {
	switch p := p.(type) {
	case facts.Unknown:
		g.doubt(p)
	case facts.Pattern:
		for i := range g.kept {
			g.pattern(p, &g.kept[i])
		}
	case string:
		if strings.HasPrefix(p, "~") {
			g.doubt(facts.Unknown{Why: "where " + p + " leads"})
			return
		}
		for _, at := range g.kept {
			g.compare(p, at.path)
		}
	}
}

// doubt notes what cannot be told, where that matters.
func (g *guard) doubt(what facts.Unknown) {
	if g.found == apart && g.runs() {
		g.note(unclear, what.Error())
	}
}

func (g *guard) compare(path, place string) {
	switch {
	case path == place || below(path, place):
		g.note(touching, place)
	case path == "/" || below(place, path):
		g.above(place)
	}
}

// below reports whether a path lies below a folder.
func below(path, folder string) bool {
	return len(path) > len(folder) && path[len(folder)] == '/' && strings.HasPrefix(path, folder)
}

// above notes a folder above a place, unless nothing reaches down from it.
func (g *guard) above(place string) {
	if g.found == apart && !g.looksOnly() {
		g.note(unclear, "a folder above "+place)
	}
}

// pattern compares what may be one of many paths with a place.
func (g *guard) pattern(p facts.Pattern, at *place) {
	if at.kept == nil {
		at.kept = facts.Keep(at.path, g.c)
	}
	how, told := at.kept.Of(p)
	if !told {
		g.doubt(facts.Unknown{Why: "where the path " + foreign.Clip(p.Text, foreign.MaxText) + " leads"})
	}
	switch how {
	case facts.Within:
		g.note(touching, at.path)
	case facts.Near:
		if p.Text != "" && (p.Text[0] == '/' || p.Text[0] == '~') {
			g.note(touching, at.path)
		} else {
			g.note(unclear, at.path) // from a folder that may be another one
		}
	case facts.Above:
		g.above(at.path)
	case facts.Apart:
	}
}

func (g *guard) host(h any) {
	name, ok := h.(string)
	if !ok {
		return
	}
	for _, place := range g.places.Hosts {
		bare := place
		if i := strings.LastIndexByte(place, ':'); i >= 0 && !strings.Contains(place[i:], "]") {
			bare = place[:i]
		}
		if strings.EqualFold(name, strings.Trim(bare, "[]")) {
			g.note(touching, place)
		}
	}
}

// words notes the commands and redirections that cannot be resolved. What they
// name is among the paths, and what is only text there is none.
func (g *guard) words() {
	for _, cmd := range g.commands() {
		rec, ok := cmd.(map[string]any)
		if !ok {
			g.note(unclear, "a command that cannot be told")
			continue
		}
		for _, field := range []string{"name", "via"} {
			g.word(rec[field])
		}
		redirects, _ := rec["redirects"].([]any)
		for _, r := range redirects {
			if m, ok := r.(map[string]any); ok {
				g.word(m["target"])
			} else {
				g.word(r)
			}
		}
	}
}

func (g *guard) word(v any) {
	switch v := v.(type) {
	case facts.Unknown:
		g.note(unclear, v.Error())
	case []any:
		for _, x := range v {
			g.word(x)
		}
	}
}

// commands are the simple commands in all command arguments.
func (g *guard) commands() []any {
	if g.c.Tool() == nil {
		return nil
	}
	var out []any
	for _, p := range g.c.Tool().Params {
		line, ok := g.c.Action().Native()[p.Name].(string)
		if p.Type.Kind != skills.KindCommand || !ok {
			continue
		}
		if cmds, ok := g.call("shell", line); ok {
			out = append(out, cmds.([]any)...)
		}
	}
	return out
}

// lookers are commands that look at the folder they are given and at nothing
// below it, unless a flag says so.
var lookers = []string{"ls", "cd", "pwd", "pushd", "popd", "stat", "test", "[", "echo", "printf", "mkdir", "basename",
	"dirname", "realpath", "readlink", "true", "false"}

// looksOnly reports whether the action does no more to a folder than look at its
// entries, so that a place further down is safe.
func (g *guard) looksOnly() bool {
	if g.c.Tool() != nil && g.c.Tool().Effect == skills.EffectNone {
		return true
	}
	cmds := g.commands()
	for _, cmd := range cmds {
		rec, _ := cmd.(map[string]any)
		name, _ := rec["name"].(string)
		via, _ := rec["via"].([]any)
		if !slices.Contains(lookers, name) || len(via) > 0 {
			return false
		}
		if deep, ok := g.call("flag?", rec, "R"); !ok || deep == true {
			return false
		}
	}
	return len(cmds) > 0
}

// spelled finds a protected path that stands in so many words somewhere in the
// arguments, also inside a script in another language, and returns it.
func (g *guard) spelled(v sexpr.Value) string {
	if v.Kind() == sexpr.String {
		for _, at := range g.kept {
			if holdsPath(v.Text(), at.path) {
				return at.path
			}
		}
	}
	for _, x := range v.Items() {
		if found := g.spelled(x); found != "" {
			return found
		}
	}
	return ""
}

// holdsPath reports whether text spells place, and not a longer name.
func holdsPath(text, place string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], place)
		if i < 0 {
			return false
		}
		from += i + len(place)
		rest := strings.TrimLeft(text[from:], ".")
		if rest == "" || !inName(rest[0]) {
			return true
		}
	}
}

func inName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c >= 0x80
}
