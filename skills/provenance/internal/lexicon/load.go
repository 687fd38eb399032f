package lexicon

import (
	_ "embed" // the files of words
	"fmt"
	"strconv"

	"github.com/opencortex-go/cortex/sexpr"
)

//go:embed data/english.lisp
var english string

//go:embed data/tongues.lisp
var tongues string

//go:embed data/tools.lisp
var tools string

// English returns the text of the lexicon that is built in: English, the commonest words of
// tasks in other languages, and those of tools.
func English() string { return english + "\n" + tongues + "\n" + tools }

// File is one file of words.
type File struct{ Name, Text string }

// Load reads files. A mistake is an error with its file, line and column.
func Load(files ...File) (*Lexicon, error) {
	l := &Lexicon{
		Verbs: map[string]Class{}, Stems: map[string]Class{}, VerbNouns: map[string]Class{}, Groups: map[string]uint64{},
		texts:       map[string]uint64{},
		Participles: map[string]string{}, Sources: map[string]Class{}, Months: map[string]int{}, Roles: map[string]Role{},
		ToolVerbs: map[string]Class{}, known: Set{},
	}
	for _, f := range files {
		forms, err := sexpr.ReadAll(f.Name, f.Text)
		if err != nil {
			return nil, err
		}
		for _, form := range forms {
			if err := l.define(form); err != nil {
				return nil, fmt.Errorf("%s:%s: %w", f.Name, form.Pos(), err)
			}
		}
	}
	l.finish()
	return l, nil
}

// define reads one definition.
func (l *Lexicon) define(form sexpr.Value) error {
	items := form.Items()
	if len(items) < 2 || items[0].Kind() != sexpr.Symbol {
		return fmt.Errorf("a definition is a list that begins with its name and has words")
	}
	name := items[0].Text()
	if set := l.sets()[name]; set != nil {
		return addWords(set, items[1:])
	}
	if p := l.patterns()[name]; p != nil {
		return addPatterns(p, items[1:])
	}
	if list := l.lists()[name]; list != nil {
		for _, it := range items[1:] {
			if it.Kind() != sexpr.String {
				return fmt.Errorf("%s takes strings", name)
			}
			*list = append(*list, it.Text())
		}
		return nil
	}
	if f := l.others()[name]; f != nil {
		return f(items[1:])
	}
	return fmt.Errorf("%q is not a definition of a lexicon", name)
}

func (l *Lexicon) sets() map[string]*Set {
	return map[string]*Set{
		"reads": &l.Reads, "determiners": &l.Determiners, "ambiguous": &l.Ambiguous, "leads": &l.Leads, "past": &l.Past,
		"helpers": &l.Helpers, "many": &l.Many, "assent": &l.Assent, "yes": &l.Yes, "asides": &l.Asides,
		"directives":     &l.Directives,
		"not-directives": &l.NotDirectives, "soft": &l.Soft, "not-after": &l.NotAfter, "tags": &l.Tags,
		"headers": &l.Headers, "always-principal": &l.AlwaysPrincipal, "noun-first": &l.NounFirst,
		"verb-first": &l.VerbFirst, "read-nouns": &l.ReadNouns, "prefixes": &l.Prefixes, "not-nouns": &l.NotNouns,
		"anaphora": &l.Anaphora, "manners": &l.Manners, "others": &l.Others, "money": &l.Money,
		"accounts": &l.Accounts, "people": &l.People,
		"rights": &l.Rights, "turns": &l.Turns, "text-keys": &l.TextKeys, "authors": &l.Authors, "common": &l.Common,
		"ways": &l.Ways, "throughs": &l.Throughs, "relatives": &l.Relatives, "indefinites": &l.Indefinites,
		"breaks": &l.Breaks, "places": &l.Places, "selves": &l.Selves, "outsiders": &l.Outsiders, "searches": &l.Searches,
		"sides": &l.Sides, "links": &l.Links, "stops": &l.Stops,
		"receivers": &l.Receivers, "cases": &l.Cases,
		"put-down": &l.PutDown, "all-of-it": &l.AllOfIt, "questions": &l.Questions, "told": &l.Told,
		"fetches": &l.Fetches, "tells": &l.Tells, "adders": &l.Adders, "whose": &l.Whose, "known": &l.known,
		"tool-reads": &l.ToolReads, "tool-nouns": &l.ToolNouns, "costs": &l.Costs,
		"secures": &l.Secures, "secrets": &l.Secrets, "entitles": &l.Entitles, "sellers": &l.Sellers, "prices": &l.Prices,
	}
}

func (l *Lexicon) patterns() map[string]*Patterns {
	return map[string]*Patterns{
		"not-asked": &l.NotAsked, "prohibitions": &l.Prohibitions, "not-prohibitions": &l.NotProhibitions,
		"fillers": &l.Fillers, "calls": &l.Calls, "asks-you": &l.AsksYou, "modals": &l.Modals, "passives": &l.Passives,
		"subordinators": &l.Subordinators, "alien": &l.Alien, "alien-weak": &l.AlienWeak,
		"delegations": &l.Delegations, "hand-overs": &l.HandOvers, "not-delegations": &l.NotDelegations,
	}
}

func (l *Lexicon) lists() map[string]*[]string {
	return map[string]*[]string{"alien-marks": &l.AlienMarks, "forwarded": &l.Forwarded, "host-marks": &l.HostMarks}
}

func (l *Lexicon) others() map[string]func([]sexpr.Value) error {
	return map[string]func([]sexpr.Value) error{
		"verbs":      func(v []sexpr.Value) error { return byClass(v, l.verb) },
		"verb-nouns": func(v []sexpr.Value) error { return byClass(v, func(w string, c Class) { l.VerbNouns[w] |= c }) },
		"tool-verbs": func(v []sexpr.Value) error { return byClass(v, func(w string, c Class) { l.ToolVerbs[w] |= c }) },
		"sources":    func(v []sexpr.Value) error { return byClass(v, func(w string, c Class) { l.Sources[w] |= c }) },
		"idioms":     l.idioms,
		"groups":     l.group,
		"texts":      l.text,
		"endings": func(v []sexpr.Value) error {
			return inPairs(v, func(a, b string) error { l.endings = append(l.endings, [2]string{a, b}); return nil })
		},
		"participles": func(v []sexpr.Value) error {
			return inPairs(v, func(a, b string) error { l.Participles[a] = b; return nil })
		},
		"prohibition-ends": func(v []sexpr.Value) error { return addWords(&l.ProhibitionEnds, v) },
		"months":           func(v []sexpr.Value) error { return inPairs(v, l.month) },
		"roles":            l.roles,
	}
}

func (l *Lexicon) verb(w string, c Class) { l.Verbs[w] |= c }

func (l *Lexicon) month(name, number string) error {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > 12 {
		return fmt.Errorf("%q is not the number of a month", number)
	}
	l.Months[name] = n
	return nil
}

func (l *Lexicon) idioms(items []sexpr.Value) error {
	for _, it := range items {
		switch {
		case it.Kind() == sexpr.Keyword:
			c, err := ParseClass(it.Text())
			if err != nil {
				return err
			}
			l.Idioms = append(l.Idioms, Idiom{Class: c})
		case it.Kind() != sexpr.String || len(l.Idioms) == 0:
			return fmt.Errorf("a class such as :comm stands before its patterns")
		default:
			if err := l.Idioms[len(l.Idioms)-1].add(it.Text()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *Lexicon) roles(items []sexpr.Value) error {
	role := NoRole
	for _, it := range items {
		switch it.Kind() {
		case sexpr.Keyword:
			r, err := ParseRole(it.Text())
			if err != nil {
				return err
			}
			role = r
		case sexpr.String:
			if role == NoRole {
				return fmt.Errorf("a role such as :content stands before its words")
			}
			for _, w := range spellings(it.Text()) {
				if _, dup := l.Roles[w]; !dup {
					l.Roles[w] = role
				}
			}
		case sexpr.List, sexpr.Symbol, sexpr.Int, sexpr.Float:
			return fmt.Errorf("words stand in strings, after a role such as :content")
		}
	}
	return nil
}

// text reads kinds of texts, by their words in all languages.
func (l *Lexicon) text(items []sexpr.Value) error {
	for _, it := range items {
		if it.Kind() != sexpr.String || l.kinds == maxGroups {
			return fmt.Errorf("a kind of text is a string of words, and there are at most %d", maxGroups)
		}
		for _, w := range spellings(it.Text()) {
			l.texts[w] |= 1 << l.kinds
		}
		l.kinds++
	}
	return nil
}

// maxGroups is how many groups of things a lexicon may have.
const maxGroups = 64

// group reads groups; their words become stems in finish.
func (l *Lexicon) group(items []sexpr.Value) error {
	for _, it := range items {
		if it.Kind() != sexpr.String {
			return fmt.Errorf("a group is a string of words")
		}
		if l.groups == maxGroups {
			return fmt.Errorf("a lexicon has at most %d groups of things", maxGroups)
		}
		for _, w := range spellings(it.Text()) {
			l.Groups[w] |= 1 << l.groups
		}
		l.groups++
	}
	return nil
}
