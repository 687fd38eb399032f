package provenance

import (
	"slices"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
	"github.com/opencortex-go/cortex/skills/provenance/internal/runs"
	"github.com/opencortex-go/cortex/skills/provenance/internal/said"
	"github.com/opencortex-go/cortex/skills/provenance/internal/speech"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// talk is what the user's messages ask for: the newest one that asks for an action, and
// what follows it.
type talk struct {
	heard    bool // there was a message
	speeches []*speech.Speech
	assented Class // named in a reply that the user said yes to
	reply    Class // named in the newest reply
	used     Class // requests for one thing that a call has done
	handed   []handed
}

// handed is a sentence that hands the task to a source.
type handed struct {
	speech.Delegation
	voice *voice
	whole bool // the sentence is the whole message, or means a source that was named before
	exact bool // it names its source by an address: no other will do
}

// User enters a message of the user.
func (x *Index) User(ref Ref, m Message) {
	x.talk.heard = true
	if x.user.Bytes+len(m.Text) > x.lim.Words {
		x.lost.words = true
		x.quote(ref, m.Text, m.Sources, true, false)
		return
	}
	s := speech.Read(x.lex.words, x.kindsRead, m.Text)
	x.named = s.Settle(x.lex.words, x.kindsRead, x.named)
	s.Guess(slices.ContainsFunc(x.talk.speeches, (*speech.Speech).Asks))
	x.quote(ref, "", sourcesOf(s, m), !s.Foreign, len(s.Delegations) > 0)
	if s.Foreign {
		return
	}
	x.user.Hear(uint64(ref), s)
	x.pointers = &voice{heard: x.user, seen: map[int32]pointing{}}
	x.hints = &voice{heard: x.user, seen: map[int32]pointing{}, hints: true}
	x.guess = &voice{heard: x.user, seen: map[int32]pointing{}, hints: true, guess: true}
	switch {
	case s.Assents:
		x.talk.assented |= x.talk.reply
	case s.Asks() && !s.Answers:
		earlier := x.talk.handed // a hand-over stands while the user adds to it, until another one
		if x.talk = (talk{heard: true, speeches: []*speech.Speech{s}}); len(s.Delegations) == 0 {
			x.talk.handed = earlier
		}
	default:
		x.talk.speeches = append(x.talk.speeches, s)
	}
	x.hand(ref, s)
}

func sourcesOf(s *speech.Speech, m Message) []Source {
	out := slices.Clone(m.Sources)
	for _, t := range s.Sources {
		out = append(out, Source{Text: t})
	}
	return out
}

// quote enters texts of others that stood in a message.
func (x *Index) quote(ref Ref, text string, all []Source, pointed, handed bool) {
	if text != "" {
		all = append([]Source{{Text: text}}, all...)
	}
	for _, s := range all {
		x.sources = append(x.sources, source{ref: ref, name: s.Name, message: pointed, handed: handed})
		x.enter(int32(len(x.sources)-1), fields.Split(s.Text))
	}
}

// hand makes a voice of each sentence that hands the task over.
func (x *Index) hand(ref Ref, s *speech.Speech) {
	for _, d := range s.Delegations {
		part := speech.Part(x.lex.words, d.Sentence)
		h := said.NewWords(x.lex.words, runs.NewDict())
		h.Hear(uint64(ref), part)
		x.talk.handed = append(x.talk.handed, handed{
			Delegation: d, voice: &voice{heard: h, seen: map[int32]pointing{}, hints: true},
			whole: d.Back || len(d.Sentence)+2 >= len(s.Own),
			exact: len(h.Shapes[words.Email])+len(h.Shapes[words.URL]) > 0,
		})
	}
}

// Reply enters what the agent said to the user. It gives no origin; a bare yes that
// follows assents to it.
func (x *Index) Reply(_ Ref, text string) {
	x.talk.reply = speech.Part(x.lex.words, text).Classes
}

// spend notes a call that did what the user asked for, where that was one thing.
func (x *Index) spend(t *Tool) {
	if t == nil {
		return
	}
	if fit, matched := x.fit(t); fit == 2 {
		single := lexicon.Class(0)
		for _, s := range x.talk.speeches {
			single |= s.Single
		}
		x.talk.used |= matched & single
	}
}

// Fit says how well the action fits what the user asked for: 2 if class and noun stand
// in the user's words, 1 if the class does, 0.5 if the noun does, 0 if neither. Below 1 it is
// unknown where it cannot be told what the user asks for; and it is without words of the user.
func (w *View) Fit() (float64, error) {
	x := w.x
	switch {
	case !x.talk.heard:
		return 0, Unknown{"the session holds no words of the user"}
	case x.lost.words:
		return 0, Unknown{"some of the user's words were too long to keep"}
	case w.a.Tool == nil:
		return 0, Unknown{"the tool is not declared"}
	}
	fit, matched := x.fit(w.a.Tool)
	if fit < 1 && x.unread() {
		return 0, Unknown{"the user's words do not say what is to be done, or are of a language without a lexicon"}
	}
	if fit == 2 && matched != 0 && matched&^x.talk.used == 0 {
		fit = 1 // the request named one thing, and a call did it
	}
	return fit, nil
}

// unread reports whether it cannot be told what the user asks for.
func (x *Index) unread() bool {
	return slices.ContainsFunc(x.talk.speeches, func(s *speech.Speech) bool { return s.Unread })
}

// fit returns how a tool fits the talk, and the classes by which.
func (x *Index) fit(t *Tool) (float64, Class) {
	l := x.lex.words
	var asked Class
	class, noun, acts := false, false, x.talk.assented != 0
	for _, s := range x.talk.speeches {
		asked |= s.Classes
		acts = acts || s.Asks()
		class = class || s.Verbs[t.Verb] ||
			t.Verb != "" && !l.Ambiguous[t.Verb] && (s.Words[t.Verb] || s.Words[t.Verb+"ing"])
	}
	for _, n := range t.Nouns {
		for _, s := range x.talk.speeches {
			noun = noun || s.Has(l, l.Stem(n))
		}
	}
	noun = noun || len(t.Nouns) == 0
	matched := t.Classes & asked
	switch {
	case (class || matched != 0) && noun:
		return 2, matched
	case class || matched != 0 || t.Classes&x.talk.assented != 0:
		return 1, matched
	case noun && len(t.Nouns) > 0 && acts:
		return 0.5, 0
	}
	return 0, 0
}
