package lint

import (
	"context"
	"regexp"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// words looks for words that what they are compared with can never be: flags among
// operands, relative patterns, capitals among small letters; and for paths that are compared as
// they are written.
func (l *linter) words(c *clause) {
	w := wordLook{l: l, c: c}
	w.form(c.when, sexpr.Value{}, "")
}

// wordLook is one walk through a condition.
type wordLook struct {
	l *linter
	c *clause
}

// form walks a form. over is the list whose element it is; program is what it.name is
// known to be.
func (w wordLook) form(v, over sexpr.Value, program string) {
	items := v.Items()
	if len(items) == 0 || items[0].Kind() != sexpr.Symbol {
		return
	}
	op := items[0].Text()
	if op == "and" {
		for _, x := range items[1:] {
			if y := x.Items(); len(y) == 3 && y[0].IsSym("=") && y[1].IsSym("it.name") && y[2].Kind() == sexpr.String {
				program = y[2].Text()
			}
		}
	}
	if len(items) == 3 && isQuantifier(op) {
		w.form(items[1], over, program)
		w.form(items[2], items[1], program)
		return
	}
	if len(items) >= 3 {
		w.test(v, over, program)
		w.place(v, over)
	}
	for _, x := range items[1:] {
		w.form(x, over, program)
	}
}

func isQuantifier(op string) bool {
	for _, q := range quantifiers()[:9] {
		if q == op {
			return true
		}
	}
	return false
}

// test looks at one comparison.
func (w wordLook) test(v, over sexpr.Value, program string) {
	items := v.Items()
	a, b := items[1], items[2]
	op := items[0].Text()
	switch op {
	case "=", "/=":
		if _, ok := literal(a); ok {
			a, b = b, a
		}
	case "in", "starts-with?", "ends-with?", "contains?", "glob-any?", "domain-in?":
	default:
		return
	}
	if x, ok := literal(a); ok && op == "in" && b.IsSym("it.operands") {
		w.flag(v, x, program)
		return
	}
	words, ok := w.l.literals(b)
	if !ok {
		x, ok := literal(b)
		if !ok {
			return
		}
		words = []sexpr.Value{x}
	}
	for _, x := range words {
		if x.Kind() != sexpr.String {
			continue
		}
		switch {
		case a.IsSym("it") && over.IsSym("it.operands") && op != "ends-with?" && op != "contains?":
			w.flag(v, x, program)
		case op == "glob-any?" && a.IsSym("it") && len(over.Items()) == 2 && over.Items()[0].IsSym("paths"):
			w.pattern(v, x)
		default:
			w.letters(v, a, x, over)
		}
	}
}

func flagWord() *regexp.Regexp { return regexp.MustCompile(`^--?[A-Za-z][A-Za-z-]*$`) }

// flag reports a flag that is looked for among operands, if a command with that flag
// shows that it is not found there.
func (w wordLook) flag(v, word sexpr.Value, program string) {
	if !flagWord().MatchString(word.Text()) {
		return
	}
	if program == "" {
		program = "git"
	}
	line := program + " push " + word.Text()
	form := call("some", call("shell", sexpr.Str(line)), call("some", sexpr.Sym("it.operands"),
		call("=", sexpr.Sym("it"), word)))
	if !w.computes(form, false) {
		return
	}
	r := w.on(func(t skills.ParamKind) bool { return t == skills.KindCommand }, line)
	w.report(v, flagOperand, word.String()+" is a flag, and it.operands holds no flags",
		"write (flag? it "+sexpr.Str(strings.TrimLeft(word.Text(), "-")).String()+") of the command", r, form)
}

// pattern reports a pattern that no absolute path matches.
func (w wordLook) pattern(v, word sexpr.Value) {
	p := word.Text()
	if p == "" || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || strings.HasPrefix(p, "**") ||
		strings.HasPrefix(p, "{") {
		return
	}
	name := strings.NewReplacer("**", "x", "*", "x", "?", "x").Replace(p)
	if strings.ContainsAny(name, "[]{}\\") {
		return
	}
	path := "/workspace/" + strings.TrimPrefix(name, "./")
	form := call("glob-any?", sexpr.Str(path), sexpr.ListOf(word))
	if !w.computes(form, false) {
		return
	}
	r := w.on(func(t skills.ParamKind) bool { return t == skills.KindPath }, path)
	w.report(v, relative, word.String()+" matches no path in a folder, because paths are absolute",
		"write "+sexpr.Str("**/"+strings.TrimPrefix(p, "./")).String(), r, form)
}

// letters reports a word whose case its counterpart never has.
func (w wordLook) letters(v, a, word, over sexpr.Value) {
	lowered := a.IsSym("it") && len(over.Items()) == 2 && over.Items()[0].IsSym("hosts")
	raised := false
	if items := a.Items(); len(items) == 2 {
		lowered = lowered || items[0].IsSym("lower") || items[0].IsSym("host")
		raised = items[0].IsSym("upper")
	}
	text := word.Text()
	small, right := strings.ToLower(text), strings.ToLower(text)
	if raised {
		right = strings.ToUpper(text)
	}
	if !lowered && !raised || text == right {
		return
	}
	// What it is compared with is the word in the other case, which is what lower, upper
	// and host make of it.
	subject := right
	op := v.Items()[0].Text()
	b := word
	if op == "in" || op == "domain-in?" {
		b = sexpr.ListOf(word)
	}
	form := call(op, sexpr.Str(subject), b)
	if !w.computes(form, op == "/=") {
		return
	}
	r := w.on(func(t skills.ParamKind) bool { return t == skills.KindURL }, "https://"+small+"/")
	if r == nil {
		r = w.on(func(t skills.ParamKind) bool { return t == skills.KindString || t == skills.KindHost }, text)
	}
	kind := "small"
	if raised {
		kind = "capital"
	}
	w.report(v, letterCase, word.String()+" is compared with a text in "+kind+" letters, which it never equals",
		"write "+sexpr.Str(right).String(), r, form)
}

// computes reports whether a form gives this answer.
func (w wordLook) computes(form sexpr.Value, want bool) bool {
	got, err := w.l.book.Calculator().Compute(context.Background(), form, skills.NewCase(nil, nil, around()))
	return err == nil && got == want
}

// on is a call with text in an argument of a fit kind that the clause may be asked about.
func (w wordLook) on(fit func(skills.ParamKind) bool, text string) *run {
	ways, _ := w.l.ways(w.c.trigger)
	for _, x := range ways {
		tool, ok := w.l.book.Tool(x.tool)
		if !ok {
			continue
		}
		args, put := given(tool, x.model, false), false
		for i := 0; i+1 < len(args); i += 2 {
			for _, p := range tool.Params {
				if p.Name == args[i] && fit(p.Type.Kind) && !put {
					args[i+1], put = sexpr.Str(text), true
				}
			}
		}
		if put {
			return w.l.try(tool.Name, args)
		}
	}
	return nil
}

// report takes a finding down. The part of the condition that shows it is part of it.
func (w wordLook) report(v sexpr.Value, id, text, right string, r *run, form sexpr.Value) {
	at := v.Pos()
	before := len(w.l.found)
	w.l.report(w.c, at, id, text, right, r)
	if len(w.l.found) > before {
		w.l.found[before].Condition = form.String()
		if w.computes(form, false) {
			w.l.found[before].Condition = call("not", form).String()
		}
	}
}
