package lint

import (
	"math"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// domain is what is known of one value.
type domain struct {
	any            bool // an enumeration holds: of
	of, except     []sexpr.Value
	number, whole  bool
	lo, hi         float64
	loOpen, hiOpen bool
	yes, no        []textTest
	there, absent  bool // has? and missing?
	compared       bool // read, so it is there
}

func newDomain() *domain { return &domain{lo: math.Inf(-1), hi: math.Inf(1)} }

// declare narrows a value to what its type allows. Null leaves all open.
func (d *domain) declare(t skills.Type) {
	if t.Nullable {
		return
	}
	switch t.Kind {
	case skills.KindInteger, skills.KindNumber:
		d.number, d.whole = true, t.Kind == skills.KindInteger
		if t.Bounded {
			d.atLeast(t.Lo, false)
			d.atMost(t.Hi, false)
		}
	case skills.KindEnum:
		words := make([]sexpr.Value, len(t.Enum))
		for i, w := range t.Enum {
			words[i] = sexpr.Str(w)
		}
		d.among(words)
	case skills.KindBoolean:
		d.among([]sexpr.Value{sexpr.T(), sexpr.False()})
	case skills.KindAny, skills.KindString, skills.KindList, skills.KindObject, skills.KindCommand, skills.KindPath,
		skills.KindHost, skills.KindURL, skills.KindSQL:
	}
}

func (d *domain) atLeast(x float64, open bool) {
	d.number = true
	if x > d.lo || x == d.lo && open {
		d.lo, d.loOpen = x, open
	}
}

func (d *domain) atMost(x float64, open bool) {
	d.number = true
	if x < d.hi || x == d.hi && open {
		d.hi, d.hiOpen = x, open
	}
}

func (d *domain) among(of []sexpr.Value) {
	if d.any {
		of = slices.DeleteFunc(slices.Clone(d.of), func(v sexpr.Value) bool { return !holds(of, v) })
	}
	d.any, d.of = true, of
}

// holds reports whether a value equals one of others: numbers by exact value.
func holds(all []sexpr.Value, v sexpr.Value) bool {
	return slices.ContainsFunc(all, func(x sexpr.Value) bool { return same(x, v) })
}

func same(a, b sexpr.Value) bool {
	x, isNumber := numberOf(a)
	y, areBoth := numberOf(b)
	if isNumber && areBoth {
		return x == y
	}
	return sexpr.Equal(a, b)
}

// numberOf is a number that a float holds exactly.
func numberOf(v sexpr.Value) (float64, bool) {
	switch v.Kind() {
	case sexpr.Int:
		f := float64(v.Int())
		return f, math.Abs(f) < 1<<53
	case sexpr.Float:
		return v.Float(), true
	case sexpr.Symbol, sexpr.Keyword, sexpr.String, sexpr.List:
	}
	return 0, false
}

// admits reports whether one value agrees with all that is known.
func (d *domain) admits(v sexpr.Value) bool {
	if d.any && !holds(d.of, v) || holds(d.except, v) {
		return false
	}
	x, isNumber := numberOf(v)
	if isNumber && d.number &&
		(x < d.lo || x > d.hi || x == d.lo && d.loOpen || x == d.hi && d.hiOpen || d.whole && x != math.Trunc(x)) {
		return false
	}
	if v.Kind() != sexpr.String {
		return !d.number || isNumber || v.Kind() == sexpr.Int
	}
	if d.number {
		return false
	}
	for _, t := range d.yes {
		if yes, known := t.of(v.Text()); known && !yes {
			return false
		}
	}
	return !slices.ContainsFunc(d.no, func(t textTest) bool {
		yes, known := t.of(v.Text())
		return known && yes
	})
}

// possible reports whether some value may agree with all that is known.
func (d *domain) possible() bool {
	if d.absent && (d.there || d.compared) {
		return false
	}
	if d.any {
		return slices.ContainsFunc(d.of, d.admits)
	}
	if d.number {
		return d.possibleNumber()
	}
	return d.possibleText()
}

func (d *domain) possibleNumber() bool {
	if len(d.yes) > 0 {
		return false
	}
	lo, hi := d.lo, d.hi
	if !d.whole {
		return lo < hi || lo == hi && !d.loOpen && !d.hiOpen && d.admits(sexpr.Float64(lo))
	}
	lo, hi = math.Ceil(lo), math.Floor(hi)
	if d.loOpen && lo == d.lo {
		lo++
	}
	if d.hiOpen && hi == d.hi {
		hi--
	}
	if hi-lo > 256 {
		return true
	}
	for x := lo; x <= hi; x++ {
		if d.admits(sexpr.Int64(int64(x))) {
			return true
		}
	}
	return false
}

func (d *domain) possibleText() bool {
	for i, a := range d.yes {
		if slices.ContainsFunc(d.yes[i+1:], func(b textTest) bool { return a.excludes(b) }) {
			return false
		}
		if slices.ContainsFunc(d.no, func(b textTest) bool { return a.implies(b) }) {
			return false
		}
	}
	return true
}

// pick is a value that agrees with all that is known.
func (d *domain) pick() (sexpr.Value, bool) {
	var tries []sexpr.Value
	switch {
	case d.any:
		tries = d.of
	case d.number:
		tries = d.numbers()
	default:
		tries = d.texts()
	}
	for _, v := range tries {
		if d.admits(v) {
			return v, true
		}
	}
	return sexpr.Value{}, false
}

func (d *domain) numbers() (out []sexpr.Value) {
	for _, x := range []float64{d.lo, d.lo + 1, d.hi, d.hi - 1, (d.lo + d.hi) / 2, 0, 1, 2, 3, 5, 10} {
		switch {
		case math.IsInf(x, 0) || math.IsNaN(x):
		case x == math.Trunc(x) && math.Abs(x) < 1<<53:
			out = append(out, sexpr.Int64(int64(x)))
		default:
			out = append(out, sexpr.Float64(x))
		}
	}
	return out
}

// texts puts the words that a text must begin with, hold and end with together.
func (d *domain) texts() []sexpr.Value {
	var first, middle, last, below string
	for _, t := range d.yes {
		switch t.op {
		case "starts-with?":
			first = longer(first, t.word)
		case "ends-with?":
			last = longer(last, t.word)
		case "under?":
			below = longer(below, strings.TrimSuffix(t.word, "/")+"/")
		case "contains?":
			middle += t.word
		}
	}
	out := d.members()
	for _, fill := range []string{"", "x", "text", "a.b", "other"} {
		out = append(out, sexpr.Str(longer(below, first)+fill+middle+last))
	}
	return out
}

func longer(a, b string) string {
	if len(b) > len(a) {
		return b
	}
	return a
}
