package provenance

import (
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// value is one scalar that is asked about, cut into words once.
type value struct {
	text  string
	role  Role
	loose []string
	atoms []string // with the ends of sentences in them
	days  []string // the same day in other words
	exact bool     // it must stand letter by letter
	shape words.Shape
	empty bool // it proves nothing

	same string     // see [value.normal]
	said [][]string // see [value.looseRuns]
}

// normal is how the value is compared with whole texts.
func (v *value) normal() string {
	if v.same == "" {
		v.same = words.Normal(v.text)
	}
	return v.same
}

// newValue reads a scalar in a role.
func (x *Index) newValue(v any, role Role) *value {
	out := &value{text: strings.TrimSpace(fields.Scalar(v)), role: role}
	if _, ok := v.(bool); ok || out.text == "" {
		out.empty = true
		return out
	}
	ws := words.Atoms(out.text)
	out.atoms, _ = sequence(ws)
	out.loose = words.Keys(words.Loose(out.text))
	out.shape = words.ShapeOf(out.text)
	out.exact = role == Secret || role == Code
	if d, ok := words.ISODay(out.text); ok && !out.exact {
		out.days = []string{dayKey(d), dayKey(d.Bare())}
	}
	out.empty = len(out.atoms) == 0 || x.provesNothing(out)
	return out
}

// provesNothing reports whether a value is a single common word, or as short as two
// characters; nor does a word of the language where it is one of a list, such as "paid". Amounts and times are what they are.
func (x *Index) provesNothing(v *value) bool {
	if v.role == Amount || v.role == Time {
		return false
	}
	if utf8.RuneCountInString(v.text) <= 2 {
		return true
	}
	word := strings.ToLower(v.atoms[0])
	return len(v.atoms) == 1 && (x.lex.words.Common[word] || v.role == NoRole && v.shape == words.Word1 && x.lex.words.Known(word))
}

// runs returns the sequences of words that are equal to the value.
func (v *value) runs() [][]string {
	if len(v.atoms) == 0 {
		return nil
	}
	out := [][]string{v.atoms}
	if _, bare, ok := strings.Cut(v.atoms[0], "://"); ok && v.shape == words.URL && len(v.atoms) == 1 {
		switch v.atoms[0][:len(v.atoms[0])-len(bare)] { // the user may leave it out
		case "https://", "http://":
			out = append(out, []string{words.AtomKey(bare)})
		}
	}
	for _, d := range v.days {
		out = append(out, []string{d})
	}
	return out
}
