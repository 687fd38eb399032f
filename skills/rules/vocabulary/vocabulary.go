// Package vocabulary is the words that rule files are written with: definitions, clauses,
// their keys, the kinds of parameters, and the names that conditions read. Each word
// comes with what it means.
//
// The loader takes the keys that it accepts from here, the language server what it shows
// and completes, and a test holds docs/language.md against the same tables. So no word is
// accepted that is not explained. Operators and functions explain themselves, where they
// are made.
package vocabulary

import "strings"

// Word is a word and what it means.
type Word struct {
	Name string
	Args string // how what follows it is written; "" if nothing does
	Doc  string // one or two sentences, in Markdown
}

// Form is a list that has keys: a definition, a clause, or a part of an example.
type Form struct {
	Name  string
	Front string // what stands before the keys; "" if nothing does
	Doc   string // one or two sentences, in Markdown
	Keys  []Key
}

// Key is one key of a form.
type Key struct {
	Name  string   // without its colon
	Doc   string   // a phrase in Markdown, without a full stop
	Words []string // the only words that it takes as its value; nil if it takes others
}

// Word returns the form as a word, with its keys among what follows it.
func (f Form) Word() Word {
	args := []string{f.Front}
	for _, k := range f.Keys {
		args = append(args, ":"+k.Name)
	}
	return Word{f.Name, strings.TrimSpace(strings.Join(args, " ")), f.Doc}
}

// Key finds a key by its name.
func (f Form) Key(name string) (Key, bool) {
	for _, k := range f.Keys {
		if k.Name == name {
			return k, true
		}
	}
	return Key{}, false
}

// KeyNames are the keys of every form, by the name of the form, in the order in which
// they are documented.
func KeyNames() map[string][]string {
	out := map[string][]string{}
	for _, forms := range [][]Form{Definitions(), Clauses(), Parts()} {
		for _, f := range forms {
			names := make([]string, len(f.Keys))
			for i, k := range f.Keys {
				names[i] = k.Name
			}
			out[f.Name] = names
		}
	}
	return out
}

// Find finds a form by its name.
func Find(forms []Form, name string) (Form, bool) {
	for _, f := range forms {
		if f.Name == name {
			return f, true
		}
	}
	return Form{}, false
}
