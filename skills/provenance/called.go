package provenance

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
	"github.com/opencortex-go/cortex/skills/provenance/internal/zones"
)

// called reports whether a source goes by a word that a voice has: in the name by which the agent opened it,
// "zettel.jpg" for what stands on the Zettel, unless a text told the agent to open that; or in who signed it.
func (x *Index) called(v *voice, n int32) bool {
	s := &x.sources[n]
	if s.tool == nil || !s.tool.Read || s.found {
		return false
	}
	for _, a := range s.args {
		first, _, path := strings.Cut(a, "/")
		site := path && strings.ContainsAny(first, ".:") || words.ShapeOf(a) == words.Email
		if !site && len(a) < 80 && !x.ordered(n, a) &&
			slices.ContainsFunc(words.Runs(a), func(p string) bool { return x.tells(p) && v.heard.Kin(p) }) {
			return true
		}
	}
	if s.end == s.first {
		return false
	}
	// Where the user gave an address, a head that fits the words says nothing.
	given := len(v.heard.Shapes[words.URL])+len(v.heard.Shapes[words.Email]) > 0
	return x.lex.words.Letters(s.name) && x.signed(v, x.fields[s.first].text) || !given && !x.outside(s) && x.headed(v, s)
}

// headed reports whether the first line of a text, or the one above a table, has two words of a voice's that tell it
// from others, and orders nothing.
func (x *Index) headed(v *voice, s *source) (yes bool) {
	for i := s.first; i < s.end; i++ {
		if f := &x.fields[i]; f.record == 0 && f.kind == fields.Text { // what stands above a table is the last
			head, _, _ := strings.Cut(f.text, "\n")
			yes = x.zonesIn(i).At(0) == zones.Prose && x.hints1(v, head[:min(len(head), 120)]) > 1
		}
	}
	return yes
}

// ordered reports whether an argument stands in a text before source n that tells its reader to act.
func (x *Index) ordered(n int32, arg string) bool {
	return x.stands(words.Keys(words.Loose(arg)), zones.Plain, func(h hit) bool { return x.fields[h.field].source < n })
}

// signed reports whether the head of a text names a sender whom a voice names, by the address if there is one.
func (x *Index) signed(v *voice, text string) bool {
	from := fields.Sender(text, x.lex.words.IsAuthor)
	if strings.ContainsAny(from, "<@") {
		// Name <address>, and no second address in either; net/mail would link net, which judging must not.
		if name, in, bracket := strings.Cut(from, "<"); bracket && !strings.Contains(name, "@") {
			from = strings.TrimSuffix(in, ">")
		}
		if words.ShapeOf(from) != words.Email {
			return false
		}
	}
	return from != "" && x.authorSaid(v, from)
}
