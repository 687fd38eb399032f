package source

import (
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
)

// Read reads a workflow: JSON if the text begins with a brace, a plist otherwise. The error is an
// [ErrorList] of everything that is wrong; what could be read is returned beside it.
func Read(name string, text []byte) (*Workflow, error) {
	w := &Workflow{}
	f := &Faults{File: name}
	Into(f, text, w)
	return w, f.Err()
}

// Into reads a text into a structure whose fields are tagged, as a [Workflow] is.
func Into(f *Faults, text []byte, to any) {
	json := strings.HasPrefix(strings.TrimLeft(string(text), " \t\r\n"), "{")
	r := sexpr.Reader{Limits: sexpr.Limits{Depth: 64, Bytes: 1 << 20}}
	var v sexpr.Value
	var err error
	if json {
		v, err = r.FromJSON("", text)
	} else {
		v, err = r.Read("", string(text))
	}
	if err != nil {
		at, msg := sexpr.Pos{}, err.Error()
		if e, ok := err.(*sexpr.Error); ok { //nolint:errorlint // the reader returns it as it is
			at, msg = e.Pos, e.Msg
		}
		f.Add(at, err, "%s", msg)
		return
	}
	d := decoder{Faults: f, json: json}
	d.value(v, reflect.ValueOf(to).Elem(), "", "")
}

// decoder fills structures from values.
type decoder struct {
	*Faults
	json bool
}

// fold is what a plist's keyword and a JSON name have in common.
func fold(name string) string {
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "-", ""), "_", ""))
}

// Kebab is the keyword for a JSON name: maxIterations is max-iterations, not_equals not-equals.
func Kebab(name string) string {
	var b strings.Builder
	for _, c := range name {
		switch {
		case c == '_':
			c = '-'
		case c >= 'A' && c <= 'Z':
			b.WriteByte('-')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// spelt is a JSON name as the text at hand spells it.
func (d *decoder) spelt(name string) string {
	if d.json {
		return name
	}
	return ":" + Kebab(name)
}

// is reports whether a keyword of the text stands for a JSON name.
func (d *decoder) is(key, name string) bool {
	return key == name || !d.json && fold(key) == fold(name)
}

// each calls f for the members of an object. It says so if v is none, or holds a key twice.
func (d *decoder) each(v sexpr.Value, what string, f func(key, value sexpr.Value)) bool {
	if v.IsSym("{}") {
		return true
	}
	if !v.IsPlist() {
		d.Add(v.Pos(), nil, "%s: found %s, expected an object", what, found(v))
		return false
	}
	items := v.Items()
	if len(items)%2 != 0 {
		d.Add(v.Pos(), nil, "%s: found %d elements, expected keys and values in turn", what, len(items))
		return false
	}
	seen := map[string]bool{}
	for i := 0; i < len(items); i += 2 {
		key := items[i]
		switch {
		case key.Kind() != sexpr.Keyword:
			d.Add(key.Pos(), nil, "%s: found %s, expected a key", what, found(key))
			continue
		case seen[key.Text()]:
			d.Add(key.Pos(), nil, "%s: the key %s a second time", what, d.shown(key))
			continue
		}
		seen[key.Text()] = true
		f(key, items[i+1])
	}
	return true
}

func (d *decoder) shown(key sexpr.Value) string {
	if d.json {
		return strconv.Quote(key.Text())
	}
	return key.String()
}

func found(v sexpr.Value) string {
	text := v.String()
	if len(text) > 60 {
		return "a " + v.Kind().String()
	}
	return text
}

// object fills a structure by its tags.
func (d *decoder) object(v sexpr.Value, to reflect.Value, what string) {
	t := to.Type()
	if at := to.FieldByName("At"); at.IsValid() {
		at.Set(reflect.ValueOf(v.Pos()))
	}
	names, filled := []string{}, map[string]bool{}
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("is"); name != "" {
			names = append(names, name)
		}
	}
	if !d.each(v, or(what, "the workflow"), func(key, value sexpr.Value) {
		for i := range t.NumField() {
			field := t.Field(i)
			name := field.Tag.Get("is")
			if name == "" || !d.is(key.Text(), name) {
				continue
			}
			if filled[name] {
				d.Add(key.Pos(), nil, "%s a second time", d.spelt(name))
				return
			}
			filled[name] = true
			d.value(value, to.Field(i), join(what, d.spelt(name)), field.Tag)
			return
		}
		spelt := make([]string, len(names))
		for i, n := range names {
			spelt[i] = strings.TrimPrefix(d.spelt(n), ":")
		}
		d.Add(key.Pos(), nil, "unknown member %s of %s%s", d.shown(key), or(what, "the workflow"),
			spell.DidYouMean(key.Text(), spelt))
	}) {
		return
	}
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("is"); t.Field(i).Tag.Get("need") != "" && !filled[name] {
			d.Add(v.Pos(), nil, "%s has no %s", or(what, "the workflow"), d.spelt(name))
		}
	}
}

func join(what, name string) string {
	if what == "" {
		return name
	}
	return what + " " + name
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// value fills one field.
func (d *decoder) value(v sexpr.Value, to reflect.Value, what string, tag reflect.StructTag) {
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	if d.special(v, to, what, tag) {
		return
	}
	switch to.Kind() { //nolint:exhaustive // structures have no others
	case reflect.Struct:
		d.object(v, to, what)
	case reflect.Slice:
		d.list(v, to, what, tag)
	}
}

func (d *decoder) list(v sexpr.Value, to reflect.Value, what string, tag reflect.StructTag) {
	if v.Kind() != sexpr.List || v.IsPlist() {
		d.Add(v.Pos(), nil, "%s: found %s, expected a list", what, found(v))
		return
	}
	all := reflect.MakeSlice(to.Type(), v.Len(), v.Len())
	seen := map[string]bool{}
	for i, x := range v.Items() {
		d.value(x, all.Index(i), what+" "+strconv.Itoa(i+1), "")
		if t, ok := all.Index(i).Interface().(Text); ok && tag.Get("unique") != "" {
			if seen[t.S] {
				d.Add(x.Pos(), nil, "%s: %q a second time", what, clip(t.S))
			}
			seen[t.S] = true
		}
	}
	to.Set(all)
	d.bounded(v.Pos(), what, "elements", v.Len(), tag)
}

func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "..."
	}
	return s
}

// bounded checks a size by the tag len.
func (d *decoder) bounded(at sexpr.Pos, what, unit string, n int, tag reflect.StructTag) {
	low, high, ok := strings.Cut(tag.Get("len"), "..")
	if !ok {
		return
	}
	least, _ := strconv.Atoi(low)
	most, err := strconv.Atoi(high)
	switch {
	case n < least && err != nil:
		d.Add(at, nil, "%s: found %d %s, expected at least %d", what, n, unit, least)
	case n < least || err == nil && n > most:
		d.Add(at, nil, "%s: found %d %s, expected %d to %d", what, n, unit, least, most)
	}
}

// text reads a string, or a keyword where only certain words are allowed.
func (d *decoder) text(v sexpr.Value, what string, tag reflect.StructTag) (Text, bool) {
	one := strings.Fields(tag.Get("one"))
	if v.Kind() == sexpr.Keyword && !d.json && len(one) > 0 {
		for _, word := range one {
			if fold(word) == fold(v.Text()) {
				return Text{word, v.Pos()}, true
			}
		}
	} else if v.Kind() != sexpr.String {
		d.Add(v.Pos(), nil, "%s: found %s, expected a text", what, found(v))
		return Text{}, false
	}
	s := v.Text()
	if len(one) > 0 && !contains(one, s) {
		d.Add(v.Pos(), nil, "%s: found %q, expected one of %s%s", what, clip(s), strings.Join(one, ", "),
			spell.DidYouMean(s, one))
	}
	d.bounded(v.Pos(), what, "characters", utf8.RuneCountInString(s), tag)
	d.formed(v.Pos(), what, s, tag.Get("form"))
	return Text{s, v.Pos()}, true
}

func contains(all []string, s string) bool {
	for _, x := range all {
		if x == s {
			return true
		}
	}
	return false
}
