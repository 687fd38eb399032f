package rules

import (
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules/internal/teach"
	"github.com/opencortex-go/cortex/skills/rules/vocabulary"
)

// plainKinds are the kinds that are one word.
func plainKinds() map[string]skills.ParamKind {
	return map[string]skills.ParamKind{
		"string": skills.KindString, "boolean": skills.KindBoolean, "integer": skills.KindInteger,
		"number": skills.KindNumber, "any": skills.KindAny, "command": skills.KindCommand,
		"path": skills.KindPath, "host": skills.KindHost, "url": skills.KindURL,
	}
}

// kind reads the kind of a parameter: string, (integer 1 300), (list string),
// (object (:k string) :required (:k)).
func (k kinds) kind(v sexpr.Value) skills.Type {
	if v.Kind() == sexpr.Symbol {
		if kind, ok := plainKinds()[v.Text()]; ok {
			return skills.Type{Kind: kind}
		}
		return k.unknown(v, v.Text())
	}
	if v.Len() == 0 || v.Items()[0].Kind() != sexpr.Symbol {
		k.fail(v.Pos(), "found %s, expected a kind such as string or (integer 1 300)", clipped(v))
		return skills.Type{}
	}
	head, args := v.Items()[0].Text(), v.Items()[1:]
	switch {
	case head == "integer" || head == "number":
		return k.bounded(v, plainKinds()[head], args)
	case head == "enum":
		return k.enum(v, args)
	case head == "object" && len(args) > 0:
		return k.object(v, args)
	case head == "list" && len(args) == 1:
		e := k.kind(args[0])
		return skills.Type{Kind: skills.KindList, Elem: &e}
	case head == "nullable" && len(args) == 1:
		t := k.kind(args[0])
		t.Nullable = true
		return t
	case head == "sql" && len(args) == 1 && args[0].Kind() != sexpr.List && args[0].Text() != "":
		return skills.Type{Kind: skills.KindSQL, Dialect: args[0].Text()}
	case head == "list" || head == "nullable" || head == "sql" || head == "object":
		k.fail(v.Pos(),
			"found %s, expected (list K), (nullable K), (sql dialect) or (object (:k K ...) :required (...))", clipped(v))
		return skills.Type{}
	}
	return k.unknown(v.Items()[0], head)
}

func (k kinds) unknown(v sexpr.Value, name string) skills.Type {
	var known []string
	for _, w := range vocabulary.Kinds() {
		known = append(known, w.Name)
		if w.Name == name { // a bare word, and more is needed
			k.fail(v.Pos(), "the kind %s says of what: (%s %s)", name, name, w.Args)
			return skills.Type{}
		}
	}
	k.fail(v.Pos(), "unknown kind %s%s", name, didYouMean(teach.Kind(name), name, known))
	return skills.Type{}
}

func (k kinds) bounded(v sexpr.Value, kind skills.ParamKind, args []sexpr.Value) skills.Type {
	t := skills.Type{Kind: kind, Bounded: true}
	ok := len(args) == 2
	for i, a := range args {
		f := a.Float()
		if a.Kind() == sexpr.Int {
			f = float64(a.Int())
			ok = ok && a.Int() >= -1<<53 && a.Int() <= 1<<53
		} else {
			ok = ok && a.Kind() == sexpr.Float && kind == skills.KindNumber
		}
		if i == 0 {
			t.Lo = f
		} else {
			t.Hi = f
		}
	}
	if !ok || t.Lo > t.Hi {
		k.fail(v.Pos(), "found %s, expected the least and the greatest value: (%s 1 300)", clipped(v), kind)
	}
	return t
}

func (k kinds) enum(v sexpr.Value, args []sexpr.Value) skills.Type {
	t := skills.Type{Kind: skills.KindEnum}
	for _, a := range args {
		if a.Kind() != sexpr.String || contains(t.Enum, a.Text()) {
			k.fail(a.Pos(), "found %s, expected strings, each once", clipped(a))
			continue
		}
		t.Enum = append(t.Enum, a.Text())
	}
	if len(args) == 0 {
		k.fail(v.Pos(), `an enum has words: (enum "a" "b")`)
	}
	return t
}

func (k kinds) object(v sexpr.Value, args []sexpr.Value) skills.Type {
	t := skills.Type{Kind: skills.KindObject, Params: k.params(args[0])}
	switch {
	case len(args) == 3 && args[1].IsKey("required"):
		t.Required = k.nameList(args[2], t.Params)
	case len(args) != 1:
		k.fail(v.Pos(), "expected (object (:k K ...) :required (:k ...))")
	}
	return t
}
