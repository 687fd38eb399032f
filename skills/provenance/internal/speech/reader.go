package speech

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
)

// reader goes over the tokens of one message.
type reader struct {
	l         *lexicon.Lexicon
	s         *Speech
	sources   map[string]bool // stems of more kinds of source
	toks      []lexicon.Token
	keys      []string
	forbidden []bool // stands in a prohibition
	quoted    []bool // stands in a quotation
	skipped   []bool // asks for words alone: "tell me"
	counts    map[lexicon.Class]int
}

// ends reports whether a sentence ends before token i.
func (r *reader) ends(i int) bool {
	if i == 0 || i >= len(r.toks) {
		return true
	}
	switch r.keys[i-1] {
	case ".", "!", "?", ";":
		return r.toks[i].Spaced
	}
	return r.toks[i].Line && r.toks[i].Start > 1 && strings.Contains(r.s.Own[r.toks[i-1].End:r.toks[i].Start], "\n\n")
}

// mark finds quotations, prohibitions and what asks for words alone.
func (r *reader) mark() {
	n := len(r.toks)
	r.forbidden, r.quoted, r.skipped = make([]bool, n), make([]bool, n), make([]bool, n)
	quote := ""
	for i := range r.toks {
		t := r.toks[i]
		switch {
		case quote != "" && t.Key == quote:
			quote = ""
		case quote == "" && r.closes(i) != "":
			quote = r.closes(i)
		default:
			r.quoted[i] = quote != "" && t.Word
		}
	}
	for i := 0; i < n; i++ {
		if r.quoted[i] {
			continue
		}
		for j := range r.l.NotAsked.At(r.keys[i:]) {
			r.skipped[i+j] = true
		}
		if k := r.l.NotProhibitions.At(r.keys[i:]); k > 0 {
			i += k - 1
			continue
		}
		if r.l.Prohibitions.At(r.keys[i:]) > 0 {
			i = r.forbid(i)
		}
	}
}

// closes returns the mark that ends the quotation which token i opens, or "".
func (r *reader) closes(i int) string {
	mark := r.keys[i]
	if mark != `"` && mark != "'" || !r.toks[i].Spaced && i > 0 {
		return ""
	}
	for j := i + 1; j < len(r.toks) && j < i+40; j++ {
		if r.keys[j] == mark && (j+1 == len(r.toks) || r.toks[j+1].Spaced || !r.toks[j+1].Word) {
			return mark
		}
	}
	return ""
}

// forbid marks the prohibition that starts at token i up to its end, and returns the
// last token of it.
func (r *reader) forbid(i int) int {
	j := i
	for ; j < len(r.toks); j++ {
		if j > i && (r.ends(j) || r.l.ProhibitionEnds[r.keys[j]] ||
			r.keys[j-1] == "," && (r.l.Acts(r.keys[j]) || r.l.Leads[r.keys[j]] || r.keys[j] == "so" && r.asks(j+1))) {
			break
		}
		r.forbidden[j] = true
	}
	return j - 1
}

// asks reports whether what is asked for begins at token i: "so mail ann", "so please mail ann",
// "so whatever she wants, do it".
func (r *reader) asks(i int) bool {
	k := r.key(i)
	return r.l.Acts(k) || r.l.Directives[k] || k == "whatever" || i < len(r.keys) && r.l.Calls.At(r.keys[i:]) > 0
}

// verbs finds what the message asks for by its verbs: outside quotations and
// prohibitions, not after a determiner.
func (r *reader) verbs() {
	r.counts = map[lexicon.Class]int{}
	for i, t := range r.toks {
		if !t.Word || r.forbidden[i] || r.quoted[i] || r.skipped[i] || r.compound(i) {
			continue
		}
		w, prev := t.Key, ""
		if i > 0 {
			prev = r.keys[i-1]
		}
		class := r.verb(i, w, prev)
		switch {
		case class != 0 && (!r.l.Determiners[prev] || w == "let") && (!r.l.Ambiguous[w] || r.leads(i)):
			r.s.Classes |= class
			r.s.Verbs[w] = true
			r.ask(i, class)
		case r.l.VerbNouns[w] != 0:
			r.s.Classes |= r.l.VerbNouns[w] &^ r.came(i)
		case r.l.VerbNouns[strings.TrimRight(w, "s")] != 0:
			r.s.Classes |= r.l.VerbNouns[strings.TrimRight(w, "s")] &^ r.came(i)
		}
	}
	for c, n := range r.counts {
		if n == 1 {
			r.s.Single |= c
		}
	}
}

// compound reports whether token i is the first part of a compound, which names a thing: "the clean-up project".
func (r *reader) compound(i int) bool {
	return r.key(i+2) != "" && r.keys[i+1] == "-" && !r.toks[i+1].Spaced && !r.toks[i+2].Spaced && !r.leads(i)
}

// came returns what the noun at token i does not ask for: a message that somebody sent asks for none.
func (r *reader) came(i int) lexicon.Class {
	for j := i - 1; j >= 0 && !r.ends(j+1); j-- {
		if r.l.Past[r.keys[j]] || in(r.keys[j], "got received") {
			return lexicon.Comm
		}
	}
	return 0
}

// leads reports whether token i stands where a verb begins what is asked for.
func (r *reader) leads(i int) bool {
	return i == 0 || !r.toks[i-1].Word || r.l.Leads[r.keys[i-1]]
}

// verb returns the classes of the verb that token i is.
func (r *reader) verb(i int, w, prev string) lexicon.Class {
	if c := r.l.Verbs[w]; c != 0 {
		return c
	}
	if again, ok := strings.CutPrefix(w, "re"); ok && r.l.Verbs[again] != 0 {
		return r.l.Verbs[again]
	}
	if r.l.Past[w] {
		return 0
	}
	class := r.l.Stems[r.l.Stem(w)]
	switch {
	case class == 0:
	case strings.HasSuffix(w, "ed"):
		for j := max(0, i-3); j < i; j++ {
			if r.l.Helpers[r.keys[j]] {
				return class
			}
		}
		return 0
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		return 0
	case strings.HasSuffix(w, "ing") && r.l.Determiners[prev]:
		return 0
	}
	return class
}

// ask counts how often a class is asked for: once for a verb with one object, twice if
// its sentence names several.
func (r *reader) ask(i int, class lexicon.Class) {
	n := 1
	for j := i + 1; j < min(len(r.toks), i+200) && !r.ends(j); j++ {
		w := r.keys[j]
		if r.l.Many[w] || w == "," || r.toks[j].Word && strings.HasSuffix(w, "s") && r.l.Groups[r.l.Stem(w)] != 0 {
			n = 2
			break
		}
	}
	for c := lexicon.Comm; c <= lexicon.Run; c <<= 1 {
		if class&c != 0 {
			r.counts[c] += n
		}
	}
}

// idioms finds what the message asks for by several words together.
func (r *reader) idioms() {
	var ws []string
	for i, t := range r.toks {
		switch {
		case r.forbidden[i] || r.quoted[i] || r.skipped[i]:
			ws = append(ws, "")
		case t.Word:
			ws = append(ws, t.Key)
		case r.ends(i + 1):
			ws = append(ws, ".", ".", ".", ".", ".", ".", ".", ".") // no idiom reaches over a sentence's end
		}
	}
	for k := range r.l.Idioms {
		if i, _ := r.l.Idioms[k].Find(ws); i >= 0 {
			r.s.Classes |= r.l.Idioms[k].Class
		}
	}
}

// delegations finds the sentences that hand the task to a source.
func (r *reader) delegations() {
	for i := 0; i < len(r.toks); i++ {
		if r.forbidden[i] || r.quoted[i] || !r.toks[i].Word ||
			i > 0 && r.keys[i-1] == "-" && !r.toks[i].Spaced {
			continue
		}
		n, loose := r.l.Delegations.At(r.keys[i:]), false
		if n == 0 {
			n, loose = r.l.HandOvers.At(r.keys[i:]), true
		}
		if loose && r.key(i+1) == "care" && !r.ends(i) && !r.asked(i) && !in(r.keys[i-1], "you and then just so ,") {
			continue // "I'll take care of it", "remind Ann to take care of it"
		}
		related := n == 0
		if related {
			n, loose = r.relation(i)
		}
		if n == 0 || r.l.NotDelegations.At(r.keys[i:]) > 0 || r.crosses(i, i+n) || r.regards(i) {
			continue
		}
		end := i + n
		for end < len(r.toks) && !r.ends(end) {
			end++
		}
		from := i
		for from > 0 && !r.ends(from) {
			from--
		}
		if r.questions(from, end) {
			i = end - 1
			continue
		}
		d := Delegation{Sentence: r.s.Own[r.toks[from].Start:r.toks[end-1].End]}
		d.Loose, d.Manner = loose, r.l.Manners[r.keys[i]]
		d.Back = related && !r.identified(from, end)
		for j := from; j < end; j++ {
			d.Back = d.Back || r.l.Anaphora[r.keys[j]]
			d.Kinds |= r.l.Sources[r.l.Stem(r.keys[j])]
			w := r.keys[j]
			d.Classes |= r.l.VerbNouns[w]
			if !r.l.Ambiguous[w] || r.leads(j) {
				d.Classes |= r.l.Verbs[w]
			}
		}
		r.s.Delegations = append(r.s.Delegations, d)
		i = end - 1
	}
	if len(r.s.Delegations) == 0 && r.implied() {
		r.s.Delegations = r.s.guessed()
	}
}

// crosses reports whether a sentence ends between two tokens.
func (r *reader) crosses(from, to int) bool {
	for i := from + 1; i < to; i++ {
		if r.ends(i) {
			return true
		}
	}
	return false
}
