package condition

import (
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules/internal/teach"
)

// maxGuess bounds the forms that a guess is made from and shown as.
const maxGuess = 64

// between is the guess that operators stand between their arguments: "" if they do not.
func between(items []sexpr.Value) string {
	if len(items) > maxGuess {
		return ""
	}
	v, ok := teach.Prefix(items)
	if !ok || len(v.String()) > 2*maxGuess {
		return ""
	}
	return "operators come first: write " + v.String()
}

// miscounted reports an operator with too many or too few arguments.
func (l *lowerer) miscounted(v sexpr.Value, a operator) term {
	items := v.Items()
	op, args := items[0].Text(), items[1:]
	guess := between(items)
	if op == "in" && len(args) > 2 && args[1].Kind() != sexpr.List {
		list := sexpr.ListOf(items[0], args[0], sexpr.ListOf(args[1:]...))
		if text := list.String(); len(text) <= 2*maxGuess {
			guess = "write " + text
		}
	}
	if guess != "" {
		guess = "; " + guess
	}
	return l.fail(v.Pos(), "%s takes %s, found %d: (%s %s)%s", op, arity(a.least, a.most), len(args), op, a.args, guess)
}

// unknownCall reports a form that begins with a name which is neither an operator nor a
// function.
func (l *lowerer) unknownCall(v sexpr.Value) term {
	if l.src.Partial() { // a definition of that name may stand in a file that could not be read
		return term{code: constant(v.Pos(), false), pos: v.Pos(), bad: true, cost: 1}
	}
	head := v.Items()[0]
	name := head.Text()
	if guess := between(v.Items()); guess != "" {
		return l.fail(v.Pos(), "%s", guess)
	}
	known := append(append(keysOf(l.b.operators), keysOf(l.b.functions)...), keysOf(l.b.Definitions)...)
	hint := spell.DidYouMean(name, known)
	if other := teach.Operator(name); l.b.callable(other) {
		hint = "; did you mean " + strings.TrimSuffix(other, "?") + "?"
	}
	root, _, _ := strings.Cut(name, ".")
	_, member := l.b.members[root]
	if hint == "" && (member || root != name || l.b.Lists[name] != nil) {
		hint = "; a value stands without brackets around it"
	}
	return l.unknown(head, "unknown operator or function %s%s", name, hint)
}

// callable reports whether a name begins forms.
func (b *Language) callable(name string) bool {
	_, op := b.operators[name]
	return op || b.functions[name] != nil || b.Definitions[name] != nil
}

// unknownName reports a name that nothing has, and what it may have meant.
func (l *lowerer) unknownName(v sexpr.Value, name string) {
	if l.src.Partial() { // it may be in a file that could not be read
		return
	}
	l.unknown(v, "unknown name %s%s", v.Text(), l.meant(v, name))
}

// meant guesses what a name was to be whose first part is root.
func (l *lowerer) meant(v sexpr.Value, root string) string {
	var full []string
	for _, above := range keysOf(l.b.members) {
		if _, ok := l.b.members[above][root]; ok {
			full = append(full, above+"."+v.Text())
		}
	}
	known := append(keysOf(l.b.members), keysOf(l.b.Lists)...)
	for _, x := range l.vars {
		known = append(known, x.name)
	}
	near := spell.DidYouMean(root, append(known, "now", "it"))
	_, argument := l.argsType().Field(root)
	switch {
	case len(full) > 0:
		return "; did you mean " + Listed("", full) + "?"
	case argument:
		return "; did you mean action.args." + v.Text() + "?"
	case l.b.Tools[root] != nil:
		return fmt.Sprintf("; text stands in quotes: %q", root)
	case l.b.callable(v.Text()):
		return fmt.Sprintf("; it begins a form: (%s ...)", v.Text())
	case near != "":
		return near
	case teach.Value(root) != "":
		return "; did you mean " + teach.Value(root) + "?"
	case root == v.Text() && l.meter == nil:
		return fmt.Sprintf("; if it is text, write %q", root)
	}
	return ""
}
