package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"unicode/utf8"
)

// Most bounds an event, in bytes. Events after a call hold its result. The arguments of a call are
// bounded more tightly, by what an action may hold.
const Most = 16 << 20

// deepest bounds how far JSON may be nested, as package sexpr does.
const deepest = 64

// object is a JSON object, each key once and spelled exactly.
type object map[string]json.RawMessage

// readObject reads one JSON object and nothing behind it. A key that stands twice, at any depth, is
// an error: of two values, the guard would judge one and the host might run the other.
func readObject(what string, raw []byte) (object, error) {
	if len(raw) > Most {
		return nil, fmt.Errorf("%s has more than %d bytes", what, Most)
	}
	if !utf8.Valid(raw) {
		return nil, fmt.Errorf("%s is not UTF-8", what)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	first, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("%s is not JSON: %w", what, whole(err))
	}
	if first != json.Delim('{') {
		return nil, fmt.Errorf("%s is not a JSON object", what)
	}
	if err := once(d, '{', 1); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s has something behind the object", what)
	}
	o := object{}
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, fmt.Errorf("%s is not JSON: %w", what, err)
	}
	return o, nil
}

func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// once reads the rest of an object or array, and finds a key that stands twice in it.
func once(d *json.Decoder, open json.Delim, depth int) error {
	if depth > deepest {
		return fmt.Errorf("it is nested more than %d deep", deepest)
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return whole(err)
		}
		if open == '{' {
			key, _ := t.(string)
			if seen[key] {
				return fmt.Errorf("the key %.40q stands twice", key)
			}
			seen[key] = true
			if t, err = d.Token(); err != nil {
				return whole(err)
			}
		}
		if inner, ok := t.(json.Delim); ok {
			if err := once(d, inner, depth+1); err != nil {
				return err
			}
		}
	}
	_, err := d.Token() // its end
	return whole(err)
}

// text returns a string that must be there and must not be empty.
func (o object) text(key string) (string, error) {
	s, err := o.maybe(key)
	if err == nil && s == "" {
		return "", fmt.Errorf("%q is missing", key)
	}
	return s, err
}

// maybe returns a string, "" where it is absent or null.
func (o object) maybe(key string) (string, error) {
	raw, ok := o[key]
	if !ok || string(raw) == "null" {
		return "", nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", fmt.Errorf("%q is not a string", key)
	}
	return s, nil
}

// arguments returns the arguments of a call: an object, or, where a host writes it so, a string
// that holds one.
func (o object) arguments(key string) (json.RawMessage, error) {
	raw, ok := o[key]
	if !ok {
		return nil, fmt.Errorf("%q is missing", key)
	}
	if len(raw) > 0 && raw[0] == '"' {
		s, err := o.text(key)
		if err != nil {
			return nil, err
		}
		raw = json.RawMessage(s)
	}
	_, err := readObject(key, raw)
	return raw, err
}

// fields reads strings into an event. A key that begins with ? may be absent.
func (o object) fields(of map[string]*string) error {
	for key, into := range of {
		var err error
		if key[0] == '?' {
			*into, err = o.maybe(key[1:])
		} else {
			*into, err = o.text(key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// folder refuses a working folder that is not absolute: relative to what would be unknown.
func folder(cwd string) error {
	if cwd != "" && !filepath.IsAbs(cwd) {
		return fmt.Errorf("the working folder %.80q is not absolute", cwd)
	}
	return nil
}

// unknownTool refuses an event of a kind that is not known and that seems to be about a call.
func unknownTool(e Event, o object, signs ...string) error {
	for _, key := range signs {
		if _, ok := o[key]; ok && e.Kind == Other {
			return fmt.Errorf("the event %.40q has %q, so it may run a tool, and it is not known", e.Name, key)
		}
	}
	return nil
}
