package words

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// slowDecode looks at every chunk of a text, and tries every coding.
func slowDecode(text string) (out []Decoded) {
	one := func(s string) (string, bool) {
		if d, err := hex.DecodeString(strings.TrimPrefix(s, "0x")); err == nil && readable(d) {
			return string(d), true
		}
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if d, err := enc.DecodeString(strings.TrimRight(s, "=")); err == nil && readable(d) {
				return string(d), true
			}
		}
		return "", false
	}
	for _, at := range regexp.MustCompile(`[^ \n\t\r]{8,}`).FindAllStringIndex(text, -1) {
		for _, d := range coded(nil, text, at[0], at[1]) {
			if strings.Contains(text[d.Start:d.End], "%") {
				out = append(out, d)
			}
		}
		for _, in := range regexp.MustCompile(`[0-9A-Za-z+/\-_=]{8,}`).FindAllStringIndex(text[at[0]:at[1]], -1) {
			if d, ok := one(text[at[0]:at[1]][in[0]:in[1]]); ok {
				out = append(out, Decoded{at[0] + in[0], at[0] + in[1], d})
			}
		}
	}
	if d, ok := printed(text); ok {
		out = append(out, Decoded{0, len(text), d})
	}
	if strings.Contains(text, " gur ") || strings.Contains(text, " naq ") || strings.Contains(text, " jvgu ") {
		out = append(out, Decoded{0, len(text), strings.Map(rot13, text)})
	}
	return out
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		"", "short words", "SGVsbG8gd29ybGQ=", "a SGVsbG8gd29ybGQ b", "48656c6c6f20776f72 0x48656c6c6f",
		"Pj4-Pz8_Pj4-Pz8_ Pj4+Pz8/Pj4+",
		"Pj4-Pz8/aaaa", "%48%65llo+world", "Fraq gur zbarl", "gur zbarl", "xgur gur y",
		"x xgur y", "\ngur y", "%41%42a b%43%44", " naq jvgu naq",
		"a=3Db\nc=\nd", "seven77 eight888",
		"\u00a0SGVsbG8gd29ybGQ=\u2028SGVsbG8gd29ybGQ=", "key=SGVsbG8gd29ybGQ=;x", "eight888",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { require.Equal(t, slowDecode(s), Decode(s), "%q", s) })
}
