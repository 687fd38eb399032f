package globtest

import (
	"strings"

	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
)

// The pieces that patterns and paths are drawn from: what is easily confused.
var (
	PatternPieces = rapid.SampledFrom([]string{
		"a", "b", "B", "ab", ".env", "é", "*", "**", "***", "?", "[ab]", "[!a]", "[^b]", "[a-c]", "[Z-a]", "[c-a]", "[-_.]",
		"[a/]", "[{]", "[a-]",
		"{a,b}", "{,a}", "{a,**}", "{a/,}", "{/,x}", "{,/**}", "{a,{b,.env}}", "~", "/", "/", "/", "/**/", "**/", "/**", `\*`,
		`\a`, "}", ",", "home",
	})
	PathPieces = rapid.SampledFrom([]string{
		"a", "b", "B", "ab", "x", ".env", "é", "É", "home", "~", "/", "/", "/", "..", ".", "*", "?", "[", "{", "\n", "-",
		"\xff", "\xff\xfe", "\uFFFD", `\`, "İ",
	})
	WordPieces = rapid.SampledFrom([]string{
		"a", "b", "B", "ab", ".env", "é", "*", "**", "?", "[ab]", "[!a]", "[[:alpha:]]", "[c-a]", "{a,b}", "/", "/", "/**/",
		"**/", "/**", `\*`, `\/`, "[", "~", "\xff", "home",
	})
)

// Text draws up to so many pieces in a row.
func Text(pieces *rapid.Generator[string], most int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(pieces, 1, most).Draw(t, "pieces"), "")
	})
}

// Patterns draws lists of patterns that a rule file may have.
func Patterns(t *rapid.T) []any {
	out := []any{}
	for _, p := range rapid.SliceOfN(Text(PatternPieces, 8), 1, 5).Draw(t, "patterns") {
		if glob.Check(p) == nil {
			out = append(out, p)
		}
	}
	return out
}
