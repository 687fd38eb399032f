package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxDepth is more than requests nest their own members.
const maxDepth = 16

// checkRequest refuses a text that two readers could read in two ways: one that is not UTF-8, or not an object, or that
// has a key twice or in another case. encoding/json takes a key in any case, and of two the last. What a tool was given
// and what it returned are read elsewhere.
func checkRequest(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("found bytes that are not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	t, err := d.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return errors.New("expected an object")
	}
	return checkObject(d, 0)
}

// checkObject reads the rest of an object.
func checkObject(d *json.Decoder, depth int) error {
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		switch {
		case strings.ContainsFunc(key, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }):
			return fmt.Errorf("unknown field %.40q: the names of fields have small letters", key)
		case seen[key]:
			return fmt.Errorf("the key %.40q stands twice in an object", key)
		}
		seen[key] = true
		if key == "args" || key == "result" {
			var skipped json.RawMessage
			err = d.Decode(&skipped)
		} else {
			err = checkValue(d, depth+1)
		}
		if err != nil {
			return err
		}
	}
	_, err := d.Token() // its end
	return err
}

// checkValue reads a value.
func checkValue(d *json.Decoder, depth int) error {
	t, err := d.Token()
	switch {
	case err != nil:
		return err
	case depth > maxDepth:
		return fmt.Errorf("found more than %d levels", maxDepth)
	case t == json.Delim('{'):
		return checkObject(d, depth)
	case t != json.Delim('['):
		return nil
	}
	for d.More() {
		if err := checkValue(d, depth+1); err != nil {
			return err
		}
	}
	_, err = d.Token() // its end
	return err
}
