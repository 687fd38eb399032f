package lexicon

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// Begins says which patterns and lists a word may begin, so that most words of a text
// need no look into them.
type Begins uint16

// What a word may begin.
const (
	InCalls Begins = 1 << iota
	InModals
	InPassives
	InSubordinators
	InFillers
	InAlien
	InAlienWeak
	IsCommand // see [Lexicon.Commands]
	IsJoin    // a comma or a word that joins verbs
)

// begins returns what a key may begin.
func (l *Lexicon) begins(key string) (b Begins) {
	for i, p := range []*Patterns{&l.Calls, &l.Modals, &l.Passives, &l.Subordinators, &l.Fillers, &l.Alien, &l.AlienWeak} {
		if p.mayBegin(key) {
			b |= 1 << i
		}
	}
	if l.Commands(key) {
		b |= IsCommand
	}
	switch key {
	case ",", "and", "then", "or":
		b |= IsJoin
	}
	return b
}

// Reader cuts texts into tokens, and says what each may begin. It remembers the words that
// it met lately: a text of common words then costs one look at each. What it gives is valid
// until the next text.
type Reader struct {
	l      *Lexicon
	lately []*Lexeme
	toks   []Token
}

// Lexeme is what the language knows of one word or mark, as it stands in a text.
type Lexeme struct {
	text   string
	Key    string // the word in small letters with look-alikes folded, or the mark
	Stem   string
	Begins Begins
	Verbs  Class // of a verb in its base form
	Nouns  Class // of a noun that stands for a verb
}

// Keys appends the keys of the tokens from one to before another.
func (r *Reader) Keys(out []string, from, to int) []string {
	for i := range r.toks[from:to] {
		out = append(out, r.toks[from+i].Key)
	}
	return out
}

// Words appends the keys of up to most words from a token on.
func (r *Reader) Words(out []string, from, most int) []string {
	for i := from; i < len(r.toks) && most > 0; i++ {
		if r.toks[i].Word {
			out = append(out, r.toks[i].Key)
			most--
		}
	}
	return out
}

// lately is how many words a reader remembers; longer ones than longWord are none of them.
const (
	lately   = 1 << 12
	longWord = 32
)

// Reader returns one that is not in use. [Reader.Close] gives it back.
func (l *Lexicon) Reader() *Reader {
	if r, ok := l.readers.Get().(*Reader); ok {
		return r
	}
	return &Reader{l: l, lately: make([]*Lexeme, lately)}
}

// Close gives a reader back.
func (r *Reader) Close() { r.l.readers.Put(r) }

// know returns what is known of a word or mark, whose sum is given.
func (r *Reader) know(text string, sum uint64) *Lexeme {
	if len(text) > longWord {
		return r.learn(text)
	}
	k := &r.lately[sum%lately]
	if *k == nil || (*k).text != text {
		*k = r.learn(strings.Clone(text))
	}
	return *k
}

func (r *Reader) learn(text string) *Lexeme {
	key := words.Skeleton(text)
	return &Lexeme{text, key, r.l.Stem(key), r.l.begins(key), r.l.Verbs[key], r.l.VerbNouns[key]}
}
