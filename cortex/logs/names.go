package logs

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// MaxName bounds the names of logs, events, kinds, families and dedupe keys, in bytes.
const MaxName = 256

// MaxBytes bounds one piece of content, and the lines of one operation.
const MaxBytes = 8 << 20

// named checks a name: 1 to MaxName of a-z, 0-9, '_', ':', '>' and '-'. JSON spells such a
// name as it is, and keys of tables hold it.
func named(what, name string) error {
	if name == "" || len(name) > MaxName {
		return fmt.Errorf("%s %.40q: %d bytes, want 1 to %d", what, name, len(name), MaxName)
	}
	for _, c := range []byte(name) {
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == ':' || c == '>' || c == '-') {
			return fmt.Errorf("%s %q: %q in it; want only a-z, 0-9, and _ : > -", what, name, c)
		}
	}
	return nil
}

// object checks a JSON object that is to stand in a line: valid, and without white space
// around its tokens. That its members are in canonical order, and its numbers and strings
// spelled as RFC 8785 has it, is for the caller to see to.
func object(what, text string) error {
	if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) || spaced(text) {
		return fmt.Errorf("%s %.40q: want a JSON object in canonical form", what, text)
	}
	return nil
}

// spaced says whether JSON has white space around its tokens.
func spaced(text string) bool {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\':
			i++
		case c <= ' ' && !quoted:
			return true
		}
	}
	return false
}

// check checks an event that is to be entered.
func check(e *Event) error {
	err := errors.Join(checkNames(e), object("data of an event", e.Data))
	if e.Scope != "" {
		err = errors.Join(err, object("scope of an event", e.Scope))
	}
	return err
}

func checkNames(e *Event) error {
	return errors.Join(named("event id", e.ID), named("kind", e.Kind), named("dedupe key", e.Dedupe))
}
