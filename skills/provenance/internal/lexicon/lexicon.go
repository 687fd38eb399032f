package lexicon

import (
	"slices"
	"strings"
	"sync"

	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// Set is a set of words.
type Set map[string]bool

// Lexicon is the words and patterns of one or more languages. It does not change.
type Lexicon struct {
	Verbs     map[string]Class // by the word as it stands
	Stems     map[string]Class // by its stem
	VerbNouns map[string]Class
	Idioms    []Idiom
	NotAsked  Patterns
	Reads     Set
	Groups    map[string]uint64 // the groups of things that a stem belongs to, as bits

	Determiners, Ambiguous, Leads, Past, Helpers, Many Set

	Assent, Yes     Set
	Prohibitions    Patterns
	NotProhibitions Patterns
	ProhibitionEnds Set

	Fillers, Calls, Modals, Passives, Subordinators   Patterns
	AsksYou                                           Patterns // "kannst", "kan du", but not "kan han"
	Asides, Directives, NotDirectives, Soft, NotAfter Set
	Participles                                       map[string]string
	Alien, AlienWeak                                  Patterns
	AlienMarks                                        []string
	Tags                                              Set
	Turns                                             Set // verbs of tools that show the next page
	Delegations, HandOvers, NotDelegations            Patterns
	// for a source named before; before one that says how; headings of others
	Anaphora, Manners, Others Set
	// in a label, they tell that the sentence behind it is somebody else's, with a word that says whose
	Adders, Whose Set
	// what somebody put down for others to do, and that they did; all of it; how one asks to be told;
	// verbs that read, and tell where something is or what is to be done with it: "see her mail"
	PutDown, AllOfIt, Questions, Told, Fetches, Tells Set
	// what ties work to a source: "by the list", "through the list", "what she lists"; what
	// begins the name of none; what ends the name of one; what is no verb; who is none
	Ways, Throughs, Relatives, Indefinites, Breaks, Places, Selves Set
	Sources                                                        map[string]Class // by the stem of the source's kind
	Forwarded, HostMarks                                           []string         // in small letters
	Headers                                                        Set
	Months                                                         map[string]int
	Roles                                                          map[string]Role
	AlwaysPrincipal, NounFirst, VerbFirst, ReadNouns               Set
	Prefixes, NotNouns, Money, People, Rights                      Set
	Accounts                                                       Set // words for arguments by which money finds its way
	TextKeys, Authors, Common                                      Set
	Cases                                                          Set // what is closed when it is done, and stays
	Receivers                                                      Set // arguments for who is given something
	Outsiders                                                      Set // what people elsewhere write
	Searches                                                       Set // tools and arguments that find by words
	Sides                                                          Set // keys under which anybody may add something
	Links                                                          Set // what says which thing: "of", "that"
	Stops                                                          Set // common words of other languages
	// What the names and descriptions of tools say beside: verbs, those that read, and what tells
	// of costs. A word that ends with * is how words of other languages begin.
	ToolVerbs                                                     map[string]Class
	ToolReads, Costs, Secures, Secrets, Entitles, Sellers, Prices Set
	ToolNouns                                                     Set // verbs of tools that are nouns as often

	known   Set
	endings [][2]string
	groups  int
	texts   map[string]uint64 // the kinds of texts that a word names, or that words which begin so do: "notiz*"
	kinds   int
	readers sync.Pool // of *Reader
}

// Idiom is words that ask for a class together.
type Idiom struct {
	Class Class
	Patterns
}

// Known reports whether a word in small letters is one of the language.
func (l *Lexicon) Known(word string) bool {
	return l.known[word] || l.Verbs[word] != 0 || l.Reads[word] || l.Stems[l.Stem(word)] != 0 ||
		l.Groups[l.Stem(word)] != 0
}

// English reports whether a word is one of the commonest of English: verbs of other languages are none of them.
func (l *Lexicon) English(word string) bool { return l.known[word] || l.Common[word] }

// Plain reports whether a text is of words of the language alone, which tell nothing from others.
func (l *Lexicon) Plain(text string) bool {
	return !slices.ContainsFunc(words.Loose(text), func(w words.Word) bool { return !l.Known(w.Key) && !l.Common[w.Key] })
}

// Acts reports whether a word in small letters is a verb in its base form.
func (l *Lexicon) Acts(word string) bool { return l.Verbs[word] != 0 || l.Reads[word] }

// Does returns what a tool does by a word of its name or description: 0 without a verb of an
// effect. Foreign says that the word may be of another language than English.
func (l *Lexicon) Does(word string, foreign bool) Class {
	c := l.Verbs[word]
	if c == 0 {
		c = l.ToolVerbs[word]
	}
	for n := min(len(word), longestBeginning); foreign && c == 0 && n >= shortestBeginning; n-- {
		c = l.ToolVerbs[word[:n]+"*"]
	}
	return c
}

// Looks reports whether a tool reads by such a word.
func (l *Lexicon) Looks(word string, foreign bool) bool {
	return l.Reads[word] || l.ToolReads[word] || foreign && l.ToolReads.Has(word)
}

// Tell reports whether a word of another language says that somebody wants to be told or shown something, and no more
// than that: "erklären", "leérmelos", "m'expliquer".
func (l *Lexicon) Tell(word string) bool {
	word = word[strings.LastIndexAny(word, "'’")+1:]
	return l.Tells.Has(word)
}

// Has reports whether a set has a word, or the beginning of it, as "notiz*".
func (s Set) Has(word string) bool {
	yes := s[word]
	for n := min(len(word), longestBeginning); !yes && n >= shortestBeginning; n-- {
		yes = s[word[:n]+"*"]
	}
	return yes
}

// Texts returns the kinds of texts that a word names, as bits: "note", "Notizbuch" and "defterine" share one.
func (l *Lexicon) Texts(word string) uint64 {
	bits := l.texts[word]
	for n := min(len(word), longestBeginning); bits == 0 && n >= shortestBeginning; n-- {
		bits = l.texts[word[:n]+"*"]
	}
	return bits
}

// How many bytes the beginning of a word has: no word, however long, is cut into all of its beginnings.
const shortestBeginning, longestBeginning = 3, 32

// Commands reports whether a word can begin a sentence that tells the reader to act.
func (l *Lexicon) Commands(word string) bool {
	return (l.Verbs[word] != 0 || l.Directives[word]) && !l.NotDirectives[word]
}

// Stem leaves the ending off a word in small letters.
func (l *Lexicon) Stem(w string) string {
	for _, e := range l.endings {
		base, ok := strings.CutSuffix(w, e[0])
		if ok && len(base) >= 3 && !(e[0] == "s" && strings.HasSuffix(w, "ss")) {
			w = base + e[1]
			break
		}
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] && !strings.Contains("lsz", w[n-1:]) {
		w = w[:n-1]
	}
	if len(w) > 3 {
		w = strings.TrimSuffix(w, "e")
	}
	return w
}

// Base returns the verb that a participle belongs to, or "".
func (l *Lexicon) Base(participle string) string {
	if b := l.Participles[participle]; b != "" {
		return b
	}
	return l.Participles[l.Stem(participle)]
}

// IsText reports whether a field under this key is a text, however short. The id of a message is not.
func (l *Lexicon) IsText(key string) bool {
	parts := Split(key)
	if n := len(parts); n > 0 && (parts[n-1] == "id" || parts[n-1] == "ids") {
		return false
	}
	return slices.ContainsFunc(parts, func(w string) bool { return l.TextKeys[w] })
}

// IsAuthor reports whether a field under this key says who wrote a record.
func (l *Lexicon) IsAuthor(key string) bool {
	return slices.ContainsFunc(Split(key), func(w string) bool { return l.Authors[w] })
}

// Finds reports whether a call of a tool finds by words: by the tool's name, or that of an argument.
func (l *Lexicon) Finds(tool string, args map[string]any) bool {
	finds := func(name string) bool {
		return slices.ContainsFunc(Split(name), func(w string) bool { return l.Searches[w] })
	}
	for name := range args {
		if finds(name) {
			return true
		}
	}
	return finds(tool)
}

// Letters reports whether a tool reads messages by its name: the head of one is not its author's to write.
func (l *Lexicon) Letters(tool string) bool {
	return slices.ContainsFunc(Split(tool), func(w string) bool {
		return l.Groups[l.Stem(w)]&(l.Groups["mail"]|l.Groups["message"]) != 0
	})
}

// Side returns the stem of a word in a key that says that anybody may have written there, such as
// "remark" or "review", or "".
func (l *Lexicon) Side(key string) string {
	for _, w := range Split(key) {
		if l.Sides[w] {
			return l.Stem(w)
		}
	}
	return ""
}

// Kinds are the classes that a source may ask for by the words of its name.
func (l *Lexicon) Kinds(name string) Class {
	var out Class
	for _, w := range Split(name) {
		out |= l.Sources[l.Stem(w)]
	}
	return out
}

// Split cuts a name such as sendMail, send_mail or HTTPServer into its words in small letters.
func Split(name string) []string {
	var out []string
	var cur strings.Builder
	flush := func() {
		if cur.Len() > 0 {
			out = append(out, cur.String())
			cur.Reset()
		}
	}
	upper := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	for i := range len(name) {
		c := name[i]
		if !upper(c) && (c < 'a' || c > 'z') && (c < '0' || c > '9') && c < 0x80 {
			flush()
			continue
		}
		if upper(c) && i > 0 && (!upper(name[i-1]) || i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z') {
			flush()
		}
		if upper(c) {
			c |= 0x20
		}
		cur.WriteByte(c)
	}
	flush()
	return out
}
