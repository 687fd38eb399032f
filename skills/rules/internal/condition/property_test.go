package condition

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// writer draws random forms that have a fair chance to load.
type writer struct {
	t     *rapid.T
	depth int
	loops int
	vars  []string
	names int
	defs  []refDefinition // the conditions that have names
}

// definition draws a defcondition, which may use those before it.
func (w *writer) definition() refDefinition {
	d := refDefinition{name: fmt.Sprintf("d%d", len(w.defs))}
	if w.chance(50) {
		d.name += "?"
	}
	for i := range rapid.IntRange(0, 3).Draw(w.t, "arguments") {
		d.params = append(d.params, fmt.Sprintf("p%d", i))
	}
	w.vars = d.params
	text := w.form("bool")
	w.vars = nil
	v, err := sexpr.Reader{Code: true}.Read("t.lisp", text)
	if err != nil {
		w.t.Fatal(err)
	}
	d.body = v
	return d
}

// use draws a use of a definition.
func (w *writer) use() string {
	d := rapid.SampledFrom(w.defs).Draw(w.t, "definition")
	out := "(" + d.name
	for range d.params {
		out += " " + w.form("any")
	}
	return out + ")"
}

func (w *writer) pick(what string, options ...string) string {
	return rapid.SampledFrom(options).Draw(w.t, what)
}

func (w *writer) chance(percent int) bool {
	return rapid.IntRange(1, 100).Draw(w.t, "chance") <= percent
}

// form draws a form of one of the kinds bool, text, number, list, or any.
func (w *writer) form(kind string) string {
	w.depth++
	defer func() { w.depth-- }()
	if kind == "any" || w.chance(8) {
		kind = w.pick("kind", "bool", "text", "number", "list")
	}
	if w.depth > 5 || w.chance(25) {
		return w.leaf(kind)
	}
	switch w.pick("shape", "op", "op", "op", "op", "if", "let", "get") {
	case "if":
		if kind != "list" {
			return fmt.Sprintf("(if %s %s %s)", w.form("bool"), w.form(kind), w.form(kind))
		}
	case "let":
		w.names++
		name := "v" + strconv.Itoa(w.names)
		value := w.form("any")
		w.vars = append(w.vars, name)
		body := w.form(kind)
		w.vars = w.vars[:len(w.vars)-1]
		return fmt.Sprintf("(let ((%s %s)) %s)", name, value, body)
	case "get":
		if def := w.leaf(kind); def != "(words)" && def != "(things)" { // what may be found counts as found: see the manual
			return fmt.Sprintf("(get %s %s)", w.path(), def)
		}
	}
	switch kind {
	case "bool":
		return w.question()
	case "number":
		return w.number()
	case "text":
		return fmt.Sprintf("(%s %s)", w.pick("op", "upper", "lower"), w.form("text"))
	}
	list, body := w.form("list"), w.inside("any")
	if body == "" || w.chance(40) {
		return list
	}
	if w.chance(50) {
		return fmt.Sprintf("(filter %s %s)", list, w.inside("bool"))
	}
	return fmt.Sprintf("(map %s %s)", list, body)
}

// inside draws a form in which it stands for an element; "" if loops are too
// deep already.
func (w *writer) inside(kind string) string {
	if w.loops == 2 {
		return ""
	}
	w.loops++
	defer func() { w.loops-- }()
	return w.form(kind)
}

func (w *writer) question() string {
	if len(w.defs) > 0 && w.chance(30) {
		return w.use()
	}
	if w.loops < 2 && w.chance(12) {
		return fmt.Sprintf("(%s %s %s)", w.pick("order", "some-call-since", "no-call-since"), w.aboutCall(), w.aboutCall())
	}
	if w.loops < 2 && w.chance(35) { // what is unknown is met in loops
		return w.search()
	}
	switch w.pick("question", "and", "or", "not", "=", "=", "<", "in", "text", "some", "some", "has", "globby") {
	case "and":
		return fmt.Sprintf("(and %s %s)", w.form("bool"), w.form("bool"))
	case "or":
		return fmt.Sprintf("(or %s %s %s)", w.form("bool"), w.form("bool"), w.form("bool"))
	case "not":
		return fmt.Sprintf("(not %s)", w.form("bool"))
	case "=":
		kind := w.pick("kind", "any", "text", "number", "list", "bool")
		return fmt.Sprintf("(%s %s %s)", w.pick("op", "=", "/="), w.form(kind), w.form(kind))
	case "<":
		kind := w.pick("kind", "text", "number")
		return fmt.Sprintf("(%s %s %s)", w.pick("op", "<", "<=", ">", ">="), w.form(kind), w.form(kind))
	case "in":
		return fmt.Sprintf("(in %s %s)", w.form("any"), w.form("list"))
	case "text":
		if w.chance(30) {
			return fmt.Sprintf("(matches? %s %q)", w.form("text"), w.pick("re", "a", "^b$", "[ab]+", ""))
		}
		return fmt.Sprintf("(%s %s %s)", w.pick("op", "contains?", "starts-with?", "ends-with?"), w.form("text"),
			w.form("text"))
	case "has":
		if w.chance(30) {
			return fmt.Sprintf("(%s %s :%s)", w.pick("op", "has?", "missing?"),
				w.pick("object", "action.args", "facts.ctx", "action.args.obj"), w.pick("key", "a", "obj", "k"))
		}
		return fmt.Sprintf("(%s %s)", w.pick("op", "has?", "missing?"), w.path())
	case "globby":
		return fmt.Sprintf("(globby? %s)", w.form("text"))
	}
	list, body := w.form("list"), w.inside("bool")
	if body == "" {
		return "(fails?)"
	}
	return fmt.Sprintf("(%s %s %s)", w.pick("loop", "some", "every", "none", "every-or-empty", "none-or-empty"), list,
		body)
}

// aboutCall draws a question about an earlier call.
func (w *writer) aboutCall() string {
	if w.chance(20) {
		return w.inside("bool")
	}
	q := w.pick("about", `(= it.decision "allow")`, `(= it.decision "ask")`, `(= (lower it.tool) "shell")`, "t", "nil",
		"it.happened",
		`(= it.args.a "a")`, "(has? it.args.a)", `(= (get it.args.b "a") "a")`, "(> it.at 5)", `(= it.error "")`, "(fails?)",
		`(= it.result "a")`, `(contains? it.tool action.args.s)`)
	if w.loops < 1 && w.chance(20) {
		q = w.pick("nested", `(some (get it.args.list ()) (= it "a"))`, `(some ("a" "b") (= it action.args.s))`,
			`(some (words) (= it "a"))`)
	}
	return q
}

// search draws a plain question about what functions found.
func (w *writer) search() string {
	op := w.pick("loop", "some", "every", "none", "every-or-empty", "none-or-empty")
	list := w.pick("list", "(words)", "(words)", "(things)", "(filter (words) t)", "(get facts.work.list (words))",
		"(if t (words) (words))")
	body := w.pick("body", `(= it "a")`, `(/= it "b")`, "t", "nil", `(in it ("a" "w"))`, "(globby? it)",
		`(contains? it "a")`, `(let ((x it)) t)`)
	if list == "(things)" {
		body = w.pick("body", `(= it.name "a")`, `(globby? it.name)`, "t", "nil", `(in "a" it.parts)`,
			`(some it.parts (= it "b"))`, `(none it.parts (= it "b"))`, `(has? it.name)`)
	}
	return fmt.Sprintf("(%s %s %s)", op, list, body)
}

func (w *writer) number() string {
	switch w.pick("number", "+", "len", "count", "sum", "twice") {
	case "len":
		return fmt.Sprintf("(len %s)", w.form("any"))
	case "twice":
		return fmt.Sprintf("(twice %s)", w.form("number"))
	case "count":
		list, body := w.form("list"), w.inside("bool")
		if body != "" {
			return fmt.Sprintf("(count %s %s)", list, body)
		}
		return fmt.Sprintf("(sum %s)", list)
	case "sum":
		list, body := w.form("list"), w.inside("number")
		if body != "" {
			return fmt.Sprintf("(sum %s %s)", list, body)
		}
	}
	if w.chance(20) {
		return fmt.Sprintf("(%s %s)", w.pick("op", "-", "floor", "abs"), w.form("number"))
	}
	return fmt.Sprintf("(%s %s %s)", w.pick("op", "+", "-", "*", "/", "min", "max", "mod"), w.form("number"),
		w.form("number"))
}

// path draws a name with members, which may be missing.
func (w *writer) path() string {
	paths := []string{
		"action.args.a", "action.args.b", "action.args.c", "action.args.obj.k", "action.args.obj.k.l", "facts.ctx.n",
		"facts.work.x", "signal.session", "signal.from", "session.principal", "action.text",
	}
	if w.loops > 0 {
		paths = append(paths, "it.name", "it.parts", "it.result", "it.args.a")
	}
	return w.pick("path", paths...)
}

func (w *writer) leaf(kind string) string {
	if w.loops > 0 && w.chance(60) {
		return w.pick("it", "it", "it", "it", "it.name", "it.parts")
	}
	if len(w.vars) > 0 && w.chance(30) {
		return w.pick("var", w.vars...)
	}
	if w.chance(6) {
		return w.path()
	}
	switch kind {
	case "bool":
		return w.pick("bool", "t", "nil", "false", "(fails?)", "action.args.yes", "action.args.yes")
	case "text":
		return w.pick("text", `"a"`, `"b"`, `""`, ":w", "action.tool", "null", "action.explanation", "action.args.s",
			"action.args.s")
	case "number":
		return w.pick("number", "0", "1", "-1", "2.5", "1e308", "9223372036854775807", "9007199254740993",
			"9007199254740992.0", "now", "action.args.i", "action.args.i")
	}
	return w.pick("list", `("a" "b")`, "(1 2.0)", "()", "(words)", "(words)", "(words)", "(words)", "(things)", "(things)",
		"session.calls",
		"session.roles", "pets", "odd-ones", "action.args.list", "action.args.a", `'("a" 1 t)`)
}

// drawCase draws an action and facts, and the same for the reference.
func drawCase(t *rapid.T) (*skills.Case, *reference) {
	value := func(name string) sexpr.Value {
		return rapid.SampledFrom([]sexpr.Value{
			sexpr.Str("a"), sexpr.Str("b"), sexpr.Str(""), sexpr.Int64(0), sexpr.Int64(1), sexpr.Float64(2.5), sexpr.Float64(1),
			sexpr.T(),
			sexpr.False(), sexpr.Null(), sexpr.Nil(), sexpr.EmptyObject(), sexpr.ListOf(sexpr.Str("a"), sexpr.Str("b")),
			sexpr.ListOf(sexpr.Int64(1), sexpr.Str("a")), sexpr.Plist("k", sexpr.Str("a")),
			sexpr.ListOf(sexpr.Int64(1), sexpr.Float64(2)),
		}).Draw(t, name)
	}
	args := sexpr.EmptyObject()
	for _, k := range []string{"a", "b", "c", "list", "obj"} {
		if rapid.IntRange(0, 3).Draw(t, "there") > 0 {
			args = args.With(k, value(k))
		}
	}
	args = args.With("s", sexpr.Str(rapid.SampledFrom([]string{"a", "b", "w"}).Draw(t, "s")))
	args = args.With("i", sexpr.Int64(rapid.Int64Range(-2, 3).Draw(t, "i")))
	args = args.With("yes", sexpr.Bool(rapid.Bool().Draw(t, "yes")))
	a, err := skills.NewAction(rapid.SampledFrom([]string{"a", "shell"}).Draw(t, "tool"), args, "why")
	if err != nil {
		t.Fatal(err)
	}
	words := sexpr.ListOf()
	for _, x := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "a", "b", "b", "w", "*", "?"}), 0, 4).Draw(t,
		"words") {
		words = sexpr.ListOf(append(words.Items(), sexpr.Str(x))...)
	}
	if rapid.IntRange(0, 3).Draw(t, "cut") == 0 {
		words = sexpr.ListOf(append(words.Items(), sexpr.Str("?"))...)
	}
	f := &skills.Facts{
		Now: 1000, Ctx: sexpr.Plist("words", words, "n", value("n")),
		Signal: perceive.Signal{Sensor: "user-input", Principal: "ana"},
		Session: skills.Session{ID: "s", Roles: []string{"a"}, Turns: []skills.Turn{
			{User: "hi"}, {Call: &skills.Call{Tool: "a", Args: args, Decision: "allow", Result: value("result")}},
		}},
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "calls") {
		c := &skills.Call{Tool: rapid.SampledFrom([]string{"a", "shell"}).Draw(t, "called"), At: int64(4 * i),
			Args:     sexpr.Plist("a", value("called with")),
			Decision: rapid.SampledFrom([]string{"allow", "allow", "ask", "deny"}).Draw(t, "decided")}
		c.Happened = c.Decision == "allow"
		f.Session.Turns = append(f.Session.Turns, skills.Turn{Call: c}, skills.Turn{User: "on"})
	}
	if rapid.IntRange(0, 39).Draw(t, "long") == 0 { // so that what was before is not known
		late := slices.Clone(f.Session.Turns)
		for range 254 {
			f.Session.Turns = append(f.Session.Turns, late[len(late)-min(len(late), 2)])
		}
		f.Session.Turns = append(f.Session.Turns, late...)
	}
	return skills.NewCase(a, nil, f), referenceOf(a, f)
}

func referenceOf(a *skills.Action, f *skills.Facts) *reference {
	session := map[string]any{"roles": []any{}, "user-text": refUserText(f), "calls": refCalls(f)}
	for _, x := range f.Session.Roles {
		session["roles"] = append(session["roles"].([]any), x)
	}
	if f.Session.Principal != "" {
		session["principal"] = f.Session.Principal
	}
	signal := map[string]any{"text": f.Signal.Text, "sensor": f.Signal.Sensor, "from": f.Signal.Principal}
	names := map[string]any{
		"action": map[string]any{"tool": a.Tool(), "args": a.Native(), "text": refTexts(a.Args()),
			"explanation": a.Explanation()},
		"signal": signal, "session": session, "now": f.Now,
		"facts": map[string]any{"ctx": skills.Native(f.Ctx)},
	}
	r := &reference{turns: f.Session.Turns, names: names,
		lists: map[string][]any{"pets": {"cat", "dog"}, "odd-ones": {int64(1), int64(3), 5.0}},
		calls: map[string]func([]any) (any, error){}}
	c := skills.NewCase(a, nil, f)
	for _, fn := range testFunctions() {
		r.calls[fn.Name] = func(args []any) (any, error) {
			for i, x := range args {
				if fn.Name == "globby?" {
					switch x.(type) {
					case facts.Pattern, facts.Word:
						continue
					}
				}
				x, err := refRead(x)
				if err != nil {
					return nil, err
				}
				_, text := x.(string)
				if fn.Name == "globby?" && !text || fn.Name == "twice" && refRat(x) == nil {
					return nil, refError("argument")
				}
				args[i] = x
			}
			if fn.Name == "twice" {
				return refArith("+", args[0], args[0])
			}
			out, err := fn.Call(c, args)
			if list, ok := out.([]any); ok {
				return foundList(list), err
			}
			return out, err
		}
	}
	return r
}

func refUserText(f *skills.Facts) string {
	out := ""
	for _, t := range f.Session.Turns {
		if t.Call == nil {
			out += "\n" + t.User
		}
	}
	return strings.TrimPrefix(out, "\n")
}

func refCalls(f *skills.Facts) []any {
	out := []any{}
	for _, t := range f.Session.Turns {
		if t.Call != nil {
			c := map[string]any{"tool": t.Call.Tool, "args": skills.Native(t.Call.Args), "decision": t.Call.Decision}
			if !t.Call.Result.IsNil() {
				c["result"] = skills.Native(t.Call.Result)
			}
			out = append(out, c)
		}
	}
	return out
}

func refTexts(v sexpr.Value) string {
	texts := []string{}
	if v.Kind() == sexpr.String {
		texts = append(texts, v.Text())
	}
	for _, x := range v.Items() {
		if x.Kind() == sexpr.String || x.Kind() == sexpr.List && strings.Contains(x.String(), `"`) {
			texts = append(texts, refTexts(x))
		}
	}
	return strings.Join(texts, "\n")
}

// asText spells a form as expr does; "" if there is no spelling.
func asText(v sexpr.Value) string {
	switch v.Kind() {
	case sexpr.String, sexpr.Keyword:
		return strconv.Quote(v.Text())
	case sexpr.Int:
		return "(" + strconv.FormatInt(v.Int(), 10) + ")"
	case sexpr.Float:
		return "(" + v.String() + ")"
	case sexpr.Symbol:
		switch v.Text() {
		case "t":
			return "true"
		case "{}":
			return "{}"
		}
		return strings.ReplaceAll(strings.ReplaceAll(v.Text(), "user-text", "user_text"), "odd-ones", "odd_ones")
	case sexpr.List:
	}
	items := v.Items()
	if len(items) == 0 {
		return "[]"
	}
	args := make([]string, len(items))
	for i, x := range items {
		args[i] = asText(x)
	}
	if items[0].Kind() != sexpr.Symbol {
		return "[" + strings.Join(args, ", ") + "]"
	}
	op, args := items[0].Text(), args[1:]
	infix := map[string]string{"and": "and", "or": "||", "=": "==", "/=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
		"+": "+", "-": "-",
		"*": "*", "/": "/", "in": "in", "contains?": "contains", "starts-with?": "startsWith", "ends-with?": "endsWith",
		"matches?": "matches"}[op]
	switch {
	case op == "quote":
		return args[0]
	case op == "not":
		return "(not " + args[0] + ")"
	case op == "if":
		return "(" + args[0] + " ? " + args[1] + " : " + args[2] + ")"
	case op == "let":
		b := items[1].Items()[0].Items()
		return "(let " + b[0].Text() + " = " + asText(b[1]) + "; " + args[1] + ")"
	case infix != "" && len(args) == 1:
		return "(" + infix + args[0] + ")"
	case infix != "":
		return "(" + strings.Join(args, " "+infix+" ") + ")"
	case op == "every":
		op = "all"
	}
	return strings.ReplaceAll(strings.TrimSuffix(op, "?"), "-", "_") + "(" + strings.Join(args, ", ") + ")"
}

// TestConditionsAgainstReference: over random conditions and cases, programs
// agree with the reference on the answer or on there being none; so does the
// same condition as text.
func TestConditionsAgainstReference(t *testing.T) {
	loaded, refused, errs, spelled, named, ordered := 0, 0, 0, 0, 0, 0
	one := func(rt *rapid.T) {
		b, src := bench(t)
		w := &writer{t: rt}
		for range rapid.IntRange(0, 3).Draw(rt, "definitions") {
			d := w.definition()
			w.defs = append(w.defs, d)
			b.Definitions[d.name] = d.definition(src)
		}
		b.CheckDefinitions()
		w.vars = nil
		form := w.form("bool")
		v, err := sexpr.Reader{Code: true}.Read("t.lisp", form)
		if err != nil {
			rt.Fatal(err)
		}
		src.wrong, src.text = nil, form
		c, ok := b.Compile(src, v, nil)
		if !ok {
			refused++
			return
		}
		loaded++
		if len(c.Definitions) > 0 {
			named++
		}
		if strings.Contains(form, "-call-since ") {
			ordered++
		}
		text := asText(v)
		src.wrong = nil
		spoken, ok := b.Compile(src, sexpr.Str(text), nil)
		if len(text) <= MaxText && strings.Count(text, "(") <= maxTextDepth {
			spelled++
			if !ok {
				rt.Fatalf("%s\n%s\n%v", form, text, src.wrong)
			}
		}
		for range 8 {
			k, ref := drawCase(rt)
			ref.defs = w.defs
			want, wantErr := ref.condition(v)
			if wantErr != nil {
				errs++
			}
			for _, p := range []Condition{c, spoken} {
				if p.program == nil {
					continue
				}
				got, err := p.Holds(k)
				if (err != nil) != (wantErr != nil) || got != want {
					rt.Fatalf("%s\n%s\nwith %s %s: found %t, %v; the reference %t, %v", form, text, k.Action().Args(), k.Facts().Ctx,
						got,
						err, want, wantErr)
				}
				if err != nil && !isUnjudged(err) {
					rt.Fatalf("%s: %v is our mistake", form, err)
				}
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		for range 20 {
			one(rt)
		}
	})
	t.Logf("%d conditions loaded, %d were refused, %d also as text, %d use definitions, %d ask for an order; %d "+
		"answers were errors", loaded,
		refused, spelled, named, ordered, errs)
	if loaded < refused/20 || errs == 0 || !testing.Short() && (named < loaded/50 || ordered < loaded/200) {
		t.Error("the generator writes conditions that test nothing")
	}
}

func isUnjudged(err error) bool {
	_, ok := err.(*Unjudged) //nolint:errorlint // it is returned as it is
	return ok
}
