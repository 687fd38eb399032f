package sexpr

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"
)

// maxDepth bounds the nesting of printed values. Readers stop far earlier; a deeper
// value made in Go is a mistake, such as a slice that holds itself, and an error is
// better than an endless loop.
const maxDepth = 1000

// Print returns v as text that reads back as v, on one line and without reordering.
// It returns an error for values that cannot be written: a NaN or infinity, text that
// is not UTF-8, and lists nested deeper than 1000.
func Print(v Value) (string, error) {
	dst, err := AppendPrint(nil, v)
	return string(dst), err
}

// AppendPrint appends the result of [Print] to dst. On an error it returns dst
// unchanged.
func AppendPrint(dst []byte, v Value) ([]byte, error) {
	p := printer{dst: dst}
	if err := p.value(&v, 0); err != nil {
		return dst, err
	}
	return p.dst, nil
}

// String prints v for people, on one line. A value that cannot be written is shown
// as #<why>, which readers do not accept.
func (v Value) String() string {
	s, err := Print(v)
	if err != nil {
		return "#<" + err.Error() + ">"
	}
	return s
}

// printer appends the text of values to dst.
type printer struct {
	dst       []byte
	canonical bool
	order     []int32 // of the keys of the open plists that are not sorted
}

// value writes v, which stands inside depth lists.
func (p *printer) value(v *Value, depth int) error {
	switch v.kind {
	case List:
		return p.items(v, depth)
	case Int:
		p.dst = strconv.AppendInt(p.dst, int64(v.num), 10)
	case Float:
		if err := checkFinite(v); err != nil {
			return err
		}
		p.dst = appendFloat(p.dst, v.Float())
	case String:
		return p.text(v, '"')
	case Keyword:
		p.dst = append(p.dst, ':')
		if !isBareKey(v.text) {
			return p.text(v, '|')
		}
		p.dst = append(p.dst, v.text...)
	case Symbol:
		if !isBareSymbol(v.text) {
			return p.text(v, '|')
		}
		p.dst = append(p.dst, v.text...)
	}
	return nil
}

// items writes a list.
func (p *printer) items(v *Value, depth int) error {
	if len(v.list) == 0 {
		p.dst = append(p.dst, "nil"...)
		return nil
	}
	if depth == maxDepth {
		return tooDeep(v)
	}
	order := p.order[len(p.order):]
	if p.canonical && v.IsPlist() {
		all, err := appendOrder(p.order, v)
		if err != nil {
			return err
		}
		order = all[len(p.order):]
		defer func(n int) { p.order = p.order[:n] }(len(p.order))
		p.order = all
	}
	for i := range v.list {
		if i == 0 {
			p.dst = append(p.dst, '(')
		} else {
			p.dst = append(p.dst, ' ')
		}
		at := i
		if len(order) > 0 {
			at = int(order[i/2]) + i%2
		}
		if err := p.value(&v.list[at], depth+1); err != nil {
			return err
		}
	}
	p.dst = append(p.dst, ')')
	return nil
}

func tooDeep(v *Value) error {
	return valueError(v, "a list at depth "+strconv.Itoa(maxDepth+1), "at most depth "+strconv.Itoa(maxDepth))
}

func checkFinite(v *Value) error {
	if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
		return valueError(v, "the float "+strconv.FormatFloat(f, 'g', -1, 64), "a finite number")
	}
	return nil
}

func checkUTF8(v *Value) error {
	if !utf8.ValidString(v.text) {
		return valueError(v, "text that is not UTF-8: "+quoted(v.text), "UTF-8")
	}
	return nil
}

// appendFloat writes the shortest decimal that reads back as f, always with a
// point or an exponent, so that it stays a float.
func appendFloat(dst []byte, f float64) []byte {
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		at := len(dst)
		dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
		return trimExponent(dst, at)
	}
	at := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if bytes.IndexByte(dst[at:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

// trimExponent turns 1e+21 into 1e21, and 1e-07 into 1e-7.
func trimExponent(dst []byte, from int) []byte {
	e := from
	for dst[e] != 'e' {
		e++
	}
	digits := string(dst[e+2:])
	minus := dst[e+1] == '-'
	dst = dst[:e+1]
	if minus {
		dst = append(dst, '-')
	}
	if len(digits) > 1 && digits[0] == '0' {
		digits = digits[1:]
	}
	return append(dst, digits...)
}

// text writes a string, or a name in bars.
func (p *printer) text(v *Value, quote byte) error {
	s := v.text
	if err := checkUTF8(v); err != nil {
		return err
	}
	p.dst = append(p.dst, quote)
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7f && c != '\\' && c != quote {
			i++
			continue
		}
		r, n := rune(c), 1
		if c >= utf8.RuneSelf {
			if r, n = utf8.DecodeRuneInString(s[i:]); !hidden(r) {
				i += n
				continue
			}
		}
		p.dst = append(p.dst, s[from:i]...)
		p.dst = appendEscape(p.dst, r)
		i += n
		from = i
	}
	p.dst = append(p.dst, s[from:]...)
	p.dst = append(p.dst, quote)
	return nil
}

// hidden reports whether a character beyond ASCII is escaped when it is printed:
// C1 controls, the separators that would break the one line, and what a text
// may not hold bare.
func hidden(r rune) bool {
	return r <= 0x9f || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}

func appendEscape(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\', '|':
		return append(dst, '\\', byte(r))
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	dst = append(dst, `\u{`...)
	dst = strconv.AppendInt(dst, int64(r), 16)
	return append(dst, '}')
}
