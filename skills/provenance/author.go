package provenance

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
)

// authored reports whether a voice names who wrote a record in a list, such as a note or a
// comment: "do what Tilda wrote". The name must fit one author of the source alone.
func (x *Index) authored(v *voice, n, record int32) bool {
	s := &x.sources[n]
	wrote, who := false, ""
	for i := s.first; i < s.end; i++ {
		f := &x.fields[i]
		if !s.nested[f.record] || f.kind == fields.Text || !f.key.Authors || !x.authorSaid(v, f.text) {
			continue
		}
		if who != "" && !strings.EqualFold(who, f.text) {
			return false
		}
		who, wrote = f.text, wrote || f.record == record
	}
	return wrote
}

// authorSaid reports whether a voice has a part of a person's name, login or address, other
// than a word of the language.
func (x *Index) authorSaid(v *voice, name string) bool {
	local, _, _ := strings.Cut(strings.ToLower(name), "@")
	parts := strings.FieldsFunc(local, func(r rune) bool { return strings.ContainsRune(" ._-+", r) })
	return len(parts) <= 3 && slices.ContainsFunc(parts, func(part string) bool {
		found, _ := v.heard.Loose.Has([]string{part})
		return found && len(part) > 2 && !x.lex.words.Common[part] &&
			!x.lex.words.Known(part) && !x.lex.words.Known(x.lex.words.Stem(part))
	})
}
