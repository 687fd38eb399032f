package provenance

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// leaf is one scalar in an action's arguments.
type leaf struct {
	fields.Leaf
	role Role
	set  bool // a rule set it
}

// minSentence is how many words a value needs to be a sentence, and no name.
const minSentence = 5

// role returns the role of an argument's value: as declared, else as the name inside an
// object suggests; what looks like an address or URL is strong whatever its name, and a day
// or a path never names a person.
func (w *View) role(l fields.Leaf) Role {
	r := NoRole
	if t := w.a.Tool; t != nil {
		var ok bool
		if r, ok = t.Roles[strings.Join(l.Keys, ".")]; !ok {
			r = t.Roles[l.Keys[0]]
		}
	}
	if n := len(l.Keys); n > 1 {
		parts := lexicon.Split(l.Keys[n-1])
		if len(parts) > 0 {
			if inner := w.x.lex.words.Roles[parts[len(parts)-1]]; inner.Strong() || r == NoRole {
				r = inner
			}
		}
	}
	if _, ok := l.Value.(bool); ok && r == NoRole {
		return Flag
	}
	if r == NoRole && w.a.Tool != nil && w.a.Tool.Read {
		r = Object
	}
	text := strings.TrimSpace(fields.Scalar(l.Value))
	if t := w.a.Tool; r == NoRole && t != nil && !t.Read && (t.Classes&Run == 0 || len(l.Keys) > 1) &&
		(strings.Count(text, " ") >= minSentence-1 || strings.Contains(l.Keys[len(l.Keys)-1], " ")) {
		return Content // a sentence, or what takes the place of some words, says neither who nor where
	}
	switch r {
	case Object, ID, Time, Amount, Flag, NoRole:
		switch words.ShapeOf(text) {
		case words.Email, words.Phone:
			return Principal
		case words.URL:
			return Net
		case words.Day:
			if r == NoRole {
				return Time
			}
		case words.Other, words.Word1, words.Numeric, words.Host, words.Account, words.Path:
		}
	case Principal:
		switch words.ShapeOf(text) {
		case words.Day:
			return Time // "from" and "to" of a stay, not of a message
		case words.Path:
			return Object // ... or of a file that is moved
		case words.Other, words.Word1, words.Numeric, words.Email, words.URL, words.Host, words.Account, words.Phone:
		}
	case Content:
		if words.ShapeOf(text) == words.Account {
			return Principal // an account, written into a card
		}
	case Net:
		if sh := words.ShapeOf(text); (sh == words.Word1 || sh == words.Other) && !strings.ContainsAny(text, ".:/@ ") {
			return NoRole // the number of a place: "site LK-02"
		}
	case Secret, Permission, Code:
	}
	return r
}

// roleOf returns the role of the argument that has a value: of several, the strongest;
// of none, NoRole.
func (w *View) roleOf(v any) Role {
	s, best := fields.Scalar(v), NoRole
	for _, l := range w.leaves {
		if fields.Scalar(l.Value) == s && (best == NoRole || l.role != NoRole && l.role < best) {
			best = l.role
		}
	}
	return best
}

// strong reports whether a role decides who gets what; one that is not known does in an effect.
func (w *View) strong(r Role) bool {
	return r.Strong() || r == NoRole && (w.a.Tool == nil || !w.a.Tool.Read)
}

// Shape names what a text looks like, for messages to people: "email", "url", "account",
// "phone", "host", "path", "number", "day", "word" or "text".
func Shape(text string) string { return words.ShapeOf(text).String() }
