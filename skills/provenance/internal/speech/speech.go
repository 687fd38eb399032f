package speech

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// Speech is what one message says.
type Speech struct {
	Own     string   // the user's own words, folded by NFKC, without the texts of others
	Sources []string // the texts of others in it
	Foreign bool     // nothing in it is the user's own

	Atoms     []words.Word
	Forbidden []bool // by atom: it stands in a prohibition

	Classes lexicon.Class   // that it asks for
	Verbs   map[string]bool // by which
	Single  lexicon.Class   // the classes of which it asks for one thing alone
	Words   map[string]bool // its words in small letters, without quotations and prohibitions
	Stems   map[string]bool
	Groups  uint64 // of things that it names

	Assents      bool // it says yes and nothing else
	Answers      bool // it begins with a yes, and goes on with what was asked before
	Delegations  []Delegation
	Known, Total int  // words of the language, and words
	Plain        int  // of these, words that every sentence has: "the", "of"
	Unread       bool // its words are of no language that is known
	Plainly      bool // ... but for the verb that it begins with, of reading or paying
	Wonders      bool // it has a question, in a language of which it cannot be told what it asks for
	Terse        bool // it is a few words, of which none says what to do
}

// Delegation is a sentence that hands the task to a source.
type Delegation struct {
	Sentence string
	Classes  lexicon.Class // that its own verbs ask for
	Kinds    lexicon.Class // that the kinds of source in it may ask for
	Manner   bool          // the source says how: "book it as the note says"
	Loose    bool          // it does so only if the user named a source: "get all of it done"
	Back     bool          // it means a source that was named before: "do what he asks"
	Guessed  bool          // it has no words for that, or none that can be read
}

// Asks reports whether a message asks for an action.
func (s *Speech) Asks() bool { return s.Classes != 0 || len(s.Delegations) > 0 }

// Settle leaves out the loose delegations if neither this message nor an earlier one named a
// source. It returns whether one did.
func (s *Speech) Settle(l *lexicon.Lexicon, sources map[string]bool, named bool) bool {
	for st := range s.Stems {
		named = named || l.Sources[st] != 0 || sources[st]
	}
	for _, a := range s.Atoms {
		named = named || a.Shape == words.URL || a.Shape == words.Path
	}
	if !named {
		s.Delegations = slices.DeleteFunc(s.Delegations, func(d Delegation) bool { return d.Loose })
	}
	return named
}

// Read reads a message. Sources are the stems of more words for kinds of source than the
// lexicon has: those by which the tools of a session call what they read.
func Read(l *lexicon.Lexicon, sources map[string]bool, text string) *Speech {
	s := &Speech{}
	var mine string
	mine, s.Sources, s.Foreign = own(l, text)
	s.Own = words.NFKC(mine)
	s.fill(l, sources)
	return s
}

// Part reads a sentence of a message.
func Part(l *lexicon.Lexicon, sentence string) *Speech {
	s := &Speech{Own: sentence}
	s.fill(l, nil)
	return s
}

func (s *Speech) fill(l *lexicon.Lexicon, sources map[string]bool) {
	s.Verbs, s.Words, s.Stems = map[string]bool{}, map[string]bool{}, map[string]bool{}
	s.Atoms = words.Atoms(s.Own)
	r := reader{l: l, s: s, sources: sources, toks: l.Tokens(s.Own)}
	r.keys = make([]string, len(r.toks))
	for i, t := range r.toks {
		r.keys[i] = t.Key
		if !t.Word {
			continue
		}
		st := l.Stem(t.Key)
		s.Stems[st] = true
		s.Groups |= l.Groups[st]
	}
	r.mark()
	for i, t := range r.toks {
		if t.Word && !r.forbidden[i] && !r.quoted[i] && !r.skipped[i] {
			s.Words[t.Key] = true
		}
	}
	r.verbs()
	r.idioms()
	r.count()
	r.delegations()
	s.Assents = s.Classes&^lexicon.Grant == 0 && r.assents()
	s.Answers = len(r.toks) > 0 && l.Yes[r.toks[0].Key]
	r.read()
	s.Forbidden = make([]bool, len(s.Atoms))
	for i, j := 0, 0; i < len(s.Atoms); i++ {
		for j < len(r.toks) && r.toks[j].End <= s.Atoms[i].Start {
			j++
		}
		s.Forbidden[i] = j < len(r.toks) && r.forbidden[j]
	}
}

// Has reports whether a message names the kind of thing that a stem stands for.
func (s *Speech) Has(l *lexicon.Lexicon, stem string) bool {
	return s.Stems[stem] || s.Groups&l.Groups[stem] != 0
}

// count counts the words of the language among those that could be.
func (r *reader) count() {
	for i, t := range r.toks {
		if !t.Word || r.quoted[i] || strings.ContainsAny(t.Key, "0123456789_") {
			continue
		}
		if i > 0 && !t.Spaced && (r.keys[i-1] == "@" || r.keys[i-1] == "." || r.keys[i-1] == "/") {
			continue
		}
		r.s.Total++
		if r.l.Known(t.Key) || r.l.Common[t.Key] {
			r.s.Known++
		}
		if r.l.Common[t.Key] {
			r.s.Plain++
		}
	}
}

// maxTerse is how many words a message may have of which none says what to do: "order, table 5".
const maxTerse = 12

// read finds out whether it can be told what a message asks for. Of one in a language that the
// lexicon lacks, under half of the words are known, and under a fifth are words that every sentence
// has.
func (r *reader) read() {
	s := r.s
	if s.Assents || s.Answers || s.Total == 0 {
		return
	}
	s.Unread = s.Total >= 3 && 2*s.Known < s.Total && 5*s.Plain < s.Total
	s.Plainly, s.Wonders = r.plainly(), r.asksOnly()
	named := s.Known < s.Total || strings.ContainsAny(s.Own, "0123456789") // "Hello." names nothing
	s.Terse = len(r.toks) > 2 && named && s.Total <= maxTerse && !s.Asks() && !r.speaks()
}

// plainly reports whether a message of another language begins with a verb of paying, or with one of reading
// and no other behind "and".
func (r *reader) plainly() bool {
	first := r.key(0)
	if r.l.Does(first, true)&lexicon.Pay != 0 {
		return true
	}
	return (r.l.Looks(first, true) || r.regards(min(3, len(r.toks)))) && !slices.ContainsFunc(r.keys, r.joins)
}

// joins reports whether a word is an "and" of another language.
func (r *reader) joins(w string) bool {
	return in(w, "und et y e en i a och og és ve và dan и та")
}

func in(word, list string) bool { return slices.Contains(strings.Fields(list), word) }

// speaks reports whether a message asks something, has a word that is a verb in any form, and no noun,
// or an article, as sentences have: "refactor the parser".
func (r *reader) speaks() bool {
	for i, k := range r.keys {
		verb := r.l.Directives[k] || r.l.Stems[r.l.Stem(k)] != 0 && !r.l.Ambiguous[k] || r.l.Determiners[k] && r.l.Common[k]
		if k == "?" || r.skipped[i] || r.l.Reads[k] || verb {
			return true
		}
	}
	return false
}

// minUnread is how many words a message needs that follows a request, for it to be another one that
// cannot be read: what is shorter answers a question, or names a thing.
const minUnread = 6

// Guess settles whether it can be told what a message asks for, given whether an earlier one asked
// for something. One that cannot be told, and asks no question, hands the task to all that it points at.
func (s *Speech) Guess(asked bool) {
	s.Unread = s.Unread && (!asked || s.Total >= minUnread) || s.Terse && !asked
	if s.Unread && !s.Plainly && len(s.Delegations) == 0 && !s.Wonders {
		s.Delegations = s.guessed()
	}
}

// guessed is the delegation of a whole message that has no words for it.
func (s *Speech) guessed() []Delegation {
	return []Delegation{{Sentence: strings.TrimSpace(s.Own), Classes: s.Classes, Guessed: true}}
}

// assents reports whether a short message says yes and nothing else.
func (r *reader) assents() bool {
	n := 0
	for _, t := range r.toks {
		if t.Word {
			if !r.l.Assent[t.Key] {
				return false
			}
			n++
		}
	}
	return n > 0 && n <= 8
}
