package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// maxDepth bounds how deep lists and objects nest in a message.
const maxDepth = 500

var bom = []byte("\uFEFF")

// Normal reads one JSON text and returns it as this package's one writer writes it: no white space outside
// strings, no raw control or line-separating character, members in their order, numbers as their tokens. It
// refuses text that is not UTF-8 and a member that stands twice in one object. A lone surrogate becomes U+FFFD.
func Normal(raw []byte) (json.RawMessage, error) { return rewrite(raw, free) }

// rewrite is [Normal] for a text whose members at the top are to be read as s.
func rewrite(raw []byte, s scope) (json.RawMessage, error) {
	raw = bytes.TrimPrefix(raw, bom)
	if !utf8.Valid(raw) {
		return nil, errors.New("it is not UTF-8")
	}
	if !json.Valid(raw) { // the standard library judges the grammar
		var v json.RawMessage
		return nil, json.Unmarshal(raw, &v)
	}
	w := rewriter{in: raw, out: make([]byte, 0, len(raw)), scope: s}
	if err := w.value("", 0); err != nil {
		return nil, err
	}
	return w.out, nil
}

// argumentError is a fault within the arguments of a call.
type argumentError struct{ error }

func (e argumentError) Unwrap() error { return e.error }

// rewriter writes a text that is known to be JSON.
type rewriter struct {
	in    []byte
	at    int
	out   []byte
	scope scope // how the members of the value that comes next are read
}

func (w *rewriter) blanks() {
	for w.at < len(w.in) && bytes.IndexByte([]byte(" \t\n\r"), w.in[w.at]) >= 0 {
		w.at++
	}
}

// take moves past one byte of punctuation, and writes it.
func (w *rewriter) take() {
	w.out = append(w.out, w.in[w.at])
	w.at++
	w.blanks()
}

// value writes the value of a member; key is "" for an element and for the whole text.
func (w *rewriter) value(key string, depth int) error {
	w.blanks()
	if depth > maxDepth {
		return fmt.Errorf("it nests deeper than %d levels", maxDepth)
	}
	switch w.in[w.at] {
	case '{':
		return w.object(key, depth)
	case '[':
		return w.list(depth)
	case '"':
		w.text()
	default:
		for w.at < len(w.in) && bytes.IndexByte([]byte(" \t\n\r,]}"), w.in[w.at]) < 0 {
			w.out = append(w.out, w.in[w.at])
			w.at++
		}
	}
	w.blanks()
	return nil
}

func (w *rewriter) list(depth int) error {
	w.take()
	scope := w.scope
	for w.in[w.at] != ']' {
		w.scope = scope
		if err := w.value("", depth+1); err != nil {
			return err
		}
		if w.in[w.at] == ',' {
			w.take()
		}
	}
	w.take()
	return nil
}

func (w *rewriter) object(key string, depth int) error {
	w.take()
	scope := w.scope
	if key != "" {
		scope = scope.object(key)
	}
	var seen keys
	for w.in[w.at] != '}' {
		from := len(w.out)
		w.text()
		name := w.out[from+1 : len(w.out)-1]
		if !seen.add(string(name)) {
			return fmt.Errorf("the key \"%s\" stands in it twice", name)
		}
		inner, err := scope.member(string(name))
		if err != nil {
			return err
		}
		w.blanks()
		w.take() // the colon
		w.scope = inner
		if err := w.value(string(name), depth+1); err != nil {
			if scope == named && string(name) == "arguments" {
				err = argumentError{err}
			}
			return err
		}
		if w.in[w.at] == ',' {
			w.take()
		}
	}
	w.take()
	return nil
}

// keys are the names of an object's members.
type keys struct {
	few  []string
	many map[string]bool
}

// add reports whether a name is new.
func (k *keys) add(name string) bool {
	const most = 16
	if k.many == nil {
		for _, other := range k.few {
			if other == name {
				return false
			}
		}
		if len(k.few) < most {
			k.few = append(k.few, name)
			return true
		}
		k.many = make(map[string]bool, 2*most)
		for _, other := range k.few {
			k.many[other] = true
		}
	}
	if k.many[name] {
		return false
	}
	k.many[name] = true
	return true
}
