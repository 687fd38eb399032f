package author

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/provenance"
)

// guesses are what a draft says that no schema did, and why.
type guesses struct {
	tool   provenance.Tool
	why    []string
	output []string // the fields of the output, if a schema names them
}

// guess takes the annotations of a server as a hint that may make a draft stricter. A
// server that calls an effect a read is not believed.
func guess(lex *provenance.Lexicon, t described, s schema, all *shapes) *guesses {
	var params []provenance.Param
	net := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p, _ := all.read(s.Properties[name]) // what cannot be read has no kind: any
		if inner, null := p.only(); null && inner != nil {
			doc := p.Description
			p, _ = all.read(inner)
			p.Description = doc
		}
		p.nullable()
		kind, _ := p.Type.(string)
		net[name] = isURL(p.Format) || isHost(p.Format)
		params = append(params, provenance.Param{Name: name, Doc: p.Description, Type: kind})
	}
	g := &guesses{tool: lex.Draft(t.Name, t.Description, params)}
	for name, r := range g.tool.Roles {
		if net[name] && !r.Strong() {
			g.tool.Roles[name] = provenance.Net
		}
	}
	switch read := t.Hints.ReadOnly; {
	case t.http != nil:
		g.ask(lex, t)
	case g.tool.Read && read != nil && !*read:
		g.tool.Read, g.tool.Classes = false, provenance.Update
		g.say("an effect of class update: the server says that it does more than read")
	case g.tool.Read:
		if g.tool.Verb == "" {
			g.say("a read, from the description")
		} else {
			g.say("a read, from the verb %q", g.tool.Verb)
		}
	case g.tool.Verb == "":
		g.say("an effect: the verb is not known")
	default:
		g.say("an effect, from the verb %q", g.tool.Verb)
	}
	g.hints(t.Hints)
	return g
}

// hints takes what else a server says: what makes a draft stricter is followed, and what
// would make it laxer is named.
func (g *guesses) hints(h hints) {
	says := func(b *bool) bool { return b != nil && *b }
	if says(h.ReadOnly) && !g.tool.Read {
		g.say("the server says that it only reads; its name does not, and the name counts")
	}
	if says(h.Destructive) && !g.tool.Read && g.tool.Classes&provenance.Delete == 0 {
		g.tool.Classes |= provenance.Delete
		g.say("class delete too: the server says that it may destroy")
	}
	if h.Destructive != nil && !*h.Destructive && g.tool.Classes&provenance.Delete != 0 {
		g.say("class delete stays, though the server says that it destroys nothing")
	}
	if says(h.Idempotent) && !g.tool.Read {
		g.say("not idempotent, though the server says that it is: recovery would repeat a call on its word")
	}
}

// finish adds what depends on the kinds of the parameters: their roles, and the output.
func (g *guesses) finish(t described, all *shapes) {
	var strong []string
	for _, name := range slices.Sorted(maps.Keys(g.tool.Roles)) {
		if g.tool.Roles[name] != provenance.NoRole {
			continue
		}
		if slices.Contains(all.guessed, ":"+name+" is a path, from its name") || g.tool.Read {
			g.tool.Roles[name] = provenance.Object
		} else {
			strong = append(strong, ":"+name)
		}
	}
	if len(strong) < len(g.tool.Roles) {
		g.say("roles, from the names and descriptions of the parameters")
	}
	if len(strong) > 0 {
		g.say("texts in %s are strong: what they steer is not known", strings.Join(strong, ", "))
	}
	g.output = all.outputs(t.Output)
	switch open := t.Hints.OpenWorld; {
	case open != nil && !*open:
		g.say("the output is untrusted, though the server says that its world is closed: that is not who wrote it")
	default:
		g.say("the output is untrusted: the schema does not say who wrote it")
	}
	if !g.tool.Read {
		g.say("the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed")
	}
}

func (g *guesses) say(format string, args ...any) {
	g.why = append(g.why, fmt.Sprintf(format, args...))
}

// comments returns the lines above a draft. Lint reports those that are guessed.
func (g *guesses) comments(t described, all *shapes) string {
	var b strings.Builder
	if t.http != nil {
		b.WriteString("; " + oneLine(t.http.String()) + "\n")
	}
	for _, w := range slices.Concat(g.why, all.guessed) {
		b.WriteString("; guessed: " + oneLine(w) + "\n")
	}
	if len(all.dropped) > 0 {
		b.WriteString("; left to the server: " + oneLine(strings.Join(all.dropped, ", ")) + "\n")
	}
	return b.String()
}

// oneLine makes what a document says fit to stand in a comment.
func oneLine(text string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsGraphic(c) || unicode.Is(unicode.Zl, c) || unicode.Is(unicode.Zp, c) {
			return ' '
		}
		return c
	}, text)
}

// fields adds what was guessed to a deftool.
func (g *guesses) fields(add func(string, ...sexpr.Value)) {
	if g.tool.Read {
		add("effect", sexpr.Key("none"))
	} else if words := classes(g.tool.Classes); len(words) > 0 {
		add("class", sexpr.ListOf(words...))
	}
	add("output", byField(g.output))
	var nouns, roles []sexpr.Value
	for _, n := range g.tool.Nouns {
		nouns = append(nouns, sexpr.Str(n))
	}
	for _, name := range slices.Sorted(maps.Keys(g.tool.Roles)) {
		if r := g.tool.Roles[name]; r != provenance.NoRole {
			roles = append(roles, sexpr.Key(name), sexpr.Key(r.String()))
		}
	}
	if nouns != nil {
		add("nouns", sexpr.ListOf(nouns...))
	}
	if roles != nil {
		add("roles", sexpr.ListOf(roles...))
	}
}

// classes returns the words of a set of classes, in the order of the language's page.
func classes(set provenance.Class) []sexpr.Value {
	var out []sexpr.Value
	for _, name := range []string{"comm", "pay", "book", "create", "update", "delete", "grant", "run"} {
		if c, err := provenance.ParseClass(name); err == nil && set&c != 0 {
			out = append(out, sexpr.Key(name))
		}
	}
	return out
}
