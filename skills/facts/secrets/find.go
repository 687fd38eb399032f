package secrets

import (
	"encoding/json"
	"strings"
	"sync"
)

// shortest is the length of a text, in bytes, below which no rule finds anything.
const shortest = 10

// NewFinder returns a function that lists the credentials in a text as they stand in it, and every
// base64 run that holds one; nil if there is none. In a text that is JSON it reads strings as JSON spells
// them, too. If no single place of a text holds what is found in it, it lists the whole text, and so it
// does if the rules cannot be read. It is safe for concurrent use.
func NewFinder() func(text string) []string {
	scanner := sync.OnceValues(load)
	return func(text string) []string {
		if len(text) < shortest {
			return nil
		}
		s, err := scanner()
		if err != nil {
			return []string{text}
		}
		found := s.find(text)
		for _, x := range spelledInJSON(text) {
			found = append(found, s.find(x)...)
		}
		return found
	}
}

// find lists what a text holds.
func (s *scanner) find(text string) (found []string) {
	places := s.places(text)
	if len(places) == 0 {
		return nil
	}
	isJSON := looksJSON(text)
	if !isJSON && len(s.Kinds(s.without(text, places))) > 0 {
		return []string{text}
	}
	for _, at := range places {
		if x := text[at.from:at.to]; !isJSON || !strings.Contains(x, `"`) { // else its strings are read one by one
			found = append(found, x)
		}
	}
	return found
}

// looksJSON reports whether a text is a JSON object or array.
func looksJSON(text string) bool {
	return text != "" && (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text))
}

// spelledInJSON lists the strings of a text that is JSON.
func spelledInJSON(text string) (out []string) {
	if !looksJSON(text) {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	for {
		t, err := d.Token()
		if err != nil {
			return out
		}
		if x, ok := t.(string); ok && len(x) >= shortest {
			out = append(out, x)
		}
	}
}
