package lint

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules"
)

// names are the lists and conditions that rule files define.
type names struct {
	lists      map[string][]sexpr.Value
	conditions map[string]definition
}

type definition struct {
	args []string
	body sexpr.Value
}

// forms reads a file of a book, which was read before.
func forms(f rules.File) []sexpr.Value {
	all, err := sexpr.Reader{Code: true}.ReadAll(f.Path, string(f.Data))
	if err != nil {
		return nil
	}
	return all
}

func namesOf(book *rules.Rulebook) names {
	n := names{map[string][]sexpr.Value{}, map[string]definition{}}
	for _, f := range book.Files() {
		if f.Words {
			continue
		}
		for _, v := range forms(f) {
			items := v.Items()
			switch {
			case len(items) < 2:
			case items[0].IsSym("deflist"):
				n.lists[items[1].Text()] = items[2:]
			case items[0].IsSym("defcondition") && len(items) > 3:
				d := definition{body: items[len(items)-1]}
				for _, a := range items[2].Items() {
					d.args = append(d.args, a.Text())
				}
				n.conditions[items[1].Text()] = d
			}
		}
	}
	return n
}

// maxSize bounds the forms that definitions grow to.
const maxSize = 4000

// expand puts the bodies of conditions where they are called.
func (n names) expand(v sexpr.Value) sexpr.Value {
	left := maxSize
	return n.within(v, nil, &left)
}

func (n names) within(v sexpr.Value, bound map[string]sexpr.Value, left *int) sexpr.Value {
	if *left--; *left < 0 {
		return v
	}
	if v.Kind() == sexpr.Symbol {
		name, rest, dotted := strings.Cut(v.Text(), ".")
		x, ok := bound[name]
		switch {
		case !ok:
			return v
		case !dotted:
			return x.At(v.Pos())
		case x.Kind() == sexpr.Symbol:
			return sexpr.Sym(x.Text() + "." + rest).At(v.Pos())
		}
		return sexpr.ListOf(sexpr.Sym("member"), x, sexpr.Str(rest)).At(v.Pos()) // no operator: taken as it stands
	}
	items := v.Items()
	if len(items) == 0 {
		return v
	}
	out := make([]sexpr.Value, len(items))
	for i, x := range items {
		out[i] = n.within(x, bound, left)
	}
	d, ok := n.conditions[items[0].Text()]
	if !ok || items[0].Kind() != sexpr.Symbol || len(d.args) != len(items)-1 || v.IsPlist() {
		return sexpr.ListOf(out...).At(v.Pos())
	}
	inner := map[string]sexpr.Value{}
	for i, a := range d.args {
		inner[a] = out[i+1]
	}
	if captures(d.body, out[1:]) {
		return sexpr.ListOf(out...).At(v.Pos())
	}
	return n.within(d.body, inner, left)
}

// captures reports whether a quantifier of body would take an it of args for its own, or
// a let one of their names.
func captures(body sexpr.Value, args []sexpr.Value) bool {
	if mentions(body, "let") {
		return true
	}
	return slices.ContainsFunc(args, func(a sexpr.Value) bool { return mentions(a, "it") }) &&
		slices.ContainsFunc(quantifiers(), func(q string) bool { return mentions(body, q) })
}

func quantifiers() []string {
	return []string{"some", "every", "none", "every-or-empty", "none-or-empty", "count", "filter", "map", "sum",
		"some-call-since", "no-call-since"}
}

func mentions(v sexpr.Value, name string) bool {
	if v.Kind() == sexpr.Symbol {
		first, _, _ := strings.Cut(v.Text(), ".")
		return first == name
	}
	return slices.ContainsFunc(v.Items(), func(x sexpr.Value) bool { return mentions(x, name) })
}

// literals are the elements of a list that is written out, or named.
func (n names) literals(v sexpr.Value) ([]sexpr.Value, bool) {
	if l, ok := n.lists[v.Text()]; ok && v.Kind() == sexpr.Symbol {
		return l, true
	}
	items := v.Items()
	if len(items) == 2 && items[0].IsSym("quote") {
		items = items[1].Items()
	}
	if v.Kind() != sexpr.List || len(items) == 0 {
		return nil, false
	}
	for _, x := range items {
		if _, ok := literal(x); !ok {
			return nil, false
		}
	}
	return items, true
}

// literal is a constant as conditions compare it: a keyword is the string of its name.
func literal(v sexpr.Value) (sexpr.Value, bool) {
	switch v.Kind() {
	case sexpr.String, sexpr.Int, sexpr.Float:
		return v, true
	case sexpr.Keyword:
		return sexpr.Str(v.Text()).At(v.Pos()), true
	case sexpr.Symbol:
		return v, v.IsSym("t") || v.IsSym("false")
	case sexpr.List:
	}
	return v, false
}
