package provenance

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/said"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// Gave reports whether the user's words hold other values of the same shape as this one
// and not this one: another address, account, number or day. Words have no such shape.
func (w *View) Gave(v any) (bool, Where, error) {
	x := w.x
	if !x.talk.heard {
		return false, Where{}, Unknown{"the session holds no words of the user"}
	}
	for _, s := range fields.Scalars(v) {
		val := said.New(x.lex.words, s, w.roleOf(s))
		if val.Empty || x.user.Stands(val).Said {
			continue
		}
		switch val.Shape {
		case words.Other, words.Word1:
			continue
		case words.Numeric, words.Day, words.Email, words.URL, words.Host, words.Account, words.Phone, words.Path:
		}
		if slices.ContainsFunc(x.user.Shapes[val.Shape], func(other string) bool { return !x.spent(other, val) }) {
			return true, Where{}, nil
		}
	}
	if x.lost.words {
		return false, Where{}, Unknown{"some of the user's words were too long to keep"}
	}
	return false, Where{}, nil
}

// spent reports whether a value of the user's rules out no other one: a folder that has it, or
// a mail address or path that named what was read. Nothing is sent to a page because it was read.
func (x *Index) spent(given string, v *said.Value) bool {
	switch v.Shape {
	case words.Path, words.Email:
	case words.Other, words.Word1, words.Numeric, words.Day, words.URL, words.Host, words.Account, words.Phone:
		return false
	}
	if folder := strings.TrimSuffix(given, "/") + "/"; v.Shape == words.Path && strings.HasPrefix(v.Text, folder) &&
		!strings.Contains(v.Text, "..") {
		return true
	}
	return slices.ContainsFunc(x.sources, func(s source) bool {
		return s.tool != nil && s.tool.Read &&
			slices.ContainsFunc(s.args, func(a string) bool { return words.AtomKey(a) == given })
	})
}

// Chose reports whether the value is one of several alternatives that a result lists,
// and the user named another of them, outside prohibitions. The place is that of the one
// that the user named.
func (w *View) Chose(v any) (bool, Where, error) {
	x := w.x
	if !x.talk.heard {
		return false, Where{}, Unknown{"the session holds no words of the user"}
	}
	for _, s := range fields.Scalars(v) {
		val := said.New(x.lex.words, s, w.roleOf(s))
		if val.Empty || x.user.Stands(val).Said {
			continue
		}
		for i, n := range x.same(digestOf(val.Normal())) {
			if i == x.lim.Hits {
				return false, Where{}, Unknown{"the value stands in more places than one question looks at"}
			}
			if at, ok := w.sibling(&x.fields[n]); ok {
				return true, at, nil
			}
		}
	}
	return false, Where{}, nil
}

// sibling finds a field beside one, under the same key in the same result, that the user
// named. Of a value under a key that the user said, there are no alternatives.
func (w *View) sibling(f *field) (Where, bool) {
	x := w.x
	if key := said.New(x.lex.words, f.key.Name, Object); !key.Empty && len(f.key.Name) > 3 && x.user.Stands(key).Said {
		return Where{}, false
	}
	s := &x.sources[f.source]
	for i := s.first; i < s.end; i++ {
		g := &x.fields[i]
		beside := g.key.Name == f.key.Name && g.kind == f.kind || f.kind == fields.Line && g.kind == fields.Line
		if !beside || !alike(f.text, g.text) || len(g.text) <= 3 || words.Normal(g.text) == words.Normal(f.text) ||
			slices.Contains(refuses, words.Normal(g.text)) {
			continue
		}
		val := said.New(x.lex.words, g.text, Object)
		if st := x.user.Stands(val); !val.Empty && st.Wanted {
			return x.where(g, 0, Record), true
		}
	}
	return Where{}, false
}

// alike reports whether two texts look like values of one sort: both have digits, or
// neither has, and both are of one shape.
func alike(a, b string) bool {
	const digits = "0123456789"
	return strings.ContainsAny(a, digits) == strings.ContainsAny(b, digits) && words.ShapeOf(a) == words.ShapeOf(b)
}

// refuses are values that are alternatives to nothing.
var refuses = []string{"true", "false", "none", "null"}
