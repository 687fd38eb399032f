package lexicon

import "strings"

// Key is the name of fields of results, and what the words in it say of them.
type Key struct {
	Name    string
	Text    bool   // they are texts, however short
	Authors bool   // they say who wrote a record
	Side    string // the stem of the word that says that somebody adds something there: "remark"
}

// Keys looks up what names say, and knows the first maxKeys of them once for all fields.
type Keys struct {
	l    *Lexicon
	seen map[string]*Key
}

const maxKeys = 1 << 12

// NewKeys returns keys by the words of l.
func NewKeys(l *Lexicon) *Keys { return &Keys{l: l, seen: map[string]*Key{}} }

// Of returns the key of a name.
func (k *Keys) Of(name string) *Key {
	key, ok := k.seen[name]
	if !ok {
		name = strings.Clone(name)
		key = &Key{name, k.l.IsText(name), k.l.IsAuthor(name), k.l.Side(name)}
		if len(k.seen) < maxKeys {
			k.seen[name] = key
		}
	}
	return key
}
