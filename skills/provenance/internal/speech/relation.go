package speech

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// People hand a task over in any words, but the words that tie the work to a text are few:
// "by the handbook", "as noted there", "what Ann put down". So what follows looks at those and
// at what they are tied to, and not at the verb, unless it is one that reads.

// relation returns how many tokens from token i on tie the work to a source, or 0, and
// whether that counts only if the user named a source.
func (r *reader) relation(i int) (n int, loose bool) {
	w := r.keys[i]
	switch {
	case w == "as" && r.participle(i+1) && !r.me(i+2):
		return 2, true
	case r.l.Ways[w] && !r.participle(i-1) && !r.l.Determiners[r.key(i-1)]:
		return r.tied(i, r.source(i+1, 6, false)), false
	case r.l.Throughs[w] && !r.looks(i):
		if r.many(i + 1) {
			return 2, true
		}
		return r.tied(i, r.source(i+1, 12, true)), false
	case w == "way" && i > 0 && r.l.Determiners[r.keys[i-1]] || w == "as":
		end := r.source(i+1, 5, false)
		if end > 0 && r.goesOn(end) {
			return end - i, false
		}
	case r.l.Relatives[w] && r.relative(i):
		return 2, true
	case r.asked(i) && r.unknown(i):
		return r.tied(i, r.source(i+1, 6, true)), false
	}
	return 0, false
}

func (r *reader) tied(i, end int) int { return max(0, end-i) }

// key returns the word at token i, or "" if a sentence or a part of one ends before it.
func (r *reader) key(i int) string {
	if i < 0 || i >= len(r.toks) || !r.toks[i].Word {
		return ""
	}
	return r.keys[i]
}

// source returns the token behind the kind of source that token i begins to name within some
// tokens: "their open steps", "protocol P-031". Unless any will do, a kind alone names none,
// as in "by mail"; it takes a determiner, a name before it, or a number behind it. It returns 0
// if none is named.
func (r *reader) source(i, most int, any bool) int {
	if r.l.Indefinites[r.key(i)] {
		return 0 // "a list" is one that does not stand anywhere yet
	}
	named := any || r.l.Determiners[r.key(i)] || r.owned(i)
	for j := i; j < min(i+most, len(r.toks)); j++ {
		w := r.keys[j]
		if j > i && r.ends(j) || w == "," || w == "(" || w == ":" || r.l.Breaks[w] || r.me(j) {
			return 0
		}
		if r.toks[j].Word && r.kind(w) && (named || r.numbered(j+1)) && !r.kind(r.key(j+1)) {
			return r.title(j + 1)
		}
		named = named || r.owned(j)
	}
	return 0
}

// title passes a title in quotation marks that stands at token i.
func (r *reader) title(i int) int {
	if i+1 < len(r.toks) && r.quoted[i+1] && !r.toks[i].Word {
		for i++; i < len(r.toks) && r.quoted[i]; i++ {
		}
		return min(i+1, len(r.toks))
	}
	return i
}

// kind reports whether a word is one for a kind of source: one of the language, or one by
// which a tool of the session calls what it reads.
func (r *reader) kind(w string) bool {
	if w == "" {
		return false
	}
	st := r.l.Stem(w)
	return r.l.Sources[st] != 0 || r.sources[st]
}

// owned reports whether token i is a name in the possessive: "Ann's".
func (r *reader) owned(i int) bool {
	who, ok := strings.CutSuffix(strings.ReplaceAll(r.key(i), "’", "'"), "'s")
	return ok && !r.l.Common[who]
}

// numbered reports whether what stands at token i tells one of a kind from others.
func (r *reader) numbered(i int) bool {
	for j := i; j < len(r.toks) && (j == i || !r.toks[j].Spaced); j++ {
		if strings.ContainsAny(r.keys[j], "0123456789") || r.keys[j] == `"` {
			return true
		}
	}
	return false
}

// participle reports whether token i is what something has been: "noted", "written".
func (r *reader) participle(i int) bool {
	w := r.key(i)
	return len(w) > 4 && strings.HasSuffix(w, "ed") || r.l.Past[w] || r.l.Base(w) != ""
}

// me reports whether token i speaks of the user or the agent.
func (r *reader) me(i int) bool { return r.l.Selves[before(r.key(i), "'")] }

// many reports whether token i stands for all that a source says.
func (r *reader) many(i int) bool { return r.l.Anaphora[r.key(i)] || r.l.Many[r.key(i)] }

// goesOn reports whether a clause goes on at token i: with a word that says what the source does.
func (r *reader) goesOn(i int) bool {
	w := r.key(i)
	return w != "" && !r.l.Breaks[w] && !r.l.Places[w] && !r.l.Determiners[w] && !r.me(i)
}

// looks reports whether the part of a sentence before token i has a verb that reads, which
// hands nothing over: "look through the list", "tell me what she wrote".
func (r *reader) looks(i int) bool {
	for j := i - 1; j >= 0 && !r.ends(j+1) && r.keys[j] != ","; j-- {
		if r.skipped[j] || r.l.Reads[r.keys[j]] {
			return true
		}
	}
	return false
}

// relative reports whether token i begins a clause about what somebody else said, and some
// work is done to that: "get whatever Ann noted under way".
func (r *reader) relative(i int) bool {
	if r.looks(i) || r.keys[i] == "what" && (i == 0 || r.ends(i) || !r.toks[i-1].Word) {
		return false
	}
	next := before(r.key(i+1), "'")
	if next == "that" || next == "which" {
		i++
		next = before(r.key(i+1), "'")
	}
	return r.l.Anaphora[next] || r.name(i+1) && r.goesOn(i+2) || r.participle(i+1) && !r.l.Common[next]
}

// name reports whether token i begins with a capital within a sentence.
func (r *reader) name(i int) bool {
	if r.key(i) == "" || r.ends(i) || r.me(i) {
		return false
	}
	c, _ := utf8.DecodeRuneInString(r.s.Own[r.toks[i].Start:])
	return unicode.IsUpper(c)
}

// asked reports whether the user calls on the agent to do what token i says: "could you ...",
// "please ...", or a verb that opens the sentence and has an object.
func (r *reader) asked(i int) bool {
	if r.ends(i) {
		return r.l.Determiners[r.key(i+1)] || r.owned(i+1)
	}
	for n := 1; n <= 3 && i-n >= 0; n++ {
		if r.l.Calls.At(r.keys[i-n:]) == n {
			return true
		}
	}
	return false
}

// unknown reports whether token i is a word that no list of verbs has: what it asks for can
// be told only from what it is done to.
func (r *reader) unknown(i int) bool {
	w := r.key(i)
	return len(w) > 2 && !r.l.Common[before(w, "'")] && !r.l.Determiners[w] && !r.l.Reads[w] && r.l.Verbs[w] == 0 &&
		r.l.Stems[r.l.Stem(w)] == 0 && !r.l.Leads[w] && !r.l.Assent[w] && !r.kind(w)
}

// identified reports whether tokens name their source by themselves: by a number, a title,
// an address or a path.
func (r *reader) identified(from, end int) bool {
	for j := from; j < end; j++ {
		if r.quoted[j] || strings.ContainsAny(r.keys[j], "0123456789") {
			return true
		}
	}
	for _, a := range words.Atoms(r.s.Own[r.toks[from].Start:r.toks[end-1].End]) {
		if a.Shape == words.URL || a.Shape == words.Path || a.Shape == words.Email {
			return true
		}
	}
	return false
}

// before cuts a word at a mark.
func before(w, mark string) string {
	w, _, _ = strings.Cut(strings.ReplaceAll(w, "’", "'"), mark)
	return w
}
