package skills

import (
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
)

// fields is a plist whose keys may be unquoted or in mixed case.
type fields struct {
	form  sexpr.Value
	list  []field
	other []sexpr.Value // the first unknown keys
}

type field struct {
	name  string // the key, in lower case
	key   sexpr.Value
	value sexpr.Value
}

// errAt is an error of a proposal, with its position if there is one.
func errAt(p sexpr.Pos, format string, args ...any) error {
	return &sexpr.Error{Pos: p, Msg: fmt.Sprintf(format, args...)}
}

// readFields reads a plist. It returns an error unless every key is a word, has a
// value and occurs once, ignoring case.
func readFields(v sexpr.Value, what string) (*fields, error) {
	items := v.Items()
	if v.Kind() != sexpr.List && !v.IsSym("{}") {
		return nil, errAt(v.Pos(), "%s is %s, expected a plist like (:key value ...)", what, found(v))
	}
	f := &fields{form: v}
	for i := 0; i < len(items); i += 2 {
		k := items[i]
		if k.Kind() != sexpr.Keyword && !isWord(k) {
			return nil, errAt(k.Pos(), "%s has %s where a key is due, expected a keyword like :tool", what, found(k))
		}
		if i+1 == len(items) {
			return nil, errAt(k.Pos(), "the key %s has no value", printKey(k.Text()))
		}
		name := foldCase(k.Text())
		if !slices.Contains(proposalKeys, name) {
			if len(f.other) < maxFaults {
				f.other = append(f.other, k)
			}
			continue
		}
		if _, twice := f.get(name); twice {
			return nil, errAt(k.Pos(), "the key %s stands twice in %s, expected it once", printKey(k.Text()), what)
		}
		f.list = append(f.list, field{name, k, items[i+1]})
	}
	return f, nil
}

func (f *fields) get(name string) (sexpr.Value, bool) {
	for i := range f.list {
		if f.list[i].name == name {
			return f.list[i].value, true
		}
	}
	return sexpr.Value{}, false
}

func (f *fields) pos(name string) sexpr.Pos {
	v, _ := f.get(name)
	return v.Pos()
}

// word returns the word under name in lower case, whether it is written as a
// keyword, unquoted or as a string: they mean the same (weakness W6).
func (f *fields) word(name string) string {
	v, _ := f.get(name)
	if v.Kind() == sexpr.Keyword || v.Kind() == sexpr.String || isWord(v) {
		return foldCase(v.Text())
	}
	return ""
}

// foldCase lowers only A-Z, as the reader does.
func foldCase(s string) string {
	for i := range len(s) {
		if s[i] != lower(s[i]) {
			b := []byte(s)
			for i := range b {
				b[i] = lower(b[i])
			}
			return string(b)
		}
	}
	return s
}

// body is the payload, or the proposal itself without one.
func (f *fields) body() (*fields, error) {
	v, ok := f.get("payload")
	if !ok || v.IsNil() {
		return f, nil
	}
	return readFields(v, "the payload")
}

// one returns the value under name in either place; nil if there is none.
func one(env, body *fields, name string) (sexpr.Value, error) {
	v, ok := env.get(name)
	if env == body {
		return v, nil
	}
	inner, also := body.get(name)
	switch {
	case !ok:
		return inner, nil
	case also && !sexpr.Equal(v, inner):
		return v, errAt(inner.Pos(), ":%s stands in the payload and beside it, expected it once", name)
	}
	return v, nil
}
