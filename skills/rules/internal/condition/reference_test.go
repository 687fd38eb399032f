package condition

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// reference is a slow and obvious evaluator of forms, straight from the manual:
// it walks the tree, knows no types beforehand, compares by big rationals and
// shares no code with the lowerer. Programs must agree with it on the value, or
// on there being none.
type reference struct {
	names map[string]any // action, signal, session, facts, now as nested maps
	lists map[string][]any
	calls map[string]func(args []any) (any, error)
	its   []any
	vars  map[string]any
	defs  []refDefinition
	turns []skills.Turn
	steps *int // counts the forms that are evaluated, if it is set
}

// order goes through all calls of the session, oldest first, and remembers: every call
// that satisfies from begins anew. What cannot be judged counts only if it stands where the
// manual says that it is looked at.
func (r *reference) order(op string, from, since sexpr.Value) (any, error) {
	var all []any
	for _, t := range r.turns {
		if t.Call != nil {
			args := skills.Native(t.Call.Args)
			if t.Call.Args.IsNil() {
				args = map[string]any{}
			}
			all = append(all,
				map[string]any{"tool": t.Call.Tool, "args": args, "decision": t.Call.Decision, "error": t.Call.Error,
					"result": skills.Native(t.Call.Result), "happened": t.Call.Happened, "at": t.Call.At})
		}
	}
	ask := func(c any, v sexpr.Value) (bool, error) {
		r.its = append(r.its, c)
		defer func() { r.its = r.its[:len(r.its)-1] }()
		return r.condition(v)
	}
	begun, some, cut := false, false, len(all) > 256
	var begunErr, someErr error
	if cut {
		all, begunErr = all[len(all)-256:], refError("more calls than are looked at")
	}
	for _, c := range all {
		yes, err := ask(c, from)
		if yes || err != nil { // whatever was found before counts no more
			begun, begunErr, some, someErr = yes, err, false, nil
			continue
		}
		if yes, err = ask(c, since); yes || err != nil { // the latest is asked first
			some, someErr = yes, err
		}
	}
	switch {
	case begunErr != nil:
		return nil, begunErr
	case !begun:
		return false, nil
	case someErr != nil:
		return nil, someErr
	}
	return some == (op == "some-call-since"), nil
}

// refDefinition is a defcondition.
type refDefinition struct {
	name   string
	params []string
	body   sexpr.Value
}

// definition is the same for a language.
func (d refDefinition) definition(src Source) *Definition {
	out := &Definition{Name: d.name, Body: d.body, Source: src}
	for _, p := range d.params {
		out.Params = append(out.Params, sexpr.Sym(p))
	}
	return out
}

// defined asks a condition that has a name: its arguments first, then its body, which
// sees nothing else that is local.
func (r *reference) defined(d refDefinition, args []sexpr.Value) (any, error) {
	xs, err := r.evalAll(args)
	if err != nil {
		return nil, err
	}
	inner := &reference{steps: r.steps, turns: r.turns, names: r.names, lists: r.lists, calls: r.calls, defs: r.defs,
		vars: map[string]any{}}
	for i, p := range d.params {
		inner.vars[p] = xs[i]
	}
	return inner.condition(d.body)
}

// foundList is a list that a function found.
type foundList []any

var errRef = errors.New("reference")

func refError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errRef, fmt.Sprintf(format, args...))
}

// condition says what a form means as a condition.
func (r *reference) condition(v sexpr.Value) (bool, error) {
	x, err := r.eval(v)
	if err != nil {
		return false, err
	}
	return refTruth(x)
}

func refTruth(x any) (bool, error) {
	x, err := refRead(x)
	if err != nil {
		return false, err
	}
	if b, ok := x.(bool); ok {
		return b, nil
	}
	if l, ok := x.([]any); ok && len(l) == 0 {
		return false, nil
	}
	return false, refError("no boolean")
}

// refRead is a value as conditions see it.
func refRead(x any) (any, error) {
	switch x := x.(type) {
	case facts.Unknown:
		return nil, refError("unknown")
	case facts.Pattern:
		return nil, refError("a pattern")
	case facts.Word:
		return x.Text, nil
	case foundList:
		return []any(x), nil
	}
	return x, nil
}

func (r *reference) eval(v sexpr.Value) (any, error) {
	if r.steps != nil {
		*r.steps++
	}
	switch v.Kind() {
	case sexpr.String, sexpr.Keyword:
		return v.Text(), nil
	case sexpr.Int:
		return v.Int(), nil
	case sexpr.Float:
		return v.Float(), nil
	case sexpr.Symbol:
		switch v.Text() {
		case "t":
			return true, nil
		case "false":
			return false, nil
		case "null":
			return skills.Null{}, nil
		case "{}":
			return map[string]any{}, nil
		}
		x, ok, err := r.look(v.Text())
		if err == nil && !ok {
			err = refError("%s is missing", v.Text())
		}
		return x, err
	case sexpr.List:
	}
	items := v.Items()
	if len(items) > 0 && items[0].Kind() == sexpr.Symbol {
		return r.apply(items[0].Text(), items[1:])
	}
	return r.evalAll(items)
}

func (r *reference) evalAll(vs []sexpr.Value) ([]any, error) {
	out := []any{}
	for _, x := range vs {
		e, err := r.eval(x)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// look finds a path. It is missing if any step is; a step from what has no
// members is an error.
func (r *reference) look(name string) (any, bool, error) {
	if l, ok := r.lists[name]; ok {
		return l, true, nil
	}
	segs := strings.Split(name, ".")
	x, ok := r.vars[segs[0]]
	if segs[0] == "it" {
		x, ok = r.its[len(r.its)-1], true
	}
	if !ok {
		if x, ok = r.names[segs[0]]; !ok {
			return nil, false, nil
		}
	}
	for _, s := range segs[1:] {
		var err error
		if x, ok, err = refMember(x, s); err != nil || !ok {
			return nil, false, err
		}
	}
	if _, unknown := x.(facts.Unknown); unknown {
		return nil, false, refError("unknown")
	}
	return x, true, nil
}

func refMember(x any, key string) (any, bool, error) {
	x, err := refRead(x)
	if err != nil {
		return nil, false, err
	}
	m, ok := x.(map[string]any)
	if !ok {
		return nil, false, refError("no members")
	}
	y, ok := m[key]
	return y, ok, nil
}

func (r *reference) apply(op string, args []sexpr.Value) (any, error) {
	for _, d := range r.defs {
		if d.name == op {
			return r.defined(d, args)
		}
	}
	switch op {
	case "and", "or":
		for _, a := range args {
			b, err := r.condition(a)
			if err != nil {
				return nil, err
			}
			if b == (op == "or") {
				return b, nil
			}
		}
		return op == "and", nil
	case "not":
		b, err := r.condition(args[0])
		return !b, err
	case "if":
		b, err := r.condition(args[0])
		if err != nil {
			return nil, err
		}
		if b {
			return r.eval(args[1])
		}
		return r.eval(args[2])
	case "quote":
		return r.eval(args[0])
	case "let":
		outer := maps.Clone(r.vars)
		defer func() { r.vars = outer }()
		for _, b := range args[0].Items() {
			x, err := r.eval(b.Items()[1])
			if err != nil {
				return nil, err
			}
			r.vars = maps.Clone(r.vars)
			if r.vars == nil {
				r.vars = map[string]any{}
			}
			r.vars[b.Items()[0].Text()] = x
		}
		return r.eval(args[1])
	case "some", "every", "none", "every-or-empty", "none-or-empty", "count", "filter", "map", "sum":
		return r.loop(op, args)
	case "has?", "missing?", "get":
		return r.absence(op, args)
	case "some-call-since", "no-call-since":
		return r.order(op, args[0], args[1])
	}
	xs, err := r.evalAll(args)
	if err != nil {
		return nil, err
	}
	if f, ok := r.calls[op]; ok {
		return f(xs)
	}
	for i := range xs {
		if xs[i], err = refRead(xs[i]); err != nil {
			return nil, err
		}
	}
	return r.strict(op, xs)
}

func (r *reference) absence(op string, args []sexpr.Value) (any, error) {
	rest := args[1:]
	var x any
	var ok bool
	var err error
	if op != "get" && len(args) == 2 || op == "get" && len(args) == 3 {
		obj, e := r.eval(args[0])
		if e != nil {
			return nil, e
		}
		x, ok, err = refMember(obj, args[1].Text())
		rest = args[2:]
	} else {
		x, ok, err = r.look(args[0].Text())
	}
	if err != nil {
		return nil, err
	}
	if _, unknown := x.(facts.Unknown); unknown {
		return nil, refError("unknown")
	}
	switch op {
	case "has?":
		return ok, nil
	case "missing?":
		_, null := x.(skills.Null)
		return !ok || null, nil
	}
	if ok {
		return x, nil
	}
	return r.eval(rest[0])
}

// loop goes element by element; every kind of loop is written out.
func (r *reference) loop(op string, args []sexpr.Value) (any, error) {
	list, err := r.eval(args[0])
	if err != nil {
		return nil, err
	}
	_, found := list.(foundList)
	if list, err = refRead(list); err != nil {
		return nil, err
	}
	xs, ok := list.([]any)
	if !ok {
		return nil, refError("no list")
	}
	cut := false
	if n := len(xs); n > 0 {
		if _, cut = xs[n-1].(facts.Unknown); cut {
			xs = xs[:n-1]
		}
	}
	if len(xs) > 256 {
		return nil, refError("too long")
	}
	if len(xs) == 0 && !cut && found && (op == "every" || op == "none") {
		return nil, refError("nothing found")
	}
	wants := op == "count" || op == "filter" || op == "map" || op == "sum"
	if wants && (cut || refSeveral(xs)) {
		return nil, refError("cut off")
	}
	body := func(x any) (any, error) {
		r.its = append(r.its, x)
		defer func() { r.its = r.its[:len(r.its)-1] }()
		return r.eval(args[1])
	}
	out := []any{}
	var total any = int64(0)
	for _, x := range xs {
		if op == "map" || op == "sum" {
			y := x
			if len(args) == 2 {
				if y, err = body(x); err != nil {
					return nil, err
				}
			}
			out = append(out, y)
			continue
		}
		y, err := body(x)
		if err != nil {
			return nil, err
		}
		b, err := refTruth(y)
		if err != nil {
			return nil, err
		}
		switch strings.TrimSuffix(op, "-or-empty") {
		case "some":
			if b {
				return true, nil
			}
		case "every":
			if !b {
				return false, nil
			}
		case "none":
			if b {
				return false, nil
			}
		case "count", "filter":
			if b {
				out = append(out, x)
			}
		}
	}
	switch {
	case cut:
		return nil, refError("cut off")
	case op == "count":
		return int64(len(out)), nil
	case op == "sum":
		for _, x := range out {
			if x, err = refRead(x); err == nil {
				total, err = refArith("+", total, x)
			}
			if err != nil {
				return nil, err
			}
		}
		return total, nil
	case op == "filter" || op == "map":
		if found {
			return foundList(out), nil
		}
		return out, nil
	}
	return op != "some", nil
}

// refSeveral reports whether a list has a word that may become several.
func refSeveral(xs []any) bool {
	for _, x := range xs {
		if p, ok := x.(facts.Pattern); ok && p.Several() {
			return true
		}
	}
	return false
}

// strict is for operators that look at all their arguments.
func (r *reference) strict(op string, xs []any) (any, error) {
	switch op {
	case "=", "/=":
		b, err := refEqual(xs[0], xs[1])
		return b == (op == "="), err
	case "in":
		list, ok := xs[1].([]any)
		if !ok {
			return nil, refError("no list")
		}
		if len(list) > 256 {
			return nil, refError("too long")
		}
		for _, x := range list {
			b, err := refEqual(xs[0], x)
			if err != nil || b {
				return b, err
			}
		}
		return false, nil
	case "<", "<=", ">", ">=":
		c, err := refCompare(xs[0], xs[1])
		if err != nil {
			return nil, err
		}
		return map[string]bool{"<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[op], nil
	case "+", "-", "*", "/":
		if len(xs) == 1 {
			if i, ok := xs[0].(int64); ok {
				return refArith("-", int64(0), i)
			}
			if f, ok := xs[0].(float64); ok {
				return -f, nil
			}
			return nil, refError("no number")
		}
		out := xs[0]
		for _, x := range xs[1:] {
			var err error
			if out, err = refArith(op, out, x); err != nil {
				return nil, err
			}
		}
		return out, nil
	case "min", "max", "mod", "floor", "abs":
		return refNumber(op, xs)
	case "len":
		switch x := xs[0].(type) {
		case string:
			return int64(len([]rune(x))), nil
		case map[string]any:
			return int64(len(x)), nil
		case []any:
			if n := len(x); n > 0 {
				if _, cut := x[n-1].(facts.Unknown); cut || refSeveral(x) {
					return nil, refError("cut off")
				}
			}
			return int64(len(x)), nil
		}
		return nil, refError("no length")
	}
	texts := []string{}
	for _, x := range xs {
		s, ok := x.(string)
		if !ok {
			return nil, refError("no string")
		}
		texts = append(texts, s)
	}
	switch op {
	case "contains?":
		return strings.Contains(texts[0], texts[1]), nil
	case "starts-with?":
		return strings.HasPrefix(texts[0], texts[1]), nil
	case "ends-with?":
		return strings.HasSuffix(texts[0], texts[1]), nil
	case "matches?":
		return regexp.MustCompile(texts[1]).MatchString(texts[0]), nil
	case "upper":
		return strings.ToUpper(texts[0]), nil
	case "lower":
		return strings.ToLower(texts[0]), nil
	}
	return nil, refError("no operator %s", op)
}

// refNumber computes with fractions, and goes from there to the kind of number that is
// promised.
func refNumber(op string, xs []any) (any, error) {
	for _, x := range xs {
		if refRat(x) == nil {
			return nil, refError("no number")
		}
	}
	switch op {
	case "min", "max":
		sorted := slices.Clone(xs)
		slices.SortStableFunc(sorted, func(a, b any) int {
			if op == "max" {
				a, b = b, a
			}
			return refRat(a).Cmp(refRat(b))
		})
		return sorted[0], nil
	case "abs":
		if f, ok := xs[0].(float64); ok {
			return math.Float64frombits(math.Float64bits(f) &^ (1 << 63)), nil
		}
		return refInteger(new(big.Int).Abs(refRat(xs[0]).Num()))
	case "floor":
		q := refRat(xs[0])
		return refInteger(new(big.Int).Div(q.Num(), q.Denom())) // Euclid's, and the denominator is positive
	}
	a, ai := xs[0].(int64)
	b, bi := xs[1].(int64)
	if !ai || !bi || b == 0 {
		return nil, refError("no integers, or zero")
	}
	q := new(big.Rat).SetFrac64(a, b)
	whole := new(big.Int).Div(q.Num(), q.Denom())
	return refInteger(whole.Sub(big.NewInt(a), whole.Mul(whole, big.NewInt(b))))
}

func refInteger(n *big.Int) (any, error) {
	if !n.IsInt64() {
		return nil, refError("overflow")
	}
	return n.Int64(), nil
}

func refRat(x any) *big.Rat {
	switch x := x.(type) {
	case int64:
		return new(big.Rat).SetInt64(x)
	case float64:
		return new(big.Rat).SetFloat64(x)
	}
	return nil
}

func refCompare(a, b any) (int, error) {
	x, xs := a.(string)
	y, ys := b.(string)
	if xs && ys {
		return strings.Compare(x, y), nil
	}
	p, q := refRat(a), refRat(b)
	if p == nil || q == nil {
		return 0, refError("not comparable")
	}
	return p.Cmp(q), nil
}

func refArith(op string, a, b any) (any, error) {
	x, xi := a.(int64)
	y, yi := b.(int64)
	if xi && yi && op != "/" {
		z := new(big.Int)
		switch op {
		case "+":
			z.Add(big.NewInt(x), big.NewInt(y))
		case "-":
			z.Sub(big.NewInt(x), big.NewInt(y))
		case "*":
			z.Mul(big.NewInt(x), big.NewInt(y))
		}
		if !z.IsInt64() {
			return nil, refError("overflow")
		}
		return z.Int64(), nil
	}
	p, q := refRat(a), refRat(b)
	if p == nil || q == nil {
		return nil, refError("no number")
	}
	f, exact := p.Float64()
	g, exact2 := q.Float64()
	if !exact || !exact2 {
		return nil, refError("not exact")
	}
	if op == "/" && g == 0 {
		return nil, refError("division by zero")
	}
	h := map[string]float64{"+": f + g, "-": f - g, "*": f * g, "/": f / g}[op]
	if math.IsInf(h, 0) || math.IsNaN(h) {
		return nil, refError("not finite")
	}
	return h, nil
}

func refEqual(a, b any) (bool, error) {
	a, err := refRead(a)
	if err != nil {
		return false, err
	}
	if b, err = refRead(b); err != nil {
		return false, err
	}
	_, an := a.(skills.Null)
	_, bn := b.(skills.Null)
	if an || bn {
		return an && bn, nil
	}
	if x, ok := a.(bool); ok {
		if y, ok := b.(bool); ok {
			return x == y, nil
		}
	}
	al, aList := a.([]any)
	bl, bList := b.([]any)
	if x, ok := a.(bool); ok && bList && len(bl) == 0 { // nil is false
		return !x, nil
	}
	if y, ok := b.(bool); ok && aList && len(al) == 0 {
		return !y, nil
	}
	am, aMap := a.(map[string]any)
	bm, bMap := b.(map[string]any)
	switch {
	case aList && bList:
		for _, l := range [][]any{al, bl} {
			if n := len(l); n > 0 {
				if _, cut := l[n-1].(facts.Unknown); cut {
					return false, refError("cut off")
				}
			}
		}
		if len(al) != len(bl) {
			return false, nil
		}
		for i := range al {
			if eq, err := refEqual(al[i], bl[i]); err != nil || !eq {
				return false, err
			}
		}
		return true, nil
	case aMap && bMap:
		if !slices.Equal(slices.Sorted(maps.Keys(am)), slices.Sorted(maps.Keys(bm))) {
			return false, nil
		}
		for _, k := range slices.Sorted(maps.Keys(am)) {
			if eq, err := refEqual(am[k], bm[k]); err != nil || !eq {
				return false, err
			}
		}
		return true, nil
	}
	c, err := refCompare(a, b)
	return c == 0, err
}
