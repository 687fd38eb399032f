package words

import (
	"encoding/base64"
	"encoding/hex"
	"io"
	"mime/quotedprintable"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Decoded is what a part of a text says once it is decoded.
type Decoded struct {
	Start, End int
	Text       string
}

// shortest is how many bytes coded text has at least.
const shortest = 8

// Decode lists what a text says in base64, hex, percent and quoted-printable coding, and in
// ROT13, one level deep. What does not decode to printable text is left out.
func Decode(text string) []Decoded {
	var out []Decoded
	for i := 0; i+shortest <= len(text); {
		end := i + shortest - 1
		for end >= i && !space(text[end]) {
			end--
		}
		if end >= i {
			i = end + 1 // most words are shorter
			continue
		}
		end = i + shortest
		for end < len(text) && !space(text[end]) {
			end++
		}
		out = coded(out, text, i, end)
		i = end
	}
	if d, ok := printed(text); ok {
		out = append(out, Decoded{0, len(text), d})
	}
	if rotated(text) {
		out = append(out, Decoded{0, len(text), strings.Map(rot13, text)})
	}
	return out
}

// rotated reports whether a text holds "the", "and" or "with" in ROT13. No other text does.
func rotated(text string) bool {
	return spaced(text, "gur ") || spaced(text, "naq ") || spaced(text, "jvgu ")
}

// spaced reports whether a space and a word stand in a text. A look for the space first would
// find many.
func spaced(text, word string) bool {
	for from := 1; from < len(text); from++ {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		if from += at; text[from-1] == ' ' {
			return true
		}
	}
	return false
}

func rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

func space(c byte) bool { return c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r') }

// coded decodes the runs of one chunk without white space.
func coded(out []Decoded, text string, from, to int) []Decoded {
	if chunk := text[from:to]; strings.Contains(chunk, "%") {
		if d, err := url.PathUnescape(chunk); err == nil && d != chunk && readable([]byte(d)) {
			out = append(out, Decoded{from, to, d})
		}
	}
	for i := from; i < to; {
		start := i
		for i < to && codeByte(text[i]) {
			i++
		}
		if i-start >= shortest {
			if d, ok := One(text[start:i]); ok {
				out = append(out, Decoded{start, i, d})
			}
		}
		if i == start {
			i++
		}
	}
	return out
}

func codeByte(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '+' || c == '/' || c == '-' || c == '_' ||
		c == '='
}

// One decodes a whole value from hex or base64, and reports whether it is readable then.
func One(s string) (string, bool) {
	if len(s) < shortest {
		return "", false
	}
	var room [64]byte // enough for most words, which decode to nothing that can be read
	d := slices.Grow(room[:0], len(s))
	if d, err := hex.AppendDecode(d, []byte(strings.TrimPrefix(s, "0x"))); err == nil && readable(d) {
		return string(d), true
	}
	enc := base64.RawStdEncoding
	if strings.ContainsAny(s, "-_") {
		enc = base64.RawURLEncoding
	}
	if d, err := enc.AppendDecode(d, []byte(strings.TrimRight(s, "="))); err == nil && readable(d) {
		return string(d), true
	}
	return "", false
}

// printed decodes quoted-printable text, if the text has any of its marks.
func printed(text string) (string, bool) {
	if !strings.Contains(text, "=") || !strings.Contains(text, "=\n") && !strings.Contains(text, "=\r\n") &&
		!escaped(text) {
		return "", false
	}
	d, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(text)))
	if len(d) == 0 && err != nil || !utf8.Valid(d) || string(d) == text {
		return "", false
	}
	return string(d), true
}

// escaped reports whether a text has an =3D of quoted-printable.
func escaped(text string) bool {
	for i := 0; i+2 < len(text); i++ {
		if text[i] == '=' && upperHex(text[i+1]) && upperHex(text[i+2]) {
			return true
		}
	}
	return false
}

func upperHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' }

// readable reports whether decoded bytes are text: at least four printable characters.
func readable(s []byte) bool {
	if len(s) < 4 {
		return false
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && n == 1 || !unicode.IsPrint(r) && r != '\n' && r != '\t' && r != '\r' {
			return false
		}
		i += n
	}
	return true
}
