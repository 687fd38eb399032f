package lexicon

import (
	"maps"
	"slices"
)

// finish makes what depends on the endings of all files.
func (l *Lexicon) finish() {
	for w, c := range l.Verbs {
		l.Stems[l.Stem(w)] |= c
		l.known[w] = true
	}
	given := map[string]string{}
	for p, b := range l.Participles {
		given[p] = b
	}
	for w := range l.Verbs {
		for _, p := range []string{l.Stem(w + "ed"), l.Stem(w)} {
			if b, ok := l.Participles[p]; !ok || given[p] == "" && w < b {
				l.Participles[p] = w
			}
		}
	}
	groups, sources := l.Groups, l.Sources
	l.Groups, l.Sources = map[string]uint64{}, map[string]Class{}
	for w, bits := range groups {
		l.Groups[l.Stem(w)] |= bits
		l.known[w] = true
	}
	for w, c := range sources {
		l.Sources[l.Stem(w)] |= c
	}
	for _, w := range slices.Sorted(maps.Keys(l.Roles)) {
		if s := l.Stem(w); l.Roles[s] == NoRole {
			l.Roles[s] = l.Roles[w]
		}
	}
}
