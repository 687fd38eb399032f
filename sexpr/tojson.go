package sexpr

import (
	"strconv"
	"unicode/utf8"
)

// CheckJSON returns an error if v cannot be a tool's arguments. In arguments every
// value has exactly one meaning in JSON: the only symbols are t, false, null, {} and
// nil; keywords occur only as keys; integers are at most 2^53-1; and [Canonical] must
// succeed.
func CheckJSON(v Value) error {
	w := jsonWriter{check: true}
	return w.value(&v, 0)
}

// ToJSON returns v as JSON, members in the order of the plist. It returns an error
// where [CheckJSON] does.
func ToJSON(v Value) ([]byte, error) { return AppendJSON(nil, v) }

// MarshalJSON is [ToJSON].
func (v Value) MarshalJSON() ([]byte, error) { return ToJSON(v) }

// UnmarshalJSON is [FromJSON].
func (v *Value) UnmarshalJSON(data []byte) error {
	read, err := FromJSON(data)
	if err == nil {
		*v = read
	}
	return err
}

// AppendJSON appends the result of [ToJSON] to dst. On an error it returns dst
// unchanged.
func AppendJSON(dst []byte, v Value) ([]byte, error) {
	w := jsonWriter{dst: dst}
	if err := w.value(&v, 0); err != nil {
		return dst, err
	}
	return w.dst, nil
}

// jsonWriter appends JSON to dst, or only checks that it could.
type jsonWriter struct {
	dst   []byte
	check bool
	order []int32 // kept from one plist to the next
}

func (w *jsonWriter) put(s string) {
	if !w.check {
		w.dst = append(w.dst, s...)
	}
}

// value writes v, which stands inside depth lists.
func (w *jsonWriter) value(v *Value, depth int) error {
	switch v.kind {
	case List:
		return w.list(v, depth)
	case Keyword:
		return valueError(v, "the keyword "+quoted(":"+v.text)+" as a value", "a string")
	case Symbol:
		return w.symbol(v)
	case String:
		return w.text(v)
	case Int:
		if n := v.Int(); n > maxJSONInt || n < -maxJSONInt {
			return valueError(v, "the integer "+strconv.FormatInt(n, 10), "one within 2^53-1; write larger ones as strings")
		}
		if !w.check {
			w.dst = strconv.AppendInt(w.dst, v.Int(), 10)
		}
	case Float:
		if err := checkFinite(v); err != nil {
			return err
		}
		if !w.check {
			w.dst = appendFloat(w.dst, v.Float())
		}
	}
	return nil
}

func (w *jsonWriter) symbol(v *Value) error {
	switch v.text {
	case "t":
		w.put("true")
	case "false", "null", "{}":
		w.put(v.text)
	default:
		return valueError(v, "the symbol "+quoted(v.text), `a string, or one of t nil false null {}`)
	}
	return nil
}

// list writes an array or an object.
func (w *jsonWriter) list(v *Value, depth int) error {
	if depth == maxDepth {
		return tooDeep(v)
	}
	object := v.IsPlist()
	if object {
		order, err := appendOrder(w.order[:0], v)
		if err != nil {
			return err
		}
		w.order = order
		w.put("{")
	} else {
		w.put("[")
	}
	for i := range v.list {
		if i > 0 && !(object && i%2 == 1) {
			w.put(",")
		}
		if object && i%2 == 0 {
			if err := w.text(&v.list[i]); err != nil {
				return err
			}
			w.put(":")
			continue
		}
		if err := w.value(&v.list[i], depth+1); err != nil {
			return err
		}
	}
	if object {
		w.put("}")
	} else {
		w.put("]")
	}
	return nil
}

// text writes a string or a key, with the escapes that JSON demands and no
// others.
func (w *jsonWriter) text(v *Value) error {
	if err := checkUTF8(v); err != nil || w.check {
		return err
	}
	s := v.text
	w.dst = append(w.dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' || c >= utf8.RuneSelf {
			continue
		}
		w.dst = append(w.dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			w.dst = append(w.dst, '\\', c)
		case '\n':
			w.dst = append(w.dst, `\n`...)
		case '\r':
			w.dst = append(w.dst, `\r`...)
		case '\t':
			w.dst = append(w.dst, `\t`...)
		default:
			w.dst = append(w.dst, `\u00`...)
			w.dst = append(w.dst, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		}
	}
	w.dst = append(w.dst, s[from:]...)
	w.dst = append(w.dst, '"')
	return nil
}
