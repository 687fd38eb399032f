package speech

import (
	"strings"
	"unicode"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
)

// People also hand a task over without a word for it: "Ellen's changes came in, can you get them into the
// listing?", "the landlord left his list, I am off". What such messages have in common is that they speak of what
// somebody put down, and ask for nothing of their own, or for all of that.

// minImplied is how many words a message needs to imply a hand-over.
const minImplied = 4

// implied reports whether a message hands the task over by what it speaks of.
func (r *reader) implied() bool {
	return r.s.Total >= minImplied && r.putDown() && !r.wonders() && (r.s.Classes == 0 && !r.bids() || r.allOfIt())
}

// bids reports whether a sentence begins with what may be a verb that no list has: "water the roses".
func (r *reader) bids() bool {
	for i := range r.toks {
		if r.ends(i) && r.asked(i) && r.unknown(i) {
			return true
		}
	}
	return false
}

// putDown reports whether a message speaks of what somebody else put down: "her corrections", "Ann wrote".
func (r *reader) putDown() bool {
	for i := range r.toks {
		if r.l.PutDown[r.key(i)] && !r.forbidden[i] && !r.quoted[i] && !r.me(i-1) && !r.me(i-2) {
			return true
		}
	}
	return false
}

// allOfIt reports whether some work is asked for on all that a message speaks of: "set everything up". Who tells or
// pays somebody leaves it as it is.
func (r *reader) allOfIt() bool {
	for i := range r.toks {
		if !r.l.AllOfIt[r.key(i)] {
			continue
		}
		verb := lexicon.Class(0)
		for j := i - 1; j >= max(0, i-4) && verb == 0; j-- {
			verb = r.l.Verbs[r.key(j)]
		}
		if verb == 0 || verb&^(lexicon.Comm|lexicon.Pay) != 0 {
			return true
		}
	}
	return false
}

// wonders reports whether a message asks to be told something, or to look at it.
func (r *reader) wonders() bool {
	for i, k := range r.keys {
		switch {
		case k == "take" && r.key(i+1) == "care", r.l.Fetches[k], r.forbidden[i]:
		case k == "?" && !r.requested(i), r.skipped[i] && k != "care",
			r.l.Reads[k] && r.leads(i) && (!r.l.Ambiguous[k] && !r.kind(k) || r.object(i+1)):
			return true
		}
	}
	return false
}

// object reports whether token i begins what a verb before it is done to: "read my note", "read me her note".
func (r *reader) object(i int) bool { return r.l.Determiners[r.key(i)] || r.owned(i) || r.me(i) }

// requested reports whether the question that ends at token i asks the agent to act: "can you ...?"
func (r *reader) requested(i int) bool {
	for j := i - 1; j >= 0; j-- {
		if n := r.l.Calls.At(r.keys[j:i]); n > 1 {
			return true
		}
		if r.ends(j) {
			return r.asksYou(j, i)
		}
	}
	return false
}

// asksYou reports whether a question of some tokens, in another language than English, has a part that asks its reader
// to act, "kannst du das machen?", and none that asks to be told something.
func (r *reader) asksYou(from, end int) bool {
	yes, asks, reads := false, false, r.l.Questions[r.key(from)]
	for i := from; i < end; i++ {
		k := r.key(i)
		switch {
		case r.l.Tell(k):
			return false
		case r.keys[i] == ",", r.keys[i] == "¿":
			yes, asks, reads = yes || asks && !reads, false, r.l.Questions[r.key(i+1)]
		case r.l.AsksYou.At(r.keys[i:end]) > 0:
			asks = true
		case !r.l.English(k) && r.l.Looks(k, true):
			reads = true
		}
	}
	return yes || asks && !reads
}

// asksOnly reports whether a message asks to be told something: it has a question that begins with a word for that, or
// any that does not ask to act, in a language of which two common words are not known.
func (r *reader) asksOnly() bool {
	known, open, from := 0, false, 0
	greek := strings.ContainsFunc(r.s.Own, func(c rune) bool { return unicode.Is(unicode.Greek, c) })
	for i, k := range r.keys {
		if r.l.Stops[k] {
			known++
		}
		if r.ends(i) {
			from = i
		}
		if k == "?" || k == "？" || greek && (k == ";" || k == "\u037e") {
			open = open || !r.asksYou(from, i)
		}
	}
	if !open {
		return false
	}
	for i, k := range r.keys {
		if r.ends(i) && r.l.Questions[k] {
			return true
		}
	}
	return known < 2
}

// regards reports whether a word of another language than English before token i, in its part of the sentence, is a
// verb that reads: "he leído lo que dice el correo". English ones are looked at where they matter, see looks.
func (r *reader) regards(i int) bool {
	for j := i - 1; j >= 0 && !r.ends(j+1); j-- {
		switch k := r.keys[j]; {
		case k == "," && j < i-1, r.joins(k):
			return false
		case !r.l.Stops[k] && !r.l.English(k) && r.l.Looks(k, true):
			return true
		}
	}
	return false
}

// questions reports whether the sentence of some tokens asks to be told something, which hands nothing over: "did I
// do all that her mail asks for?", "anything in my mail?", "go through the mail and tell me what is new".
func (r *reader) questions(from, end int) bool {
	for i := from; i+1 < end; i++ {
		if r.skipped[i] && r.l.Told[r.key(i+1)] {
			return true
		}
	}
	return end > from && r.keys[end-1] == "?" && (r.l.Questions[r.key(from)] ||
		r.key(from) == "o" && r.l.Questions[r.key(from+1)] || !r.requested(end-1) && r.unknown(from))
}
