package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/reason/model"
)

const (
	maxKey = 16 << 10 // bytes of a key
	// minErrorKey and minAnswerKey are the minimum lengths of keys that are
	// searched for in errors and in answers. A shorter key, such as the EMPTY that
	// some local servers want, would match ordinary words.
	minErrorKey  = 4
	minAnswerKey = 16
	redacted     = "[key]"
)

// secrets are values that must not be shown. A function returns them, so that
// printing the surrounding values does not reach them.
type secrets func() []string

func keep(values ...string) secrets {
	return func() []string { return values }
}

// scrub removes them from a text for people.
func (s secrets) scrub(text string) string {
	if s == nil {
		return text
	}
	for _, v := range s() {
		if len(v) >= minErrorKey {
			text = strings.ReplaceAll(text, v, redacted)
		}
	}
	return text
}

// in reports whether a model's text repeats one of them.
func (s secrets) in(text string) bool {
	return s != nil && slices.ContainsFunc(s(), func(v string) bool {
		return len(v) >= minAnswerKey && strings.Contains(text, v)
	})
}

// inJSON is in for JSON text, whose strings may be written in many ways.
func (s secrets) inJSON(text string) bool {
	if s.in(text) {
		return true
	}
	var v any
	return strings.Contains(text, `\`) && json.Unmarshal([]byte(text), &v) == nil && s.inValue(v)
}

func (s secrets) inValue(v any) bool {
	switch v := v.(type) {
	case string:
		return s.in(v)
	case []any:
		return slices.ContainsFunc(v, s.inValue)
	case map[string]any:
		for k, x := range v {
			if s.in(k) || s.inValue(x) {
				return true
			}
		}
	}
	return false
}

// repeats reports whether an answer has a secret in it, which would go into the
// record.
func repeats(s secrets, out model.Completion) bool {
	return s.in(out.Text) || slices.ContainsFunc(out.Calls, func(n model.NativeCall) bool {
		return s.in(n.ID) || s.in(n.Name) || s.inJSON(n.Arguments)
	})
}

// readKey returns the key that a Config names, "" if it names none. Errors name its
// place and never its value.
func (c *Config) readKey() (string, error) {
	switch {
	case c.KeyEnv != "" && c.KeyFile != "":
		return "", errors.New("key_env and key_file: expected one of the two")
	case c.KeyEnv != "":
		key, ok := os.LookupEnv(c.KeyEnv)
		if !ok || strings.TrimSpace(key) == "" {
			return "", fmt.Errorf("key_env: the environment variable %s is not set", c.KeyEnv)
		}
		return oneLine("key_env", key)
	case c.KeyFile != "":
		f, err := os.Open(c.KeyFile)
		if err != nil {
			return "", fmt.Errorf("key_file: %w", err)
		}
		defer func() { _ = f.Close() }() // opened only for reading
		data, err := io.ReadAll(io.LimitReader(f, maxKey+1))
		if err != nil {
			return "", fmt.Errorf("key_file: %w", err)
		}
		if len(bytes.TrimSpace(data)) == 0 {
			return "", fmt.Errorf("key_file: %s is empty", c.KeyFile)
		}
		return oneLine("key_file", string(data))
	}
	return "", nil
}

// oneLine returns a key without the white space around it.
func oneLine(where, key string) (string, error) {
	key = strings.TrimSpace(key)
	if len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", fmt.Errorf("%s: holds something else than a key, expected one line of printable ASCII", where)
	}
	return key, nil
}
