package daemon

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/opencortex-go/cortex/internal/spell"
)

// Fault is one error in a configuration. A setting from a flag has no place in a
// file.
type Fault struct {
	File      string
	Line, Col int // from 1; 0 where there is no place
	Text      string
}

func (f Fault) String() string {
	switch {
	case f.File == "":
		return f.Text
	case f.Line == 0:
		return f.File + ": " + f.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Col, f.Text)
}

// Faults are all errors in a configuration, in the order of the file.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, x := range f {
		lines[i] = x.String()
	}
	return strings.Join(lines, "\n")
}

// orNil is f in the order of the file, or nil without faults.
func (f Faults) orNil() error {
	if len(f) == 0 {
		return nil
	}
	slices.SortStableFunc(f, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return f
}

// source is the file of a configuration, and the places of its settings.
type source struct {
	file string
	at   map[string]place // by dotted key, such as "budgets.turns"; the first [[x]] under "x"
}

// place is a line and column, from 1.
type place struct{ line, col int }

// fault is an error in one setting, with its place if it has one.
func (c *Config) fault(key, format string, args ...any) Fault {
	f := Fault{Text: key + ": " + fmt.Sprintf(format, args...)}
	if c.source == nil {
		return f
	}
	f.File = c.source.file
	for name := key; name != ""; { // the setting, or the table that it is missing from
		if at, ok := c.source.at[name]; ok {
			f.Line, f.Col = at.line, at.col
			break
		}
		name = name[:max(strings.LastIndexByte(name, '.'), 0)]
	}
	if f.Line == 0 {
		f.File = "" // no file has it: it was left out, or a flag
	}
	return f
}

// decode reads text into c and collects all errors. The library stops at the first
// value of a wrong type, so decode blanks that value, keeps the lines, and reads the
// text again.
func (s *source) decode(text []byte, c *Config) error {
	exprs := s.scan(text)
	text = bytes.Clone(text)
	var faults Faults
	for {
		read := Config{source: s}
		err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&read)
		var wrong *toml.DecodeError
		var unknown *toml.StrictMissingError
		switch {
		case err == nil:
			*c = read
			return faults.orNil()
		case errors.As(err, &unknown):
			for i := range unknown.Errors {
				faults = append(faults, s.unknown(&unknown.Errors[i]))
			}
			return faults.orNil()
		}
		faults = append(faults, s.syntax(err))
		if !errors.As(err, &wrong) {
			return faults.orNil()
		}
		if line, _ := wrong.Position(); exprs == nil || !blank(text, exprs, line) {
			return faults.orNil()
		}
	}
}

// expr is an expression of the file: a setting, or the head of a table.
type expr struct {
	line int // the first, from 1
	head bool
}

// scan lists the file's expressions and the place of each setting. It lists none if
// the file cannot be read to its end.
func (s *source) scan(text []byte) (exprs []expr) {
	s.at = map[string]place{}
	p := &unstable.Parser{}
	p.Reset(text)
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		var key []string
		var at unstable.Position
		for it := e.Key(); it.Next(); {
			if key == nil {
				at = p.Shape(it.Node().Raw).Start
			}
			key = append(key, string(it.Node().Data))
		}
		head := e.Kind != unstable.KeyValue
		exprs = append(exprs, expr{at.Line, head})
		if head {
			table = key
		} else {
			key = append(slices.Clone(table), key...)
		}
		if name := strings.Join(key, "."); s.at[name].line == 0 {
			s.at[name] = place{at.Line, at.Column}
		}
	}
	if p.Error() != nil {
		return nil
	}
	return exprs
}

// blank removes the setting that spans a line, or the table that begins there, from
// the text, and reports whether there was one.
func blank(text []byte, exprs []expr, line int) (changed bool) {
	from, to := 0, len(text)+1
	head := false
	for _, e := range exprs {
		if e.line <= line {
			from, head = e.line, e.head
		} else if !head || e.head {
			to = e.line
			break
		}
	}
	n := 1
	for i := range text {
		switch {
		case text[i] == '\n':
			n++
		case from > 0 && n >= from && n < to && text[i] != ' ':
			text[i], changed = ' ', true
		}
	}
	return changed
}

// syntax is an error of the library, with its place.
func (s *source) syntax(err error) Fault {
	f := Fault{File: s.file, Text: plain(strings.TrimPrefix(err.Error(), "toml: "))}
	var e *toml.DecodeError
	if errors.As(err, &e) {
		f.Line, f.Col = e.Position()
		if key := strings.Join(e.Key(), "."); key != "" {
			f.Text = key + ": " + f.Text
		}
	}
	return f
}

// plain translates the library's message from Go's terms to TOML's.
func plain(text string) string {
	found, kind, ok := strings.Cut(strings.TrimPrefix(text, "cannot decode TOML "), " of type ")
	if !ok {
		return text
	}
	found, _, _ = strings.Cut(found, " into ")
	for _, k := range []struct{ suffix, words string }{
		{"Duration", `a time such as "90s"`}, {"string", "text"}, {"bool", "true or false"}, {"float64", "a number"},
		{"int", "a whole number"}, {"int64", "a whole number"},
	} {
		if strings.HasSuffix(kind, k.suffix) {
			return "expected " + k.words + ", found " + found
		}
	}
	return "expected another kind of value, found " + found
}

// unknown is the error for an unknown setting, with a suggestion.
func (s *source) unknown(e *toml.DecodeError) Fault {
	f := Fault{File: s.file}
	f.Line, f.Col = e.Position()
	key := e.Key()
	known := settings(reflect.TypeFor[Config](), key[:max(len(key)-1, 0)])
	name := strings.Join(key, ".")
	f.Text = fmt.Sprintf("unknown setting %s%s", name, spell.DidYouMean(key[max(len(key)-1, 0)], known))
	return f
}

// settings are the valid names in a table of the configuration.
func settings(t reflect.Type, table []string) (names []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		if t.Kind() == reflect.Map && len(table) > 0 {
			table = table[1:]
		}
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name := setting(f)
		switch {
		case name == "":
		case len(table) == 0:
			names = append(names, name)
		case name == table[0]:
			return settings(f.Type, table[1:])
		}
	}
	return names
}

// setting is the name that a field has in the file, or "".
func setting(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
	return strings.TrimPrefix(name, "-")
}
