package sexpr

import (
	"math"
	"strconv"
	"strings"
)

// looksNumeric reports whether a bare atom must be a number: a digit, after at
// most a sign and a point.
func looksNumeric(s string) bool {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	if s != "" && s[0] == '.' {
		s = s[1:]
	}
	return s != "" && isDigit(s[0])
}

// number reads an integer or a float.
func number(s string) (Value, *fault) {
	switch shapeOf(s) {
	case intShape:
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return Value{}, &fault{found: "the integer " + clip(s, 40), expected: "at most 64 bits"}
		}
		return Int64(n), nil
	case floatShape:
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsInf(f, 0) || f == 0 && hasDigit(s) {
			return Value{}, &fault{found: "the float " + clip(s, 40), expected: "one that 64 bits can hold"}
		}
		return Float64(f), nil
	}
	return Value{}, &fault{found: quoted(s), expected: "a number such as 12, -0.5 or 1e9"}
}

type shape uint8

const (
	noShape shape = iota
	intShape
	floatShape
)

// shapeOf distinguishes an integer ([+-]digits), a float (with digits after a point,
// an exponent, or both) and anything else.
func shapeOf(s string) shape {
	i, kind := 0, intShape
	if s[i] == '-' || s[i] == '+' {
		i++
	}
	digits := func() bool {
		at := i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		return i > at
	}
	whole := digits()
	if i < len(s) && s[i] == '.' {
		i++
		if !digits() {
			return noShape
		}
		whole, kind = true, floatShape
	}
	if whole && i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		if !digits() {
			return noShape
		}
		kind = floatShape
	}
	if !whole || i < len(s) {
		return noShape
	}
	return kind
}

// hasDigit reports whether the digits before the exponent are not all zero.
func hasDigit(s string) bool {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		s = s[:i]
	}
	return strings.ContainsAny(s, "123456789")
}
