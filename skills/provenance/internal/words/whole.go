package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Normal spells a whole text as it is compared: numbers by value, dates by day, white
// space as one space, words and hosts in small letters.
func Normal(text string) string {
	text = strings.TrimSpace(text)
	if n, ok := Number(text); ok {
		return n
	}
	if d, ok := ISODay(text); ok {
		return "@" + d.Key()
	}
	ws := strings.Fields(text)
	for i, w := range ws {
		ws[i] = AtomKey(w)
	}
	return strings.Join(ws, " ")
}

// StandsIn reports whether a text stands in another between other than letters and digits.
func StandsIn(in, text string) bool {
	other := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for at := strings.Index(in, text); at >= 0; at = strings.Index(in, text) {
		before, _ := utf8.DecodeLastRuneInString(in[:at])
		after, _ := utf8.DecodeRuneInString(in[at+len(text):])
		if (at == 0 || other(before)) && (at+len(text) == len(in) || other(after)) {
			return true
		}
		in = in[at+len(text):]
	}
	return false
}

// SiteOf returns the host of an address, or "".
func SiteOf(address string) string {
	switch ShapeOf(address) {
	case Email:
		_, host, _ := strings.Cut(strings.ToLower(address), "@")
		return host
	case URL, Host:
		return HostOf(address)
	case Other, Word1, Numeric, Day, Account, Phone, Path:
	}
	return ""
}

// Starts are the bytes where the words begin.
func Starts(ws []Word) []int {
	out := make([]int, len(ws))
	for i, w := range ws {
		out[i] = w.Start
	}
	return out
}
