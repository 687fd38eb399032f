package words

import (
	"strconv"
	"strings"
)

// Number returns the one spelling of a decimal number, 1000.5 for "1,000.50", and
// reports whether s is one. Digits that begin with a needless zero are a name, and so
// are more than fifteen digits.
func Number(s string) (string, bool) {
	body := strings.TrimPrefix(s, "-")
	whole, frac, dotted := strings.Cut(body, ".")
	if whole == "" || dotted && (frac == "" || !digits(frac)) || len(body) > 24 {
		return "", false
	}
	if strings.Contains(whole, ",") {
		groups := strings.Split(whole, ",")
		for i, g := range groups {
			if !digits(g) || i > 0 && len(g) != 3 || i == 0 && (g == "" || len(g) > 3) {
				return "", false
			}
		}
		whole = strings.Join(groups, "")
	}
	if !digits(whole) || len(whole) > 1 && whole[0] == '0' || len(whole)+len(frac) > 15 {
		return "", false
	}
	frac = strings.TrimRight(frac, "0")
	out := whole
	if frac != "" {
		out += "." + frac
	}
	if out != "0" && len(s) > len(body) {
		out = "-" + out
	}
	return out, true
}

// FromFloat spells a number of a program as Number does.
func FromFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
