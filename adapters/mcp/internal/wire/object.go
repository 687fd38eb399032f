package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Object is the members of a JSON object, in order.
type Object []Member

// Member is one member of an object. Its value is [Normal].
type Member struct {
	Key   string
	Value json.RawMessage
}

// Members splits a JSON object.
func Members(raw []byte) (Object, error) {
	whole, err := Normal(raw)
	if err != nil {
		return nil, err
	}
	return split(whole)
}

// split is [Members] for a text that is [Normal].
func split(whole json.RawMessage) (Object, error) {
	if whole[0] != '{' {
		return nil, errors.New("it is not an object")
	}
	var all Object
	d := json.NewDecoder(bytes.NewReader(whole))
	_, err := d.Token()
	for err == nil && d.More() {
		var key json.Token
		var m Member
		if key, err = d.Token(); err == nil {
			m.Key, _ = key.(string)
			err = d.Decode(&m.Value)
		}
		all = append(all, m)
	}
	return all, err
}

// Get returns the value of a key, or nil.
func (o Object) Get(key string) json.RawMessage {
	for _, m := range o {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// Text returns the value of a key that is a string; "" if there is none.
func (o Object) Text(key string) (s string) {
	if v := o.Get(key); len(v) > 0 && v[0] == '"' {
		_ = json.Unmarshal(v, &s)
	}
	return s
}

// Object returns the members of the value of a key; nil if that is not an object.
func (o Object) Object(key string) Object {
	v := o.Get(key)
	if len(v) == 0 {
		return nil
	}
	all, _ := Members(v)
	return all
}

// List returns the elements of the value of a key, and whether that is a list.
func (o Object) List(key string) (all []json.RawMessage, ok bool) {
	v := o.Get(key)
	return all, len(v) > 0 && v[0] == '[' && json.Unmarshal(v, &all) == nil
}

// Set returns the object with a value of a key, in the place where the key was, or else at the end. A nil value
// takes the key out.
func (o Object) Set(key string, value json.RawMessage) Object {
	at := slices.IndexFunc(o, func(m Member) bool { return m.Key == key })
	o = slices.Clone(o)
	switch {
	case at < 0 && value != nil:
		o = append(o, Member{key, value})
	case at >= 0 && value == nil:
		o = slices.Delete(o, at, at+1)
	case at >= 0:
		o[at].Value = value
	}
	return o
}

// JSON writes the object. It refuses a value that is not one JSON text.
func (o Object) JSON() (json.RawMessage, error) {
	b := []byte{'{'}
	for i, m := range o {
		value, err := Normal(m.Value)
		if err != nil {
			return nil, fmt.Errorf("the value of %q: %w", m.Key, err)
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, Encode(m.Key)...), ':'), value...)
	}
	return append(b, '}'), nil
}
