package wire

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

// IDKey is an id in a form that is equal for equal ids.
func IDKey(id json.RawMessage) string {
	if f, err := strconv.ParseFloat(string(id), 64); err == nil {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	var s string
	if json.Unmarshal(id, &s) == nil {
		return strconv.Quote(s)
	}
	return string(id)
}

// Match returns the key of the one open request that clients may take an answer with this id for. A request with
// an equal id comes first. Without one, an id that is a text for a number matches the request with that number:
// the official SDKs make a number of it, as Number does in JavaScript and int in Python.
func Match[T any](open map[string]T, id json.RawMessage) (string, bool) {
	key := IDKey(id)
	if _, ok := open[key]; ok {
		return key, true
	}
	mine := coerced(key)
	if len(mine) == 0 {
		return "", false
	}
	found, many := "", false
	for other := range open {
		for _, n := range coerced(other) {
			for _, m := range mine {
				if m == n && found != other {
					many = many || found != ""
					found = other
				}
			}
		}
	}
	return found, found != "" && !many
}

// coerced returns the numbers that readers make of an id: of its key, as [IDKey] has it.
func coerced(key string) (all []float64) {
	if f, err := strconv.ParseFloat(key, 64); err == nil {
		return []float64{f}
	}
	text, err := strconv.Unquote(key)
	if err != nil {
		return nil
	}
	text = strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
	if text == "" {
		return []float64{0}
	}
	text = strings.Map(digit, text)
	if len(text) > 2 && text[0] == '0' && strings.ContainsRune("xXbBoO", rune(text[1])) { // 0x3, 0b11, 0o3
		if n, err := strconv.ParseInt(text, 0, 64); err == nil {
			all = append(all, float64(n))
		}
	}
	if f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64); err == nil {
		all = append(all, f)
	}
	return all
}

// digit is a decimal digit of any script as the one of ASCII; any other character stays.
func digit(r rune) rune {
	for _, in := range unicode.Nd.R16 {
		if r >= rune(in.Lo) && r <= rune(in.Hi) {
			return '0' + (r-rune(in.Lo))%10
		}
	}
	for _, in := range unicode.Nd.R32 {
		if r >= rune(in.Lo) && r <= rune(in.Hi) {
			return '0' + (r-rune(in.Lo))%10
		}
	}
	return r
}
