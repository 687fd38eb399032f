package sexpr

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxJSONInt is the largest integer that every JSON implementation keeps exact.
const maxJSONInt = 1<<53 - 1

// FromJSON reads one JSON text with the default limits. An object becomes a
// plist, its keys keywords in the same order; [] becomes nil, {} the symbol {},
// true t, and false and null the symbols of these names. A number with a point
// or an exponent becomes a float, any other an integer.
//
// Ambiguous JSON is an error, with its place: a repeated key, data after the value,
// text that is not UTF-8, a lone surrogate, an integer beyond 2^53-1, and a number
// that would lose digits.
func FromJSON(data []byte) (Value, error) { return Reader{}.FromJSON("", data) }

// FromJSON is [FromJSON] with the limits of r; the file is named in errors.
func (r Reader) FromJSON(file string, data []byte) (Value, error) {
	limits := r.Limits.orDefaults()
	if len(data) > limits.Bytes {
		return Value{}, tooLong(file, len(data), limits.Bytes)
	}
	src := string(data)
	if !utf8.ValidString(src) {
		return Value{}, checkText(src).locate(file, src, start)
	}
	if !json.Valid(data) { // the standard library judges the grammar
		return Value{}, jsonSyntax(file, src)
	}
	if fault := measureJSON(src, limits); fault != nil {
		return Value{}, fault.locate(file, src, start)
	}
	d := jsonReader{src: src, limits: limits, pos: start}
	v, fault := d.value()
	if fault != nil {
		return Value{}, fault.locate(file, src, start)
	}
	return v, nil
}

// jsonSyntax returns the error of a text that is not JSON.
func jsonSyntax(file, src string) error {
	var raw json.RawMessage
	err := json.Unmarshal([]byte(src), &raw)
	f := fault{off: len(src), found: "text that is not JSON", expected: "one JSON value"}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		f.found = "text that is not JSON: " + syntax.Error()
		f.off = max(0, min(int(syntax.Offset)-1, len(src)))
		f.incomplete = syntax.Error() == "unexpected end of JSON input"
		if f.incomplete {
			f.off = len(src)
		}
	}
	e := f.locate(file, src, start)
	e.Err = err
	return e
}

// measureJSON enforces the limits on a text that is known to be JSON, before
// anything is built.
func measureJSON(src string, limits Limits) *fault {
	atoms, lists, depth := 0, 0, 0
	for off := 0; off < len(src); off++ {
		switch src[off] {
		case '[', '{':
			if depth++; depth > limits.Depth {
				return tooNested(off, limits.Depth)
			}
			if lists++; lists > limits.Atoms {
				return &fault{off: off, found: "one list more", expected: "at most " + count(limits.Atoms, "list")}
			}
		case ']', '}':
			depth--
		case ' ', '\t', '\n', '\r', ',', ':':
		default:
			if atoms++; atoms > limits.Atoms {
				return &fault{off: off, found: "one atom more", expected: "at most " + count(limits.Atoms, "atom")}
			}
			off = endOfScalar(src, off) - 1
		}
	}
	return nil
}

// endOfScalar returns the offset after the string, number or word at off.
func endOfScalar(src string, off int) int {
	if src[off] == '"' {
		return endOfText(src, off+1, '"') + 1
	}
	for off < len(src) && strings.IndexByte(" \t\n\r,]}", src[off]) < 0 {
		off++
	}
	return off
}

// jsonReader builds the value of a text that is known to be JSON.
type jsonReader struct {
	src    string
	limits Limits
	off    int
	known  int // an offset whose position is pos
	pos    Pos
	open   []jsonFrame
	done   []Value
}

// jsonFrame is an object or array that is still open.
type jsonFrame struct {
	from   int // its first element in done
	pos    Pos
	object bool
	keys   map[string]bool // of an object with many
}

// fewKeys is how many keys are compared one by one.
const fewKeys = 8

// has reports whether an object with these elements has a key, and adds it if
// not.
func (f *jsonFrame) has(elements []Value, name string) bool {
	if f.keys == nil && len(elements) < 2*fewKeys {
		for i := 0; i < len(elements); i += 2 {
			if elements[i].text == name {
				return true
			}
		}
		return false
	}
	if f.keys == nil {
		f.keys = make(map[string]bool)
		for i := 0; i < len(elements); i += 2 {
			f.keys[elements[i].text] = true
		}
	}
	if f.keys[name] {
		return true
	}
	f.keys[name] = true
	return false
}

func (d *jsonReader) value() (Value, *fault) {
	for {
		d.blanks()
		pos := d.here()
		var v Value
		var f *fault
		switch c := d.src[d.off]; c {
		case '{', '[':
			d.open = append(d.open, jsonFrame{from: len(d.done), pos: pos, object: c == '{'})
			d.off++
			if d.blanks(); d.src[d.off] != c+2 { // not empty
				if c == '{' {
					if f := d.key(); f != nil {
						return Value{}, f
					}
				}
				continue
			}
			v = d.leave()
		default:
			v, f = d.scalar(c)
		}
		for {
			if f != nil {
				return Value{}, f
			}
			d.done = append(d.done, v.At(pos))
			if len(d.open) == 0 {
				return d.done[0], nil
			}
			top := &d.open[len(d.open)-1]
			if d.blanks(); d.src[d.off] == ',' {
				d.off++
				if top.object {
					f = d.key()
				}
				if f != nil {
					return Value{}, f
				}
				break
			}
			pos = top.pos
			v = d.leave()
		}
	}
}

func (d *jsonReader) blanks() {
	for d.off < len(d.src) && strings.IndexByte(" \t\n\r", d.src[d.off]) >= 0 {
		d.off++
	}
}

func (d *jsonReader) here() Pos {
	d.pos = advance(d.pos, d.src[d.known:d.off])
	d.known = d.off
	return d.pos
}

// leave makes the innermost open object or array.
func (d *jsonReader) leave() Value {
	top := d.open[len(d.open)-1]
	d.open = d.open[:len(d.open)-1]
	d.off++
	v := ListOf(append([]Value(nil), d.done[top.from:]...)...)
	d.done = d.done[:top.from]
	if v.IsNil() && top.object {
		return EmptyObject()
	}
	return v
}

// key reads the key of a member and its colon.
func (d *jsonReader) key() *fault {
	d.blanks()
	pos, from := d.here(), d.off
	name, f := d.text()
	if f != nil {
		return f
	}
	object := &d.open[len(d.open)-1]
	if object.has(d.done[object.from:], name) {
		return &fault{off: from, found: "the key " + quoted(name) + " a second time", expected: "each key once"}
	}
	d.done = append(d.done, Key(name).At(pos))
	d.blanks()
	d.off++ // the colon
	return nil
}

func (d *jsonReader) scalar(c byte) (Value, *fault) {
	if c == '"' {
		s, f := d.text()
		return Str(s), f
	}
	from := d.off
	d.off = endOfScalar(d.src, from)
	switch c {
	case 't':
		return T(), nil
	case 'f':
		return False(), nil
	case 'n':
		return Null(), nil
	}
	v, f := jsonNumber(d.src[from:d.off])
	if f != nil {
		f.off = from
	}
	return v, f
}

// text reads a string.
func (d *jsonReader) text() (string, *fault) {
	from := d.off
	stop := endOfText(d.src, from+1, '"')
	raw := d.src[from+1 : stop]
	d.off = stop + 1
	s, f := unescapeJSON(raw)
	if f != nil {
		f.off += from + 1
		return "", f
	}
	if len(s) > d.limits.String {
		return "", &fault{off: from, found: "a text of " + count(len(s), "byte"),
			expected: "at most " + count(d.limits.String, "byte")}
	}
	return s, nil
}

// unescapeJSON reads the escapes of a JSON string. Their grammar is known to be
// right; surrogates are not.
func unescapeJSON(s string) (string, *fault) {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s, nil
	}
	b := make([]byte, 0, len(s))
	for from := 0; ; {
		b = append(b, s[from:i]...)
		from = i + 2
		switch c := s[i+1]; c {
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'u':
			r := hexRune(s[i+2 : i+6])
			from = i + 6
			if utf16.IsSurrogate(r) {
				r = utf8.RuneError
				if strings.HasPrefix(s[from:], `\u`) {
					r = utf16.DecodeRune(hexRune(s[i+2:i+6]), hexRune(s[from+2:from+6]))
				}
				if r == utf8.RuneError {
					return "", &fault{off: i, found: "a lone surrogate " + quoted(s[i:i+6]), expected: "a pair of surrogates"}
				}
				from += 6
			}
			b = utf8.AppendRune(b, r)
		default:
			b = append(b, c)
		}
		next := strings.IndexByte(s[from:], '\\')
		if next < 0 {
			return string(append(b, s[from:]...)), nil
		}
		i = from + next
	}
}

// jsonNumber reads a number that keeps every digit.
func jsonNumber(s string) (Value, *fault) {
	if !strings.ContainsAny(s, ".eE") {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n > maxJSONInt || n < -maxJSONInt {
			return Value{},
				&fault{found: "the integer " + clip(s, 40), expected: "one within 2^53-1; send larger ones as strings"}
		}
		return Int64(n), nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !sameDigits(s, strconv.FormatFloat(f, 'e', -1, 64)) {
		return Value{}, &fault{found: "the number " + clip(s, 40),
			expected: "one that a 64-bit float holds without losing digits; send others as strings"}
	}
	return Float64(f), nil
}

// sameDigits reports whether two decimals are the same number, digit by digit.
func sameDigits(a, b string) bool {
	da, ea := decimal(a)
	db, eb := decimal(b)
	return da == db && (ea == eb || da == "")
}

// decimal takes a number apart: its digits without zeros at either end, and the
// exponent of a point before the first of them. Exponents beyond all floats are
// cut.
func decimal(s string) (digits string, exp int) {
	s = strings.TrimLeft(s, "+-")
	mantissa, e := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, e = s[:i], s[i+1:]
	}
	whole, part, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+part, "0")
	exp = len(whole) - (len(whole) + len(part) - len(digits))
	n, err := strconv.Atoi(e)
	if err != nil && e != "" {
		n = math.MaxInt32
	}
	return strings.TrimRight(digits, "0"), exp + n
}
