package condition

import (
	"slices"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
)

func (l *lowerer) unknownField(v sexpr.Value, t facts.Type, k string) {
	var names []string
	for _, f := range t.Fields {
		if FoldEqual(f.Name, k) {
			l.fail(v.Pos(), "the name is spelled %s; write it so, in bars if it has capitals", PrintKey(f.Name))
			return
		}
		names = append(names, f.Name)
	}
	what := t.Name
	if what == "" {
		what = "the object"
	}
	l.fail(v.Pos(), "%s has no %s%s", what, PrintKey(k), spell.DidYouMean(k, names))
}

func keysOf[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func prefixed(prefix string, names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = prefix + n
	}
	return out
}

// Listed spells a few alternatives: "signal.from, signal.sensor or signal.text".
func Listed(prefix string, names []string) string {
	var b strings.Builder
	for i, n := range names {
		switch {
		case i == 0:
		case i == len(names)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(prefix + n)
	}
	return b.String()
}

// fold is a name as the reader folds it: A-Z alone.
func fold(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = foldByte(c)
	}
	return string(b)
}

// FoldEqual compares names as fold has them.
func FoldEqual(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if foldByte(a[i]) != foldByte(b[i]) {
			return false
		}
	}
	return true
}

func foldByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// clip is a form as messages show it.
func clip(v sexpr.Value) string {
	if s := v.String(); len(s) <= maxGuess {
		return s
	}
	return "a " + v.Kind().String()
}

// PrintKey spells a key as one writes it at the end of a path.
func PrintKey(k string) string {
	v, err := sexpr.Print(sexpr.Key(k))
	if err != nil {
		return strconv.Quote(k)
	}
	return strings.TrimPrefix(v, ":")
}
