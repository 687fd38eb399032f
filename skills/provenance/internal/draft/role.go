package draft

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
)

// role returns the role that a parameter's name, description and type suggest.
func role(l *lexicon.Lexicon, p Param) lexicon.Role {
	toks := lexicon.Split(p.Name)
	if p.Type == "boolean" {
		return lexicon.Flag
	}
	if len(toks) == 0 {
		return lexicon.NoRole
	}
	last := toks[len(toks)-1]
	if !in(last, "id ids type name") &&
		slices.ContainsFunc(toks, func(w string) bool { return l.AlwaysPrincipal[w] }) {
		return lexicon.Principal
	}
	if l.Roles[last] == lexicon.ID || len(toks) > 1 && in(last, "no nr num number") {
		return lexicon.ID
	}
	timed := func(w string) bool { return l.Roles[w] == lexicon.Time }
	if in(last, "to from") && slices.ContainsFunc(toks[:len(toks)-1], timed) {
		return lexicon.Time // valid_to
	}
	if l.Roles[last] == lexicon.Object {
		return lexicon.Object
	}
	doc := strings.ToLower(p.Doc)
	for _, w := range slices.Backward(toks) {
		r := l.Roles[w]
		if r == lexicon.NoRole {
			r = l.Roles[l.Stem(w)]
		}
		if r == lexicon.Principal && w == "address" && !strings.Contains(doc, "mail") && !strings.Contains(doc, "url") &&
			!strings.Contains(doc, "wallet") && !slices.ContainsFunc(toks, func(w string) bool {
			return in(w, "to new ship shipping delivery")
		}) {
			return lexicon.Object
		}
		if r != lexicon.NoRole {
			return r
		}
	}
	return docRole(p.Type, docWords(l, doc))
}

// docRole looks for a role in a description. A text of which nothing is known has none:
// that is an object in a read, and strong in an effect.
func docRole(kind string, doc []string) lexicon.Role {
	for i, w := range doc {
		next := ""
		if i+1 < len(doc) {
			next = doc[i+1]
		}
		switch {
		case w == "iban" || w == "recipient", next == "address" && (w == "email" || w == "mail"),
			next == "number" && (w == "account" || w == "phone"), w == "username":
			return lexicon.Principal
		case w == "url":
			return lexicon.Net
		}
	}
	if kind == "integer" || kind == "number" {
		return lexicon.Amount
	}
	return lexicon.NoRole
}
