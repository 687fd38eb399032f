package words

import (
	"net/url"
	"strings"
	"unicode"
)

// Apart cuts a value of a shape into what somebody could choose by itself. The host of a
// URL stands apart. Of a text of no such shape only code is cut, at what shells cut at. A
// value of one part has none.
func Apart(text string, shape Shape, code bool) (host string, parts []string) {
	switch shape {
	case URL:
		host, parts, _ = Parts(text)
	case Email:
		parts = strings.SplitN(text, "@", 2)
	case Path:
		parts = strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '\\' })
	case Other, Word1, Numeric, Day, Host, Account, Phone:
		if code {
			parts = strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`|&;<>()$=,", r) })
		}
	}
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" && p != text {
			out = append(out, p)
		}
	}
	return host, out
}

// Shaped lists the addresses and the like among the atoms of a text, such as those of
// "Kate <kate@example.com>", and the mail addresses within atoms of no shape: "mailto:kate@example.com".
func Shaped(atoms []string) (out []string) {
	for _, a := range atoms {
		switch ShapeOf(a) {
		case Email, URL, Host, Account, Phone, Path:
			out = append(out, a)
		case Other:
			out = append(out, within(a)...)
		case Word1, Numeric, Day:
		}
	}
	return out
}

// within lists the mail addresses within an atom, between what stands in none of them, or what stands for that.
func within(atom string) (out []string) {
	if plain, err := url.PathUnescape(atom); err == nil {
		atom = plain
	}
	if !strings.Contains(atom, "@") {
		return nil
	}
	for _, p := range strings.FieldsFunc(atom, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("@._-+", r)
	}) {
		if isEmail(p) {
			out = append(out, p)
		}
	}
	return out
}

var shapeNames = [...]string{Other: "text", Word1: "word", Numeric: "number", Day: "day", Email: "email", URL: "url",
	Host: "host", Account: "account", Phone: "phone", Path: "path"}

// String returns the shape's name, such as "email"; "text" for Other.
func (s Shape) String() string { return shapeNames[s] }
