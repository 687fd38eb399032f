package facts

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/sexpr"
)

func TestReplace(t *testing.T) {
	c := caseOf(t, sexpr.Plist())
	const card = `\b\d{12}(\d{4})\b`
	for _, row := range []struct{ text, pattern, with, want string }{
		{"pay with 4111111111111111 now", card, "****$1", "pay with ****1111 now"},
		{"4111111111111111,5500000000000004", card, "$1", "1111,0004"},
		{"nothing", card, "****$1", "nothing"},
		{"", "a", "b", ""},
		{"", "", "b", "b"},
		{"ab", "", "-", "-a-b-"},
		{"äö", "", "-", "-ä-ö-"},
		{"a.b", `\.`, "$$1", "a$1b"},
		{"a.b", `\.`, "$$$$", "a$$b"},
		{"john smith", `(\w+) (\w+)`, "$2, $1!", "smith, john!"},
		{"x=1", `(a)|x`, "[$1]", "[]=1"},
		{"$1", `\$1`, "x", "x"},
		{"aXbx", `(?i)x`, "", "ab"},
	} {
		got, err := call(t, c, "replace", row.text, row.pattern, row.with)
		require.NoError(t, err, row)
		assert.Equal(t, row.want, got, row)
		f := replaceFunction()
		got, err = f.Call(c, []any{row.text, f.Params[1].Prepare(row.pattern), f.Params[2].Prepare(row.with)})
		require.NoError(t, err, row)
		assert.Equal(t, row.want, got, row)
	}
}

func TestReplaceIsBounded(t *testing.T) {
	c := caseOf(t, sexpr.Plist())
	for _, row := range []struct{ text, pattern, with, want string }{
		{"a", "(a)", "$2", "replace has $2, and its pattern has 1 groups"},
		{"b", "a", "$1", "its pattern has 0 groups"},
		{"a", "a", "$", "after $"},
		{"a", "a", "$0", "after $"},
		{"a", "a", "${1}", "after $"},
		{"a", "(", "", "cannot be read"},
		{"a", `(a)\1`, "", "cannot be read"},
		{"a", strings.Repeat("a", maxReplacePattern+1), "", "bytes"},
		{"a", "(abcdefghij){500}", "", "instructions"},
		{strings.Repeat("a", 1000), "a", strings.Repeat("b", 1100), "longer than"},
		{strings.Repeat("a", maxReplaced+1), "b", "", "longer than"},
		{strings.Repeat("a", 100_000), "a|(bcd){300}", "", "too much to replace"},
	} {
		_, err := call(t, c, "replace", row.text, row.pattern, row.with)
		require.ErrorContains(t, err, row.want)
	}
	f := replaceFunction()
	require.Error(t, f.Params[1].Check("("))
	require.Error(t, f.Params[2].Check("$x"))
	require.NoError(t, f.Params[2].Check("$$ $1"))
}

// slowReplace is a slow reference: it looks at each place for the longest-standing
// choice that the pattern, tied to that place, would make, and goes on behind it.
func slowReplace(text, pattern, with string) string {
	out, last := "", -1
	for i := 0; i <= len(text); {
		// a match that begins at i, and at no other place
		here := regexp.MustCompile(fmt.Sprintf(`^(?s:.{%d})(?:%s)`, utf8.RuneCountInString(text[:i]), pattern))
		m := here.FindStringSubmatch(text)
		size := 1
		if i < len(text) {
			_, size = utf8.DecodeRuneInString(text[i:])
		}
		if m != nil && (len(m[0]) > i || last != i) {
			for g := 0; g < len(with); g++ {
				switch {
				case with[g] != '$':
					out += with[g : g+1]
				case with[g+1] == '$':
					out, g = out+"$", g+1
				default:
					out, g = out+m[with[g+1]-'0'], g+1
				}
			}
			if end := len(m[0]); end > i {
				i, last = end, end
				continue
			}
		}
		if i < len(text) {
			out += text[i : i+size]
		}
		i += size
	}
	return out
}

func TestReplaceAgainstReference(t *testing.T) {
	c := caseOf(t, sexpr.Plist())
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab1ä \n")), 0, 12, -1).Draw(rt, "text")
		part := rapid.SampledFrom([]string{"a",
			"b", `\d`, "(a)", "(b|1)", "ä", ".", "[ab]+", "a*", "(b?)", `\b`, "^", "$", "()"})
		pattern := strings.Join(rapid.SliceOfN(part, 1, 3).Draw(rt, "pattern"),
			rapid.SampledFrom([]string{"", "|"}).Draw(rt, "by"))
		with := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"x", "$$", "-", "é"}), 0, 3).Draw(rt, "with"), "")
		for g := range regexp.MustCompile(pattern).NumSubexp() {
			with += fmt.Sprintf("<$%d>", g+1)
		}
		got, err := call(t, c, "replace", text, pattern, with)
		require.NoError(rt, err)
		require.Equal(rt, slowReplace(text, pattern, with), got)
	})
}

func BenchmarkReplace(b *testing.B) {
	c := caseOf(b, sexpr.Plist())
	f := replaceFunction()
	pattern, with := f.Params[1].Prepare(`\b\d{12}(\d{4})\b`), f.Params[2].Prepare("****$1")
	for _, n := range []int{1, 100} {
		text := strings.Repeat("pay with 4111111111111111 now, please. ", n)
		b.Run(fmt.Sprint(len(text)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = f.Call(c, []any{text, pattern, with})
			}
		})
	}
	b.Run("worst", func(b *testing.B) { // a text at the limit, of which every match reads the rest
		m, err := newMatcher("a.*z|a")
		require.NoError(b, err)
		n := 1
		for maxReplaceWork/(m.code*(n+1)) > n {
			n++
		}
		text := strings.Repeat("a", n-1)
		for b.Loop() {
			if _, err := m.replace(text, &template{texts: []string{""}}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
