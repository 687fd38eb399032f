package sexpr

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decode reads the escapes of a string or of a name in bars: \" \\ \| \n \r \t,
// \u{h} with one to six digits, and \uXXXX, where a surrogate needs its pair. A
// fault's offset counts from the beginning of s.
func decode(s string) (string, *fault) {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s, nil
	}
	b := make([]byte, 0, len(s))
	for from := 0; ; {
		b = append(b, s[from:i]...)
		r, n, f := escape(s[i:])
		if f != nil {
			f.off += i
			return "", f
		}
		b = utf8.AppendRune(b, r)
		from = i + n
		next := strings.IndexByte(s[from:], '\\')
		if next < 0 {
			return string(append(b, s[from:]...)), nil
		}
		i = from + next
	}
}

// escape reads the escape at the beginning of s, and returns how long it is.
func escape(s string) (rune, int, *fault) {
	if len(s) < 2 {
		return 0, 0, unclosedText(s, '"')
	}
	switch s[1] {
	case '"', '\\', '|':
		return rune(s[1]), 2, nil
	case 'n':
		return '\n', 2, nil
	case 'r':
		return '\r', 2, nil
	case 't':
		return '\t', 2, nil
	case 'u':
		if len(s) > 2 && s[2] == '{' {
			return braced(s)
		}
		return fourDigits(s)
	}
	return 0, 0, &fault{found: "the escape " + quoted(firstRunes(s, 2)), expected: `one of \" \\ \| \n \r \t \u{h}`}
}

// braced reads \u{h}.
func braced(s string) (rune, int, *fault) {
	n := 3
	for n < len(s) && isHex(s[n]) {
		n++
	}
	if n == len(s) {
		return 0, 0, unclosedText(s, '"')
	}
	digits := s[3:n]
	if s[n] != '}' || digits == "" || len(digits) > 6 {
		return 0, 0, &fault{found: "the escape " + quoted(firstRunes(s, 10)), expected: `\u{h} with one to six hex digits`}
	}
	r := hexRune(digits)
	if !utf8.ValidRune(r) {
		return 0, 0, &fault{found: "the escape " + quoted(s[:n+1]),
			expected: "a character; surrogates and numbers over 10ffff are none"}
	}
	return r, n + 1, nil
}

// fourDigits reads \uXXXX, or two of them that are a surrogate pair.
func fourDigits(s string) (rune, int, *fault) {
	r, f := unit(s)
	if f != nil {
		return 0, 0, f
	}
	if !utf16.IsSurrogate(r) {
		return r, 6, nil
	}
	lone := &fault{found: "a lone surrogate " + quoted(s[:6]), expected: "a pair of surrogates, or " + `\u{h}`}
	rest := s[6:]
	if r >= 0xdc00 || len(rest) > 0 && rest[0] != '\\' || len(rest) > 1 && rest[1] != 'u' {
		return 0, 0, lone
	}
	low, f := unit(rest)
	if f != nil {
		if !f.incomplete {
			f = lone
		}
		return 0, 0, f
	}
	if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
		return pair, 12, nil
	}
	return 0, 0, lone
}

// unit reads one \uXXXX.
func unit(s string) (rune, *fault) {
	for n := 2; n < 6; n++ {
		if n >= len(s) {
			return 0, unclosedText(s, '"')
		}
		if !isHex(s[n]) {
			return 0, &fault{found: "the escape " + quoted(firstRunes(s, 6)), expected: `\u and four hex digits, or \u{h}`}
		}
	}
	return hexRune(s[2:6]), nil
}

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// hexRune reads at most six hex digits, which are known to be digits.
func hexRune(digits string) rune {
	n, _ := strconv.ParseUint(digits, 16, 32)
	return rune(n)
}

// decodedLen returns the length of s in bytes with its escapes decoded. It does not
// check them: decoding s reports the first invalid one.
func decodedLen(s string) int {
	n := len(s)
	for i := strings.IndexByte(s, '\\'); i >= 0; {
		r, long, f := escape(s[i:])
		if f != nil {
			return n
		}
		n -= long - utf8.RuneLen(r)
		s = s[i+long:]
		i = strings.IndexByte(s, '\\')
	}
	return n
}
