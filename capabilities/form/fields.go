package form

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
)

// member is a member of a form: its keyword, what it takes, and whether it must be there.
// docs/capability-form.md has a table of each list of members.
type member struct {
	name, takes string
	must        bool
}

// object is one plist that is read: its members by name.
type object struct {
	*faults
	what string // for messages: "step restart"
	at   sexpr.Pos
	has  map[string]sexpr.Value
}

// object reads a plist, {} or nil whose keys are known.
func (f *faults) object(v sexpr.Value, what string, known []member) object {
	o := object{faults: f, what: what, at: v.Pos(), has: map[string]sexpr.Value{}}
	if v.Kind() != sexpr.List && !v.IsSym("{}") {
		f.add(v.Pos(), "%s: found %s, expected keys and values", what, found(v))
		return o
	}
	o.take(v.Items(), known)
	return o
}

// take reads the members that stand in items.
func (o *object) take(items []sexpr.Value, known []member) {
	for i := 0; i < len(items); i += 2 {
		key := items[i]
		if key.Kind() != sexpr.Keyword {
			o.add(key.Pos(), "%s: found %s, expected a key such as :%s", o.what, found(key), known[0].name)
			return
		}
		if i+1 == len(items) {
			o.add(key.Pos(), "%s: %s has no value", o.what, clip(key.String()))
			return
		}
		if !slices.ContainsFunc(known, func(m member) bool { return m.name == key.Text() }) {
			o.add(key.Pos(), "%s: unknown member %s%s", o.what, clip(key.String()), nearest(key.Text(), known))
			continue
		}
		if _, twice := o.has[key.Text()]; twice {
			o.add(key.Pos(), "%s: %s a second time", o.what, key)
		}
		o.has[key.Text()] = items[i+1]
	}
	for _, m := range known {
		if _, ok := o.has[m.name]; m.must && !ok {
			o.add(o.at, "%s has no :%s; it takes %s", o.what, m.name, m.takes)
		}
	}
}

func nearest(name string, known []member) string {
	names := make([]string, len(known))
	for i, m := range known {
		names[i] = ":" + m.name
	}
	return spell.DidYouMean(":"+name, names)
}

func (o object) get(key string) (sexpr.Value, bool) {
	v, ok := o.has[key]
	return v, ok
}

// wrong says that a member is not what it should be.
func (o object) wrong(key string, v sexpr.Value, expected string) {
	o.add(v.Pos(), "%s: :%s is %s, expected %s", o.what, key, found(v), expected)
}

// text reads a text of at most so many characters; "" if there is none.
func (o object) text(key string, most int) string {
	v, ok := o.has[key]
	if ok && (v.Kind() != sexpr.String || v.Text() == "" || utf8.RuneCountInString(v.Text()) > most) {
		o.wrong(key, v, "a text of 1 to "+sexpr.Int64(int64(most)).String()+" characters")
		return ""
	}
	return v.Text()
}

// oneOf reads one of a few words, written as a keyword or a text; the first if there is none.
func (o object) oneOf(key string, words ...string) string {
	v, ok := o.has[key]
	if !ok {
		return words[0]
	}
	if v.Kind() != sexpr.String && v.Kind() != sexpr.Keyword || !slices.Contains(words, v.Text()) {
		known := make([]string, len(words))
		for i, w := range words {
			known[i] = ":" + w
		}
		o.wrong(key, v, list(known, "or")+spell.DidYouMean(":"+v.Text(), known))
		return words[0]
	}
	return v.Text()
}

// flag reads t, nil or false.
func (o object) flag(key string) bool {
	v, ok := o.has[key]
	if ok && !v.IsSym("t") && !v.IsSym("false") && !v.IsNil() {
		o.wrong(key, v, "t or nil")
	}
	return v.IsSym("t")
}

// whole reads a whole number in a range; 0 if there is none.
func (o object) whole(key string, low, high int64) int64 {
	v, ok := o.has[key]
	if !ok {
		return 0
	}
	n, exact := v.Int(), v.Kind() == sexpr.Int
	if f := v.Float(); v.Kind() == sexpr.Float && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		n, exact = int64(f), true // 5.0 is 5 in JSON
	}
	if !exact || n < low || n > high {
		o.wrong(key, v, "a whole number, "+sexpr.Int64(low).String()+" to "+sexpr.Int64(high).String())
		return 0
	}
	return n
}

// number reads a number in a range; 0 if there is none.
func (o object) number(key string, low, high float64) float64 {
	v, ok := o.has[key]
	if !ok {
		return 0
	}
	n := v.Float()
	if v.Kind() == sexpr.Int {
		n = float64(v.Int())
	} else if v.Kind() != sexpr.Float {
		n = math.NaN()
	}
	if !(n >= low && n <= high) {
		o.wrong(key, v, "a number, "+sexpr.Float64(low).String()+" to "+sexpr.Float64(high).String())
		return 0
	}
	return n
}

// items reads a list that is not a plist; nil if there is none.
func (o object) items(key, of string) []sexpr.Value {
	if v := o.has[key]; v.IsPlist() {
		o.wrong(key, v, "a list of "+of)
		return nil
	}
	return o.keys(key, of)
}

// keys reads a list, which may begin with a keyword; nil if there is none.
func (o object) keys(key, of string) []sexpr.Value {
	v := o.has[key]
	if v.Kind() != sexpr.List {
		o.wrong(key, v, "a list of "+of)
	}
	return v.Items()
}

// texts reads a list of texts, each once.
func (o object) texts(key string) (out []string) {
	for _, v := range o.items(key, "texts") {
		switch {
		case v.Kind() != sexpr.String || v.Text() == "":
			o.add(v.Pos(), "%s: :%s has %s, expected texts", o.what, key, found(v))
		case slices.Contains(out, v.Text()):
			o.add(v.Pos(), "%s: :%s has %s twice; leave one out", o.what, key, found(v))
		default:
			out = append(out, v.Text())
		}
	}
	return out
}

// pairs reads names with something each, in the order of writing: (:app string :image string).
func (o object) pairs(key, of string) (names, values []sexpr.Value) {
	v, ok := o.has[key]
	items := v.Items()
	if ok && !v.IsNil() && !v.IsSym("{}") && (!v.IsPlist() || len(items)%2 != 0) {
		o.wrong(key, v, "names, each with "+of)
		return nil, nil
	}
	for i := 0; i+1 < len(items); i += 2 {
		n := items[i]
		switch {
		case n.Kind() != sexpr.Keyword || !nameShape.MatchString(n.Text()):
			o.add(n.Pos(), "%s: :%s has %s, expected a name; "+
				"names have letters, digits, _ and - and begin with a letter", o.what, key, found(n))
			continue
		case slices.ContainsFunc(names, func(m sexpr.Value) bool { return m.Text() == n.Text() }):
			o.add(n.Pos(), "%s: :%s has %s twice; leave one out", o.what, key, n)
			continue
		}
		names, values = append(names, n), append(values, items[i+1])
	}
	return names, values
}

// data reads an object of free shape, such as arguments; {} if there is none.
func (o object) data(key string) sexpr.Value {
	v, ok := o.has[key]
	switch {
	case !ok, v.IsNil():
		return sexpr.EmptyObject().At(v.Pos())
	case !v.IsObject():
		o.wrong(key, v, "keys and values")
		return sexpr.EmptyObject()
	}
	if err := sexpr.CheckJSON(v); err != nil {
		o.add(v.Pos(), "%s: :%s: %s", o.what, key, err)
		return sexpr.EmptyObject()
	}
	return v
}

var (
	nameShape    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)
	idShape      = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)+$`)
	versionShape = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
	factShape    = regexp.MustCompile(`^facts\.(ctx|env|work|policy)(\.[A-Za-z_][A-Za-z0-9_-]*)+$`)
	toShape      = regexp.MustCompile(`^(work\.)?[A-Za-z_][A-Za-z0-9_-]*$`)
	partShape    = regexp.MustCompile(`^(text|result(\.[A-Za-z_][A-Za-z0-9_-]*)*)$`)
)

// suggestID is the id that a text that is none would be.
func suggestID(s string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(s) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.ContainsRune("._-", c) {
			b.WriteRune(c)
		} else {
			b.WriteByte('_')
		}
	}
	id := regexp.MustCompile(`[._-]*\.[._-]*`).ReplaceAllString(strings.Trim(b.String(), "._-"), ".")
	if !strings.Contains(id, ".") {
		id = "project." + id
	}
	return id
}
