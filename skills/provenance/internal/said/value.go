package said

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// Value is one scalar that is asked about, cut into words once.
type Value struct {
	Text  string
	Role  lexicon.Role
	Loose []string
	Atoms []string // with the ends of sentences in them
	Days  []string // the same day in other words
	Exact bool     // it must stand letter by letter
	Shape words.Shape
	Empty bool // it proves nothing

	same string     // see [Value.Normal]
	said [][]string // see [Value.LooseRuns]
}

// Normal is how the value is compared with whole texts.
func (v *Value) Normal() string {
	if v.same == "" {
		v.same = words.Normal(v.Text)
	}
	return v.same
}

// New reads a scalar in a role.
func New(l *lexicon.Lexicon, v any, role lexicon.Role) *Value {
	out := &Value{Text: strings.TrimSpace(fields.Scalar(v)), Role: role}
	if _, ok := v.(bool); ok || out.Text == "" {
		out.Empty = true
		return out
	}
	ws := words.Atoms(out.Text)
	out.Atoms, _ = sequence(ws)
	out.Loose = words.Keys(words.Loose(out.Text))
	out.Shape = words.ShapeOf(out.Text)
	out.Exact = role == lexicon.Secret || role == lexicon.Code
	if d, ok := words.ISODay(out.Text); ok && !out.Exact {
		out.Days = []string{DayKey(d), DayKey(d.Bare())}
	}
	out.Empty = len(out.Atoms) == 0 || provesNothing(l, out)
	return out
}

// provesNothing reports whether a value is a single common word, or as short as two
// characters; nor does a word of the language where it is one of a list, such as "paid".
// Amounts and times are what they are.
func provesNothing(l *lexicon.Lexicon, v *Value) bool {
	if v.Role == lexicon.Amount || v.Role == lexicon.Time {
		return false
	}
	if utf8.RuneCountInString(v.Text) <= 2 {
		return true
	}
	word := strings.ToLower(v.Atoms[0])
	return len(v.Atoms) == 1 && (l.Common[word] || v.Role == lexicon.NoRole && v.Shape == words.Word1 && l.Known(word))
}

// Runs returns the sequences of words that are equal to the value.
func (v *Value) Runs() [][]string {
	if len(v.Atoms) == 0 {
		return nil
	}
	out := [][]string{v.Atoms}
	if _, bare, ok := strings.Cut(v.Atoms[0], "://"); ok && bare != "" && v.Shape == words.URL && len(v.Atoms) == 1 {
		switch v.Atoms[0][:len(v.Atoms[0])-len(bare)] { // the user may leave it out
		case "https://", "http://":
			out = append(out, []string{words.AtomKey(bare)})
		}
	}
	for _, d := range v.Days {
		out = append(out, []string{d})
	}
	return out
}

// LooseRuns are the sequences of loose words that are equal to the value, and to what
// it says once it is decoded. A number of one digit proves nothing where it stands in a text.
func (v *Value) LooseRuns() [][]string {
	if v.said == nil {
		v.said = v.readLoose()
	}
	return v.said
}

func (v *Value) readLoose() [][]string {
	out := [][]string{}
	if n, ok := words.Number(v.Text); ok && len(n) == 1 {
		return out
	}
	if len(v.Loose) > 0 {
		out = append(out, v.Loose)
	}
	for _, d := range v.Days {
		out = append(out, []string{d})
	}
	for _, d := range words.Decode(v.Text) {
		if ws := words.Keys(words.Loose(d.Text)); len(ws) > 0 && !strings.EqualFold(d.Text, v.Text) {
			out = append(out, ws)
		}
	}
	return out
}

// InAddress reports whether a value of one plain word stands in a text as a part of a path
// alone, as "notes" does in example.com/notes.
func (v *Value) InAddress(text string, offset int) bool {
	return v.Shape == words.Word1 && offset > 0 && offset+len(v.Text) <= len(text) && text[offset-1] == '/' &&
		strings.EqualFold(text[offset:offset+len(v.Text)], v.Text)
}

// Parts cuts a value into what somebody could choose by itself, each once; see [words.Apart]. What a
// Text that is passed on carries is for [View.Carries].
func (v *Value) Parts() (host string, parts []string) {
	if v.Shape == words.URL || v.Shape == words.Email || v.Shape == words.Path || v.Role == lexicon.Code {
		host, parts = words.Apart(v.Text, v.Shape, v.Role == lexicon.Code)
		return host, once(parts)
	}
	return "", v.Shaped()
}

// once leaves out what came before: a long query has few words, many times.
func once(all []string) []string {
	seen := make(map[string]bool, len(all))
	return slices.DeleteFunc(all, func(s string) bool {
		again := seen[s]
		seen[s] = true
		return again
	})
}

// Shaped lists the addresses and the like in a value of several words, or of no shape.
func (v *Value) Shaped() []string {
	if len(v.Atoms) == 0 || len(v.Atoms) == 1 && v.Shape != words.Other || v.Role == lexicon.Content {
		return nil
	}
	return words.Shaped(v.Atoms)
}

// DayKey is what a day is looked up by, in any spelling.
func DayKey(d words.Date) string { return "@" + d.Key() }
