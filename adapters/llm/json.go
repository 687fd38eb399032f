package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/opencortex-go/cortex/reason/model"
)

// maxDepth is how deep an answer's JSON may be nested.
const maxDepth = 100

// object reads a JSON object by its exact keys; encoding/json would ignore case.
func object(data []byte) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	if m == nil {
		return nil, errors.New("null where an object is due")
	}
	return m, nil
}

// strict returns an error if readers could disagree about a JSON text: a repeated
// key in an object, or data after the value.
func strict(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	type level struct {
		keys map[string]bool // nil in an array
		key  bool            // a key comes next
	}
	var stack []level
	for first := true; first || len(stack) > 0; first = false {
		t, err := d.Token()
		if err != nil {
			return notJSON(err)
		}
		n := len(stack)
		if k, ok := t.(string); ok && n > 0 && stack[n-1].key {
			if stack[n-1].keys[k] {
				return errors.New("the answer has a key twice in one object")
			}
			stack[n-1].keys[k], stack[n-1].key = true, false
			continue
		}
		switch t {
		case json.Delim('{'):
			stack = append(stack, level{keys: map[string]bool{}, key: true})
		case json.Delim('['):
			stack = append(stack, level{})
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:n-1]
			n -= 2
			if n >= 0 && stack[n].keys != nil {
				stack[n].key = true
			}
			continue
		default:
			if n > 0 && stack[n-1].keys != nil {
				stack[n-1].key = true
			}
		}
		if len(stack) > maxDepth {
			return fmt.Errorf("the answer is nested deeper than %d", maxDepth)
		}
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("the answer has more behind its JSON")
	}
	return nil
}

func notJSON(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the answer is JSON that ends too early")
	}
	return fmt.Errorf("the answer is not JSON: %w", err)
}

// textOf reads a string; null and nothing are "".
func textOf(raw json.RawMessage) (string, error) {
	var s *string
	if len(raw) == 0 {
		return "", nil
	}
	if err := json.Unmarshal(raw, &s); err != nil || s == nil {
		return "", err
	}
	return *s, nil
}

// listOf reads an array; null and nothing are empty.
func listOf(raw json.RawMessage) (out []json.RawMessage, err error) {
	if len(raw) > 0 {
		err = json.Unmarshal(raw, &out)
	}
	return out, err
}

// numberOf reads a count of tokens; anything but a number is 0, so that a bad bill
// does not cost the answer.
func numberOf(raw json.RawMessage) int64 {
	var f float64
	const most = 1 << 50
	if json.Unmarshal(raw, &f) != nil || !(f > 0) {
		return 0
	}
	return int64(min(f, most))
}

// moneyOf reads dollars in the same way.
func moneyOf(raw json.RawMessage) (cost float64, ok bool) {
	if len(raw) == 0 || json.Unmarshal(raw, &cost) != nil || cost < 0 {
		return 0, false
	}
	return cost, string(raw) != "null"
}

// unthought removes the thinking that some servers leave at the front of an answer:
// proposals in it do not count.
func unthought(text string) string {
	const begin, end = "<think>", "</think>"
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\r\n"), begin)
	if !ok {
		return text
	}
	_, said, ok := strings.Cut(rest, end)
	if !ok {
		return "" // truncated while thinking
	}
	return said
}

// maxCalls bounds the tool calls of one answer.
const maxCalls = 64

// identified gives every call an id that no other call of the answer has.
func identified(calls []model.NativeCall) []model.NativeCall {
	const longest = 128
	taken := map[string]bool{}
	for i := range calls {
		id := calls[i].ID
		if id == "" || len(id) > longest || taken[id] {
			for n := i + 1; ; n++ {
				if id = fmt.Sprintf("call-%d", n); !taken[id] {
					break
				}
			}
		}
		calls[i].ID, taken[id] = id, true
	}
	return calls
}
