package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/internal/spell"
)

// shape is what the members of an object may be called, and what they hold; nil is anything. encoding/json alone takes
// a key in any case, and of two that are the same the last.
type shape map[string]shape

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// shapeOf returns the shape of a request's type.
func shapeOf(t reflect.Type) shape {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return shapeOf(t.Elem())
	case reflect.Struct:
	default:
		return nil
	}
	if reflect.PointerTo(t).Implements(unmarshaler) {
		return nil
	}
	s := shape{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "":
			for name, in := range shapeOf(f.Type) {
				s[name] = in
			}
		case name == "":
			s[f.Name] = shapeOf(f.Type)
		default:
			s[name] = shapeOf(f.Type)
		}
	}
	return s
}

// check refuses a text that two readers could read in two ways: one that is not UTF-8, or not an object, or that has a
// key twice or one that it should not have.
func (s shape) check(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("found bytes that are not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(err, errors.New("expected an object"))
	}
	return s.object(d)
}

// object reads the rest of an object.
func (s shape) object(d *json.Decoder) error {
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		in, known := s[key]
		switch {
		case !known:
			return fmt.Errorf("unknown field %.40q%s", key, spell.DidYouMean(key, slices.Sorted(maps.Keys(s))))
		case seen[key]:
			return fmt.Errorf("the key %q stands twice in an object", key)
		}
		seen[key] = true
		if err := in.value(d); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	_, err := d.Token() // its end
	return err
}

// value reads a value. An array has values of the shape.
func (s shape) value(d *json.Decoder) error {
	if s == nil {
		var skipped json.RawMessage
		return d.Decode(&skipped)
	}
	t, err := d.Token()
	switch {
	case err != nil:
		return err
	case t == json.Delim('{'):
		return s.object(d)
	case t != json.Delim('['):
		return nil // its type is looked at later
	}
	for d.More() {
		if err := s.value(d); err != nil {
			return err
		}
	}
	_, err = d.Token() // its end
	return err
}
