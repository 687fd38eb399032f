package skills

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// Definition writes the tool as a rule file declares it, so that a tool that a
// program provides is part of the rulebook, its hash and its record like any other.
func (t *Tool) Definition() string {
	var b strings.Builder
	b.WriteString("(deftool " + sexpr.Sym(t.Name).String())
	if t.Doc != "" {
		b.WriteString("\n  :doc " + sexpr.Str(t.Doc).String())
	}
	b.WriteString("\n  :params ")
	writeParams(&b, t.Params)
	if len(t.Required) > 0 {
		b.WriteString("\n  :required ")
		writeKeys(&b, t.Required)
	}
	b.WriteString("\n  :tier :" + t.Tier.String() + " :effect :" + t.Effect.String())
	if t.Idempotent {
		b.WriteString(" :idempotent t")
	}
	writeOutput(&b, t)
	writeIntent(&b, t)
	if len(t.Secret) > 0 {
		b.WriteString("\n  :secret ")
		writeKeys(&b, t.Secret)
	}
	writeSpends(&b, t.Spends)
	b.WriteString(")\n")
	return b.String()
}

func writeOutput(b *strings.Builder, t *Tool) {
	if t.Mixed {
		b.WriteString(" :output :mixed")
		return
	}
	word := func(trusted bool) string {
		if trusted {
			return ":trusted"
		}
		return ":untrusted"
	}
	if len(t.Fields) == 0 {
		b.WriteString(" :output " + word(t.Trusted))
		return
	}
	names := make([]string, 0, len(t.Fields))
	for n := range t.Fields {
		names = append(names, n)
	}
	slices.Sort(names)
	for i, n := range names {
		b.WriteString([]string{" :output (", " "}[min(i, 1)] + sexpr.Key(n).String() + " " + word(t.Fields[n]))
	}
	b.WriteByte(')')
}

// writeIntent writes what is declared about origin and intent.
func writeIntent(b *strings.Builder, t *Tool) {
	if len(t.Classes) > 0 {
		b.WriteString("\n  :class ")
		writeKeys(b, t.Classes)
	}
	for i, n := range t.Nouns {
		b.WriteString([]string{"\n  :nouns (", " "}[min(i, 1)] + sexpr.Str(n).String())
	}
	if len(t.Nouns) > 0 {
		b.WriteByte(')')
	}
	for i, p := range slices.Sorted(maps.Keys(t.Roles)) {
		b.WriteString([]string{"\n  :roles (", " "}[min(i, 1)] + sexpr.Key(p).String() + " :" + t.Roles[p])
	}
	if len(t.Roles) > 0 {
		b.WriteByte(')')
	}
}

func writeSpends(b *strings.Builder, spends []Spending) {
	for i, s := range spends {
		b.WriteString([]string{"\n  :spends (", " "}[min(i, 1)] + sexpr.Key(s.Budget).String() + " ")
		if s.Arg != "" {
			b.WriteString(sexpr.Key(s.Arg).String())
			continue
		}
		b.WriteString(strconv.FormatFloat(s.Fixed, 'f', -1, 64))
	}
	if len(spends) > 0 {
		b.WriteByte(')')
	}
}
