package words

import "strings"

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
// "Kate <kate@example.com>".
func Shaped(atoms []string) (out []string) {
	for _, a := range atoms {
		switch ShapeOf(a) {
		case Email, URL, Host, Account, Phone, Path:
			out = append(out, a)
		case Other, Word1, Numeric, Day:
		}
	}
	return out
}

var shapeNames = [...]string{Other: "text", Word1: "word", Numeric: "number", Day: "day", Email: "email", URL: "url",
	Host: "host", Account: "account", Phone: "phone", Path: "path"}

// String returns the shape's name, such as "email"; "text" for Other.
func (s Shape) String() string { return shapeNames[s] }
