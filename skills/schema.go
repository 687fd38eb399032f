package skills

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// maxFaults bounds the faults that one check reports: enough to correct a call in
// one step, and a bound on the error text of a hostile call.
const maxFaults = 8

// Fault is one place where arguments differ from a tool's schema.
type Fault struct {
	Pos      sexpr.Pos // of the value or key; zero if it was not read from text
	Path     string    // ":opts :depth", ":files[2]"; "" for the arguments as a whole
	Found    string    // "is 500", "is missing", "is unknown"
	Expected string    // "an integer from 1 to 300"
}

// SchemaError says how arguments differ from their tool's schema. Its text is
// written for the model: it says what would be right. Of the model's strings it
// repeats only the names of keys.
type SchemaError struct {
	Tool   string
	Faults []Fault // at most 8, in the order of writing; what is missing comes last
}

// Error lists the faults on one line, each with its position.
func (e *SchemaError) Error() string { return e.text(true) }

// Text lists the faults without positions, which differ between two spellings of
// one action.
func (e *SchemaError) Text() string { return e.text(false) }

func (e *SchemaError) text(positions bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "arguments of %s: ", e.Tool)
	for i, f := range e.Faults {
		if i > 0 {
			b.WriteString("; ")
		}
		if positions && f.Pos.Line > 0 {
			b.WriteString(f.Pos.String() + ": ")
		}
		path := f.Path
		if path == "" {
			path = ":args"
		}
		fmt.Fprintf(&b, "%s %s, expected %s", path, f.Found, f.Expected)
	}
	return b.String()
}

// Check returns a *[SchemaError] if args do not match the tool's schema, and else
// the normalised arguments: nil becomes false for a boolean and {} for an object,
// and an undeclared or unquoted key that equals exactly one declared key when case
// is ignored takes its spelling. If nothing needs a change it returns args, without
// an allocation.
func (t *Tool) Check(args sexpr.Value) (sexpr.Value, error) {
	c := checker{secret: t.Secret}
	out, _ := c.object(t.Params, t.Required, args)
	if len(c.faults) > 0 {
		return args, t.schemaError(c.faults)
	}
	return out, nil
}

// schemaError returns the error for some faults. It repeats nothing of a secret argument.
func (t *Tool) schemaError(faults []Fault) *SchemaError {
	for i := range faults {
		f := &faults[i]
		for _, name := range t.Secret {
			if key := printKey(name); f.Found != "is missing" && (f.Path == key || strings.HasPrefix(f.Path, key+" ") ||
				strings.HasPrefix(f.Path, key+"[")) {
				f.Path, f.Found = key, "does not fit"
			}
		}
	}
	return &SchemaError{Tool: t.Name, Faults: faults}
}

// checker walks a schema and a value together. It recurses no deeper than the
// schema does. Each method returns the normalised value and whether it differs.
type checker struct {
	faults []Fault
	secret []string // arguments that may be references to the vault
	depth  int      // of objects around the value
}

// refers reports whether a value is a reference to the vault, in the place of an argument
// that takes one: a secret text.
func (c *checker) refers(p *Param, v sexpr.Value) bool {
	if c.depth != 1 || len(c.secret) == 0 || !contains(c.secret, p.Name) {
		return false
	}
	_, ok := VaultName(v)
	return ok && (p.Type.Kind == KindString || p.Type.Kind == KindAny)
}

func (c *checker) fault(p sexpr.Pos, path, found, expected string) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, Fault{p, path, found, expected})
	}
}

func (c *checker) full() bool { return len(c.faults) >= maxFaults }

func (c *checker) value(t *Type, v sexpr.Value) (sexpr.Value, bool) {
	if t.Kind == KindAny || t.Nullable && v.IsSym("null") {
		return v, false
	}
	ok := false
	switch t.Kind {
	case KindBoolean:
		if v.IsNil() {
			return sexpr.False().At(v.Pos()), true
		}
		ok = v.IsSym("t") || v.IsSym("false")
	case KindInteger:
		ok = v.Kind() == sexpr.Int && t.within(float64(v.Int()))
	case KindNumber:
		ok = v.Kind() == sexpr.Int && t.within(float64(v.Int())) ||
			v.Kind() == sexpr.Float && t.within(v.Float())
	case KindEnum:
		ok = v.Kind() == sexpr.String && contains(t.Enum, v.Text())
	case KindList:
		if v.Kind() == sexpr.List && !v.IsPlist() {
			return c.list(t.Elem, v)
		}
	case KindObject:
		if v.Kind() == sexpr.List || v.IsSym("{}") {
			return c.object(t.Params, t.Required, v)
		}
	case KindString, KindCommand, KindPath, KindHost, KindURL, KindSQL:
		ok = v.Kind() == sexpr.String
	case KindAny:
	}
	if !ok {
		c.fault(v.Pos(), "", "is "+found(v), t.String())
	}
	return v, false
}

func (t *Type) within(f float64) bool { return !t.Bounded || f >= t.Lo && f <= t.Hi }

func contains(words []string, w string) bool {
	for _, x := range words {
		if x == w {
			return true
		}
	}
	return false
}

func (c *checker) list(elem *Type, v sexpr.Value) (sexpr.Value, bool) {
	if elem == nil {
		return v, false
	}
	items, changed := v.Items(), false
	for i, x := range v.Items() {
		before := len(c.faults)
		y, differs := c.value(elem, x)
		for j := before; j < len(c.faults); j++ {
			c.faults[j].Path = "[" + strconv.Itoa(i) + "]" + c.faults[j].Path
		}
		if c.full() {
			return v, false
		}
		if differs {
			if !changed {
				items, changed = append([]sexpr.Value(nil), items...), true
			}
			items[i] = y
		}
	}
	if !changed {
		return v, false
	}
	return sexpr.ListOf(items...).At(v.Pos()), true
}

// object checks a plist, {} or nil against named parameters.
func (c *checker) object(params []Param, required []string, v sexpr.Value) (sexpr.Value, bool) {
	c.depth++
	defer func() { c.depth-- }()
	if v.Kind() != sexpr.List && !v.IsSym("{}") {
		c.fault(v.Pos(), "", "is "+found(v), "a plist like (:key value ...)")
		return v, false
	}
	var few [4]uint64 // one bit a parameter: which are there
	seen := few[:]
	if len(params) > 64*len(few) {
		seen = make([]uint64, len(params)/64+1)
	}
	out, changed := c.members(params, seen, v)
	for _, name := range required {
		i := indexOf(params, name)
		if i < 0 || seen[i/64]&(1<<(i%64)) == 0 {
			expected := "a value"
			if i >= 0 {
				expected = params[i].Type.String()
			}
			c.fault(v.Pos(), printKey(name), "is missing", expected)
		}
	}
	if v.IsNil() {
		return sexpr.EmptyObject().At(v.Pos()), true
	}
	return out, changed
}

// members checks the pairs of a plist and sets the bit of each parameter found.
func (c *checker) members(params []Param, seen []uint64, v sexpr.Value) (sexpr.Value, bool) {
	items, changed := v.Items(), false
	set := func(i int, x sexpr.Value) {
		if !changed {
			items, changed = append([]sexpr.Value(nil), items...), true
		}
		items[i] = x
	}
	for i := 0; i < len(items) && !c.full(); i += 2 {
		k := items[i]
		n := findParam(params, k)
		switch {
		case n < 0:
			c.unknown(params, k)
			continue
		case i+1 == len(items):
			c.fault(k.Pos(), printKey(params[n].Name), "has no value", params[n].Type.String())
			continue
		case seen[n/64]&(1<<(n%64)) != 0:
			c.fault(k.Pos(), printKey(params[n].Name), "stands twice", "each key once")
			continue
		}
		seen[n/64] |= 1 << (n % 64)
		if name := params[n].Name; !k.IsKey(name) {
			set(i, sexpr.Key(name).At(k.Pos()))
		}
		if c.refers(&params[n], items[i+1]) {
			continue
		}
		before := len(c.faults)
		x, differs := c.value(&params[n].Type, items[i+1])
		for j := before; j < len(c.faults); j++ {
			c.faults[j].Path = joinPath(printKey(params[n].Name), c.faults[j].Path)
		}
		if differs {
			set(i+1, x)
		}
	}
	if !changed {
		return v, false
	}
	return sexpr.ListOf(items...).At(v.Pos()), true
}

func (c *checker) unknown(params []Param, k sexpr.Value) {
	if k.Kind() != sexpr.Keyword && k.Kind() != sexpr.Symbol {
		c.fault(k.Pos(), "", "has "+found(k)+" where a key is due", knownKeys(params))
		return
	}
	c.fault(k.Pos(), printKey(k.Text()), "is unknown", knownKeys(params))
}

func joinPath(key, rest string) string {
	if rest == "" || rest[0] == '[' {
		return key + rest
	}
	return key + " " + rest
}

// findParam finds the parameter that a keyword or an unquoted word names: the
// exact one, else the only one that equals it when case is ignored.
func findParam(params []Param, k sexpr.Value) int {
	if k.Kind() != sexpr.Keyword && k.Kind() != sexpr.Symbol {
		return -1
	}
	if i := indexOf(params, k.Text()); i >= 0 {
		return i
	}
	only := -1
	for i := range params {
		if equalFold(params[i].Name, k.Text()) {
			if only >= 0 {
				return -1
			}
			only = i
		}
	}
	return only
}

func indexOf(params []Param, name string) int {
	for i := range params {
		if params[i].Name == name {
			return i
		}
	}
	return -1
}

// equalFold compares names as the reader folds them: A-Z alone.
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
