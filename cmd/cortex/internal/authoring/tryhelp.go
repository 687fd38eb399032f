package authoring

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/opencortex-go/cortex/reason/author"
	"github.com/opencortex-go/cortex/sexpr"
)

// helpText says what a person can type at the prompt of a trial.
const helpText = `FORM       is computed on the action, and so are its parts:
           (> action.args.amount 100)
ACTION     is decided, and the forms that follow are computed on it:
           (:tool "pay" :args (:amount 120 :to "ana"))
REQUEST    the same, with what is known: (:action ACTION :session (:user "hi"))
help NAME  describes a function, operator, condition, list, tool or clause
quit       leaves, as Ctrl-D does. Up and Ctrl-R find what was typed before.
cortex rules explain says more of one action, and what change would flip it.
`

// help prints what can be typed, or describes a name.
func (t *Trial) help(name string) {
	if name == "" {
		t.Console.Printf("%s", helpText)
		return
	}
	title, text, ok := t.describe(strings.TrimPrefix(name, "'"))
	if !ok {
		t.Console.Printf("error: nothing is called %s; Tab completes names\n", name)
		return
	}
	t.Console.Printf("%s\n", title)
	if text != "" {
		t.Console.Printf("  %s\n", text)
	}
}

// describe says how a name is used, and what it means.
func (t *Trial) describe(name string) (title, text string, ok bool) {
	calc := t.Book.Calculator()
	call := func(args string) string { return "(" + strings.TrimSpace(name+" "+args) + ")" }
	if f, ok := calc.Function(name); ok {
		return f.Signature(), f.Doc, true
	}
	if args, doc, ok := calc.Operator(name); ok {
		return call(args), doc, true
	}
	if args, doc, ok := calc.Condition(name); ok {
		return call(args), cmp.Or(doc, "A condition of the rule files."), true
	}
	if tool, ok := t.Book.Tool(name); ok {
		return name + " " + tool.Signature(), tool.Doc, true
	}
	if r, ok := t.Book.Rule(name); ok {
		return name + "  " + r.File + ":" + r.Pos.String(), r.Form.String(), true
	}
	if n, ok := calc.List(name); ok {
		v, _, err := author.Compute(context.Background(), t.Book, sexpr.Sym(name), t.on)
		return fmt.Sprintf("%s  a list of the rule files, with %d elements", name, n), v, err == nil
	}
	if members := calc.Members(name); len(members) > 0 {
		return name, "below it: " + strings.Join(members, ", "), true
	}
	return "", "", false
}

// complete returns what a word may be the beginning of: names of the language and of the
// rules, arguments of the action's tool, and tools in a string behind :tool.
func (t *Trial) complete(before, word string) (out []string) {
	if strings.ContainsFunc(word, func(r rune) bool { return r > unicode.MaxASCII }) {
		return nil // the editor counts bytes of a word where it should count characters
	}
	var all []string
	quoted := strings.Count(before, `"`)%2 == 1
	switch {
	case quoted && strings.HasSuffix(before, `:tool "`):
		for _, tool := range t.Book.Tools() {
			all = append(all, tool.Name)
		}
	case quoted || word == "":
		return nil
	default:
		all = append(t.Book.Calculator().Names(), t.arguments()...)
	}
	for _, name := range all {
		if strings.HasPrefix(name, word) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// arguments are those of the action's tool, or of every tool before the first action.
func (t *Trial) arguments() (out []string) {
	for _, tool := range t.Book.Tools() {
		if t.decided != nil && tool.Name != t.on.Action().Tool() {
			continue
		}
		for _, p := range tool.Params {
			out = append(out, "action.args."+p.Name)
		}
	}
	return out
}
