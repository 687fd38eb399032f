package nrepl

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// errBencode is the cause of every error after which the next message cannot be
// found.
var errBencode = errors.New("this is not a nREPL message")

// dict is a message: its values are strings, int64s, []any and dicts.
type dict map[string]any

// text is a member that is a string, or "".
func (d dict) text(key string) string {
	s, _ := d[key].(string)
	return s
}

// number is a member that is an integer, or 0.
func (d dict) number(key string) int64 {
	n, _ := d[key].(int64)
	return n
}

// The limits of one message from a client.
const (
	maxDepth  = 32
	maxValues = 4096
	maxDigits = 20
)

// reader reads one message.
type reader struct {
	in     *bufio.Reader
	left   int // bytes that the message may still have
	values int
}

// readMessage reads one message of at most limit bytes, and returns an error if it
// is not a dict. It does not allocate by announced lengths: buffers grow with the
// data. At the end of the stream, before a message begins, it returns io.EOF.
func readMessage(in *bufio.Reader, limit int) (dict, error) {
	if _, err := in.Peek(1); err != nil {
		return nil, err
	}
	r := &reader{in: in, left: limit}
	v, err := r.value(0)
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: the stream ends within it", errBencode)
	}
	if err != nil {
		return nil, err
	}
	d, ok := v.(dict)
	if !ok {
		return nil, fmt.Errorf("%w: expected a dict, such as d2:op8:describee", errBencode)
	}
	return d, nil
}

// next takes one byte.
func (r *reader) next() (byte, error) {
	if err := r.spend(1); err != nil {
		return 0, err
	}
	return r.in.ReadByte()
}

func (r *reader) spend(n int) error {
	if n > r.left {
		return fmt.Errorf("%w: it is too long", errBencode)
	}
	r.left -= n
	return nil
}

func (r *reader) value(depth int) (any, error) {
	c, err := r.next()
	if err != nil {
		return nil, err
	}
	return r.valueFrom(c, depth)
}

// valueFrom reads the value whose first byte is c.
func (r *reader) valueFrom(c byte, depth int) (any, error) {
	if r.values++; r.values > maxValues {
		return nil, fmt.Errorf("%w: more than %d values in it", errBencode, maxValues)
	}
	if depth == maxDepth && (c == 'd' || c == 'l') {
		return nil, fmt.Errorf("%w: nested more than %d deep", errBencode, maxDepth)
	}
	switch {
	case c == 'i':
		return r.integer('e', 0)
	case c == 'l':
		return r.list(depth + 1)
	case c == 'd':
		return r.dict(depth + 1)
	case '0' <= c && c <= '9':
		return r.string(c)
	}
	return nil, fmt.Errorf("%w: found the byte %q, expected the beginning of a value: d, l, i or a length", errBencode, c)
}

func (r *reader) list(depth int) (any, error) {
	out := []any{}
	for {
		c, err := r.next()
		if err != nil || c == 'e' {
			return out, err
		}
		v, err := r.valueFrom(c, depth)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
}

// dict reads members in any order, as clients write them. A repeated key is an
// error: two readers could see two messages.
func (r *reader) dict(depth int) (any, error) {
	out := dict{}
	for {
		c, err := r.next()
		if err != nil || c == 'e' {
			return out, err
		}
		k, err := r.valueFrom(c, depth)
		if err != nil {
			return nil, err
		}
		key, ok := k.(string)
		if _, twice := out[key]; !ok || twice {
			return nil, fmt.Errorf("%w: keys are strings, and none stands twice in a dict", errBencode)
		}
		if out[key], err = r.value(depth); err != nil {
			return nil, err
		}
	}
}

// integer reads digits up to the byte end; first is one that was read before, or
// 0. Digits have one way to be written.
func (r *reader) integer(end, first byte) (int64, error) {
	var text []byte
	if first != 0 {
		text = append(text, first)
	}
	for {
		c, err := r.next()
		if err != nil {
			return 0, err
		}
		if c == end {
			break
		}
		if text = append(text, c); len(text) > maxDigits {
			return 0, fmt.Errorf("%w: a number of more than %d digits", errBencode, maxDigits)
		}
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != string(text) {
		return 0, fmt.Errorf("%w: %q is not a number", errBencode, text)
	}
	return n, nil
}

func (r *reader) string(first byte) (string, error) {
	n, err := r.integer(':', first)
	if err != nil {
		return "", err
	}
	if n > int64(r.left) {
		return "", fmt.Errorf("%w: a string of %d bytes is too long", errBencode, n)
	}
	r.left -= int(n)
	// Reading in pieces allocates only for data that has arrived.
	var text []byte
	for len(text) < int(n) {
		at := len(text)
		text = append(text, make([]byte, min(int(n)-at, 4096))...)
		if _, err := io.ReadFull(r.in, text[at:]); err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = io.EOF
			}
			return "", err
		}
	}
	return string(text), nil
}

// appendValue appends a value; dicts have their keys in order.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		b = strconv.AppendInt(b, int64(len(v)), 10)
		b = append(b, ':')
		return append(b, v...)
	case int:
		return appendValue(b, int64(v))
	case int64:
		b = append(b, 'i')
		b = strconv.AppendInt(b, v, 10)
		return append(b, 'e')
	case []string:
		b = append(b, 'l')
		for _, x := range v {
			b = appendValue(b, x)
		}
		return append(b, 'e')
	case []any:
		b = append(b, 'l')
		for _, x := range v {
			b = appendValue(b, x)
		}
		return append(b, 'e')
	case dict:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		b = append(b, 'd')
		for _, k := range keys {
			b = appendValue(appendValue(b, k), v[k])
		}
		return append(b, 'e')
	}
	panic(fmt.Sprintf("nrepl: a %T cannot be sent", v)) // a mistake of this package: everything it sends is made of these
}
