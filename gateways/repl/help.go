package repl

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Doc describes a name.
type Doc struct {
	Name, Args, Text string
	File             string // where a rule stands; "" for what is built in
	Line             int
}

// Lookup describes a command, an operator, a function, a tool, a skill or a rule.
func (s *Session) Lookup(name string) (Doc, bool) {
	if f := s.r.forms[name]; f != nil {
		text := f.doc
		if f.operator != nil {
			text += " Takes the pairing secret."
		}
		return Doc{Name: name, Args: f.args, Text: text}, true
	}
	calc := s.r.opt.Engine.Rules().Calculator()
	if f, ok := calc.Function(name); ok {
		var args []string
		for _, p := range f.Params {
			args = append(args, p.Name)
		}
		return Doc{Name: name, Args: strings.Join(args, " "), Text: f.Doc}, true
	}
	if args, doc, ok := calc.Operator(name); ok {
		return Doc{Name: name, Args: args, Text: doc}, true
	}
	if args, doc, ok := calc.Condition(name); ok {
		return Doc{Name: name, Args: args, Text: cmp.Or(doc, "A condition of the rule files.")}, true
	}
	if text := describe(calc, name); text != "" {
		return Doc{Name: name, Text: text}, true
	}
	book := s.r.opt.Engine.Rules().Book()
	if t, ok := book.Tool(name); ok {
		return Doc{Name: name, Args: t.Signature(), Text: t.Doc}, true
	}
	if r, ok := book.Rule(name); ok {
		return Doc{Name: name, Text: r.Form.String(), File: r.File, Line: int(r.Pos.Line)}, true
	}
	return Doc{}, false
}

// describe says what is read by a name that is not a call; "" if nothing is.
func describe(calc *rules.Calculator, name string) string {
	switch name {
	case "now":
		return "The time, in Unix seconds."
	case "it":
		return "The element that the innermost some, every, none, count, filter, map or sum has come to."
	case "*", "**", "***":
		return "One of the last three results."
	}
	if n, ok := calc.List(name); ok {
		return fmt.Sprintf("A list of the rule files, with %d elements.", n)
	}
	root, member, inside := strings.Cut(name, ".")
	below := calc.Members(root)
	switch {
	case inside && slices.Contains(below, member):
		return "A value of the case that is judged; in a REPL, of your own session."
	case !inside && len(below) > 0:
		return "What is judged is read below this name: " + root + "." + strings.Join(below, ", "+root+".") + "."
	}
	return ""
}

// names are all that Lookup knows.
func (s *Session) names() []string {
	var out []string
	for _, f := range s.r.order {
		out = append(out, f.name)
	}
	out = append(out, s.r.opt.Engine.Rules().Calculator().Names()...)
	book := s.r.opt.Engine.Rules().Book()
	for _, t := range book.Tools() {
		out = append(out, t.Name)
	}
	for _, k := range book.Skills("") {
		out = append(out, k.Name)
	}
	for _, r := range book.Rules() {
		out = append(out, r.ID)
	}
	return sortedUnique(out)
}

// maxComplete bounds how many names a prefix completes to.
const maxComplete = 200

// Complete returns the names that begin with prefix, sorted: commands, operators,
// functions, lists, tools, skills, rule ids, and the tokens of cards that wait.
func (s *Session) Complete(prefix string) []string {
	all := s.names()
	for a, err := range s.r.opt.Engine.Pending(context.Background()) {
		if err != nil {
			break
		}
		all = append(all, a.Token)
	}
	var out []string
	for _, n := range sortedUnique(all) {
		if strings.HasPrefix(n, prefix) && len(out) < maxComplete {
			out = append(out, n)
		}
	}
	return out
}

func complete(_ context.Context, s *Session, c call) (Result, error) {
	prefix, ok := c.text(0)
	if !ok || len(c.args) > 1 {
		return Result{}, c.wrong("\"PREFIX\"")
	}
	return Result{Value: listOf(s.Complete(prefix), sexpr.Str)}, nil
}

func help(_ context.Context, s *Session, c call) (Result, error) {
	if len(c.args) == 0 {
		var out strings.Builder
		out.WriteString("A form is computed as a condition of the rules would be, such as (+ 1 2), or is one of these:\n\n")
		for _, f := range s.r.order {
			fmt.Fprintf(&out, "  %s\n      %s\n", f.signature(), f.doc)
		}
		out.WriteString("\n*, ** and *** are the last three results. (help 'NAME) describes one name, (apropos \"TEXT\") " +
			"searches.\n")
		return Result{Value: sexpr.Nil(), Out: out.String(), Quiet: true}, nil
	}
	if len(c.args) != 1 || c.name(0) == "" {
		return Result{}, c.wrong("['NAME]")
	}
	d, ok := s.Lookup(c.name(0))
	if !ok {
		return Result{}, c.fail(CodeNotFound, "nothing is called %s; (apropos %q) searches", c.name(0), c.name(0))
	}
	return plain(docValue(d), "%s", d.String())
}

func (f *form) signature() string { return "(" + strings.TrimSpace(f.name+" "+f.args) + ")" }

// String is a description for people.
func (d Doc) String() string {
	text := "(" + strings.TrimSpace(d.Name+" "+d.Args) + ")\n"
	if d.File != "" {
		text = fmt.Sprintf("%s  %s:%d\n", d.Name, d.File, d.Line)
	}
	return text + "  " + d.Text + "\n"
}

func docValue(d Doc) sexpr.Value {
	return sexpr.Plist("name", sexpr.Str(d.Name), "args", sexpr.Str(d.Args), "doc", sexpr.Str(d.Text),
		"file", sexpr.Str(d.File), "line", sexpr.Int64(int64(d.Line)))
}

func apropos(_ context.Context, s *Session, c call) (Result, error) {
	if len(c.args) != 1 || c.name(0) == "" {
		return Result{}, c.wrong(`"TEXT"`)
	}
	want := strings.ToLower(c.name(0))
	var out strings.Builder
	var values []sexpr.Value
	for _, n := range s.names() {
		d, ok := s.Lookup(n)
		if !ok || !strings.Contains(strings.ToLower(d.Name+" "+d.Text), want) {
			continue
		}
		first, _, _ := strings.Cut(d.Text, ". ")
		fmt.Fprintf(&out, "%-24s %s\n", d.Name, clip(first, 100))
		values = append(values, sexpr.Str(n))
	}
	if len(values) == 0 {
		out.WriteString("nothing found\n")
	}
	return Result{Value: sexpr.ListOf(values...), Out: out.String(), Quiet: true}, nil
}
