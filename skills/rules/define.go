package rules

import (
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
	"github.com/opencortex-go/cortex/skills/rules/internal/teach"
	"github.com/opencortex-go/cortex/skills/rules/vocabulary"
)

// definitions gathers what all files define. Names are known before any
// condition is compiled, so that the order of files does not matter.
type definitions struct {
	b        *builder
	defaults *defaults
	tools    []defined[*skills.Tool]
	skills   []form
	holds    []form
	examples []form
	models   []form
	taken    map[string]site // "deftool shell" -> where it was defined
	any      bool            // something was defined that decides
	keys     map[string]bool // of clauses and invariants
}

// defaults is what happens where no rule says anything.
type defaults struct {
	unknown skills.Tier
	at      site
}

// form is a definition that waits until all names are known.
type form struct {
	src *source
	v   sexpr.Value
}

// defined is something together with the file that defines it.
type defined[T any] struct {
	src  *source
	what T
}

// site is a place in a file.
type site struct {
	src *source
	pos sexpr.Pos
}

func (p site) String() string { return p.src.path + ":" + p.pos.String() }

func kindsOfDefinition() (names []string) {
	for _, f := range vocabulary.Definitions() {
		names = append(names, f.Name)
	}
	return names
}

// declare makes known the tools that need no deftool: those that every rulebook
// has, and those that the loader was given.
func (d *definitions) declare(given []*skills.Tool) {
	d.taken, d.keys = map[string]site{}, map[string]bool{}
	for _, t := range append(skills.BuiltinTools(), given...) {
		d.b.AddTool(t)
	}
}

// read takes in the definitions of one file.
func (d *definitions) read(s *source) {
	if s.same != nil {
		return
	}
	for _, v := range s.forms {
		if v.Len() == 0 || v.Items()[0].Kind() != sexpr.Symbol {
			d.b.faults.add(s, v.Pos(), nil, "found %s, expected a definition such as (defskill name ...)", aKind(v))
			continue
		}
		if d.b.faults.enough() {
			return
		}
		switch kind := v.Items()[0].Text(); kind {
		case "include", "lexicon": // read with the files
		case "defaults":
			d.setDefaults(s, v)
		case "deftool":
			d.tool(s, v)
		case "deflist":
			d.list(s, v)
		case "defcondition": // decides nothing by itself
			d.condition(s, v)
		case "defskill":
			d.decides(s)
			d.skills = append(d.skills, form{s, v})
		case "definvariant":
			d.decides(s)
			d.holds = append(d.holds, form{s, v})
		case "defmodels": // decides nothing
			d.models = append(d.models, form{s, v})
		case "defexample":
			d.examples = append(d.examples, form{s, v})
		default:
			d.b.faults.add(s, v.Pos(), nil, "unknown definition %s%s", kind,
				didYouMean(teach.Definition(kind), kind, kindsOfDefinition()))
		}
	}
}

// decides notes that a file defines what can decide.
func (d *definitions) decides(s *source) { d.any = d.any || s.counts }

// didYouMean is the word that a word of another language means, or else one that is
// spelled nearly so.
func didYouMean(meant, word string, known []string) string {
	if meant != "" && contains(known, meant) {
		return "; did you mean " + meant + "?"
	}
	return spell.DidYouMean(word, known)
}

// aKind names the kind of a form.
func aKind(v sexpr.Value) string {
	if v.Kind() == sexpr.Int {
		return "an integer"
	}
	return "a " + v.Kind().String()
}

// name reads the name of a definition and sees that nobody else has it.
func (d *definitions) name(s *source, v sexpr.Value) (string, bool) {
	kind := v.Items()[0].Text()
	if v.Len() < 2 {
		d.b.faults.add(s, v.Pos(), nil, "%s has no name", kind)
		return "", false
	}
	n := v.Items()[1]
	name := n.Text()
	fit := isIdentifier(name)
	switch kind {
	case "defcondition":
		fit = isIdentifier(strings.TrimSuffix(name, "?"))
	case "deftool": // others gave it its name
		fit = name != "" && len(name) <= 2*condition.MaxName &&
			!strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f })
	}
	if n.Kind() != sexpr.Symbol && n.Kind() != sexpr.String || !fit {
		d.b.faults.add(s, n.Pos(), nil, "%s has no fit name: letters, digits and - _ . alone, at most %d", kind,
			condition.MaxName)
		return "", false
	}
	if at, ok := d.taken[kind+" "+name]; ok {
		d.b.faults.add(s, n.Pos(), nil, "%s %s is defined twice, first at %s", kind, name, at)
		return "", false
	}
	d.taken[kind+" "+name] = site{s, n.Pos()}
	return name, true
}

// isIdentifier reports whether a name can stand in reasons and paths.
func isIdentifier(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && (s[i] < '0' || s[i] > '9') && s[i] != '-' && s[i] != '_' && s[i] != '.' {
			return false
		}
	}
	return s != "" && len(s) <= condition.MaxName && s != "t" && s != "false" && s != "null"
}

func (d *definitions) setDefaults(s *source, v sexpr.Value) {
	d.decides(s)
	f := d.b.fields(s, v, 1, "defaults")
	t, ok := f.word("unknown-tool", "ask", "deny")
	if !ok {
		if t == "allow" {
			f.fail("unknown-tool", "a tool that nobody declared is never allowed, expected :ask or :deny")
		} else {
			f.fault("unknown-tool", ":ask or :deny")
		}
		return
	}
	tier := skills.TierAsk
	if t == "deny" {
		tier = skills.TierDeny
	}
	at := site{s, v.Pos()}
	if d.defaults != nil && d.defaults.unknown != tier {
		d.b.faults.add(s, v.Pos(), nil, "these defaults disagree with those at %s", d.defaults.at)
		return
	}
	if d.defaults == nil && t != "" {
		d.defaults = &defaults{tier, at}
	}
}

func (d *definitions) list(s *source, v sexpr.Value) {
	name, ok := d.name(s, v)
	if !ok {
		return
	}
	if why := d.b.Unfit(name); why != "" {
		d.b.faults.add(s, v.Items()[1].Pos(), nil, "%s", why)
		return
	}
	l := &condition.List{Name: name, Items: []any{}, Text: v.String()}
	for _, x := range v.Items()[2:] {
		item, ok := condition.Literal(x)
		if !ok || x.Kind() == sexpr.List || x.Kind() == sexpr.Symbol {
			d.b.faults.add(s, x.Pos(), nil, "a deflist holds strings and numbers, found a %s", x.Kind())
			continue
		}
		l.Items = append(l.Items, item)
	}
	d.b.Lists[name] = l
}

// fields is a definition's keywords and their values.
type fields struct {
	b    *builder
	src  *source
	what string // "deftool shell"
	pos  sexpr.Pos
	keys map[string]sexpr.Value
	at   map[string]sexpr.Pos
	torn bool // the keys could not be told from the values
}

// fields reads the plist that begins at item from, with the keys of a form of the
// vocabulary.
func (b *builder) fields(s *source, v sexpr.Value, from int, form string) *fields {
	return b.plist(s, v, what(v.Items()), from, b.keys[form])
}

func (b *builder) plist(s *source, v sexpr.Value, what string, from int, known []string) *fields {
	items := v.Items()
	f := &fields{b: b, src: s, pos: v.Pos(), what: what, keys: map[string]sexpr.Value{}, at: map[string]sexpr.Pos{}}
	for i := min(from, len(items)); i < len(items); i += 2 {
		k := items[i]
		if k.Kind() != sexpr.Keyword {
			b.faults.add(s, k.Pos(), nil, "found %s where a key of %s is due%s", aKind(k), f.what,
				f.instead(items[max(0, i-1):], known))
			f.torn = true
			return f
		}
		name := k.Text()
		if !contains(known, name) {
			b.faults.add(s, k.Pos(), nil, "unknown key :%s in %s%s", condition.PrintKey(name), f.what,
				didYouMean(":"+teach.Key(name), ":"+name, colons(known)))
		} else if _, twice := f.at[name]; twice {
			b.faults.add(s, k.Pos(), nil, ":%s stands twice in %s", name, f.what)
		}
		f.at[name] = k.Pos()
		if i+1 == len(items) {
			b.faults.add(s, k.Pos(), nil, ":%s in %s has no value", condition.PrintKey(name), f.what)
			return f
		}
		f.keys[name] = items[i+1]
	}
	return f
}

// instead guesses what was meant where something else than a key stands, the second of
// items: operators between their arguments, or a clause inside a clause.
func (f *fields) instead(items []sexpr.Value, known []string) string {
	end := len(items)
	for i, v := range items[1:] {
		if v.Kind() == sexpr.Keyword {
			end = i + 1
			break
		}
	}
	if v, ok := teach.Prefix(items[:min(end, maxGuess)]); ok {
		return "; operators come first: write " + clipped(v)
	}
	if inner := items[1].Items(); len(inner) > 1 && inner[0].Kind() == sexpr.Symbol &&
		contains(kindsOfClause(), inner[0].Text()) {
		return ": (" + what(inner) + " ...) stands inside it; is a ) missing before it?"
	}
	return ", expected one like :" + known[0]
}

// maxGuess bounds the forms that a guess is made from.
const maxGuess = 64

func what(items []sexpr.Value) string {
	if len(items) > 1 && (items[1].Kind() == sexpr.Symbol || items[1].Kind() == sexpr.String) {
		return items[0].Text() + " " + items[1].Text()
	}
	if len(items) > 0 {
		return items[0].Text()
	}
	return "this"
}

func contains(words []string, w string) bool {
	for _, x := range words {
		if x == w {
			return true
		}
	}
	return false
}

func colons(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = ":" + w
	}
	return out
}

func (f *fields) get(key string) (sexpr.Value, bool) {
	v, ok := f.keys[key]
	return v, ok
}

// fail reports what is wrong with the value of a key.
func (f *fields) fail(key, format string, args ...any) {
	p := f.pos
	if v, ok := f.keys[key]; ok {
		p = v.Pos()
	}
	f.b.faults.add(f.src, p, nil, format, args...)
}

// fault reports a value that is not what it should be.
func (f *fields) fault(key, expected string) {
	v, ok := f.keys[key]
	if !ok {
		f.fail(key, "%s has no :%s, expected %s", f.what, key, expected)
		return
	}
	f.fail(key, ":%s is %s, expected %s", key, clipped(v), expected)
}

func clipped(v sexpr.Value) string {
	s := v.String()
	if len(s) > 60 {
		return "a " + v.Kind().String()
	}
	return s
}

// text reads a string, "" if there is none.
func (f *fields) text(key string) string {
	v, ok := f.keys[key]
	if ok && v.Kind() != sexpr.String {
		f.fault(key, "a string")
	}
	return v.Text()
}

// flag reads t, nil or false.
func (f *fields) flag(key string) bool {
	v, ok := f.keys[key]
	if ok && !v.IsSym("t") && !v.IsNil() && !v.IsSym("false") {
		f.fault(key, "t or nil")
	}
	return v.IsSym("t")
}

// word reads one of a few keywords; "" if there is none. It reports false if
// there is something else.
func (f *fields) word(key string, of ...string) (string, bool) {
	v, ok := f.keys[key]
	if !ok {
		return "", true
	}
	return v.Text(), v.Kind() == sexpr.Keyword && contains(of, v.Text())
}

// oneOf is word for keys whose wrong values need no explanation.
func (f *fields) oneOf(key string, of ...string) string {
	w, ok := f.word(key, of...)
	if !ok {
		last := len(of) - 1
		f.fault(key, strings.Join(colons(of[:last]), ", ")+" or :"+of[last])
		return ""
	}
	return w
}

// number reads an integer in a range; def if there is none.
func (f *fields) number(key string, lo, hi, def int64) int64 {
	v, ok := f.keys[key]
	if !ok {
		return def
	}
	if v.Kind() != sexpr.Int || v.Int() < lo || v.Int() > hi {
		f.fault(key, "an integer from "+sexpr.Int64(lo).String()+" to "+sexpr.Int64(hi).String())
		return def
	}
	return v.Int()
}
