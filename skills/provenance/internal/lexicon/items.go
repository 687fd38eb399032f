package lexicon

import (
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

func addWords(s *Set, items []sexpr.Value) error {
	if *s == nil {
		*s = Set{}
	}
	for _, it := range items {
		if it.Kind() != sexpr.String {
			return fmt.Errorf("words stand in strings, with white space between them")
		}
		for _, w := range spellings(it.Text()) {
			(*s)[w] = true
		}
	}
	return nil
}

// spellings are the words of a string as they stand there, as in the names of tools, and folded, as texts are read: of
// "журнал" both.
func spellings(text string) []string {
	ws := strings.Fields(text)
	if folded := words.Skeleton(text); folded != text {
		ws = append(ws, strings.Fields(folded)...)
	}
	return ws
}

func addPatterns(p *Patterns, items []sexpr.Value) error {
	for _, it := range items {
		if it.Kind() != sexpr.String {
			return fmt.Errorf("a pattern is a string")
		}
		if err := p.add(it.Text()); err != nil {
			return err
		}
	}
	return nil
}

// byClass reads keywords, each followed by strings of words.
func byClass(items []sexpr.Value, add func(string, Class)) error {
	var class Class
	for _, it := range items {
		switch it.Kind() {
		case sexpr.Keyword:
			c, err := ParseClass(it.Text())
			if err != nil {
				return err
			}
			class = c
		case sexpr.String:
			if class == 0 {
				return fmt.Errorf("a class such as :comm stands before its words")
			}
			for _, w := range spellings(it.Text()) {
				add(w, class)
			}
		case sexpr.List, sexpr.Symbol, sexpr.Int, sexpr.Float:
			return fmt.Errorf("words stand in strings, after a class such as :comm")
		}
	}
	return nil
}

func inPairs(items []sexpr.Value, add func(a, b string) error) error {
	if len(items)%2 != 0 {
		return fmt.Errorf("strings stand in pairs here")
	}
	for i := 0; i < len(items); i += 2 {
		if items[i].Kind() != sexpr.String || items[i+1].Kind() != sexpr.String {
			return fmt.Errorf("strings stand in pairs here")
		}
		if err := add(items[i].Text(), items[i+1].Text()); err != nil {
			return err
		}
	}
	return nil
}
