package provenance

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/said"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
	"github.com/opencortex-go/cortex/skills/provenance/internal/zones"
)

// Argument is one value of the action's arguments.
type Argument struct {
	Path   string // "recipients[0]"
	Value  any
	Text   string // the value as a text
	Role   Role
	Strong bool // it decides who gets what, and where; so does a text in an effect whose role is not known
	Origin Origin
	Where  Where
	Err    error // [Unknown], or nil
}

// Arguments returns the values in the action's arguments whose role is wanted, each with
// its origin, by the order of their names; all of them if want is nil.
func (w *View) Arguments(want func(r Role, strong bool) bool) []Argument {
	if w.told == nil {
		w.told = make([]*Argument, len(w.leaves))
	}
	out := make([]Argument, 0, len(w.leaves))
	for i := range w.leaves {
		l := &w.leaves[i]
		_, text := l.Value.(string)
		strong := l.role.Strong() || text && w.strong(l.role)
		if want != nil && !want(l.role, strong) {
			continue
		}
		if w.told[i] == nil {
			a := Argument{Path: l.Path, Value: l.Value, Text: fields.Scalar(l.Value), Role: l.role,
				Strong: strong, Origin: Rule, Where: Where{Kind: Rule}}
			if !l.set {
				a.Origin, a.Where, a.Err = w.OriginAs(l.Value, l.role)
			}
			w.told[i] = &a
		}
		out = append(out, *w.told[i])
	}
	return out
}

// copied is how many words in a row make a copy, and maxCopied how many runs of a text
// are looked at.
const (
	copied    = 5
	maxCopied = 20_000
)

// Carries returns the worst origin of what a text carries: of the addresses, URLs,
// hosts, accounts and telephone numbers in it, and Alien or Zone where five words in a
// row stand in such a zone and not in the user's words. A text that carries nothing is User.
func (w *View) Carries(v any) (Origin, Where, error) {
	return w.worst(v, func(s any) (Origin, Where, error) {
		val := said.New(w.x.lex.words, s, Content)
		if val.Empty {
			return User, Where{}, nil
		}
		out, at, why := w.copies(val)
		for _, a := range words.Atoms(val.Text) {
			text := val.Text[a.Start:a.End]
			switch words.ShapeOf(text) {
			case words.Email, words.URL, words.Host, words.Account, words.Phone:
				o, where, err := w.OriginAs(text, Content)
				if worse := Worst(out, o); worse != out {
					out, at, why = worse, where, err
				}
			case words.Other, words.Word1, words.Numeric, words.Day, words.Path:
			}
		}
		return out, at, why
	})
}

// copies looks for words in a row that stand in a zone.
func (w *View) copies(v *said.Value) (Origin, Where, error) {
	n := min(copied, len(v.Loose))
	if n < 3 {
		return User, Where{}, nil
	}
	out, at := User, Where{}
	for i := 0; i+n <= len(v.Loose); i++ {
		if i == maxCopied {
			return 0, Where{}, Unknown{"the text is longer than one question looks at"}
		}
		run := v.Loose[i : i+n]
		if len(strings.Join(run, " ")) < 12 {
			continue
		}
		mine, _ := w.x.user.Loose.Has(run)
		if mine {
			continue
		}
		f := w.alien(&said.Value{Loose: run})
		if f.kind == Alien {
			return Alien, f.where, nil
		}
		if !f.sure {
			return 0, Where{}, Unknown{"the text stands in more places than one question looks at"}
		}
		if hits, _ := w.x.find(&w.x.text[zones.Plain], run, 1); len(hits) > 0 && out < Zone {
			f := &w.x.fields[hits[0].field]
			out, at = Zone, w.x.where(f, hits[0].offset, Zone)
		}
	}
	return out, at, nil
}
