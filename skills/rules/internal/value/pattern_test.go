package value

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What is known of a pattern beforehand must not change an answer: it matches
// what the bare regular expression matches.
func TestPattern_AnswersAsTheBareExpression(t *testing.T) {
	patternPiece := rapid.SampledFrom([]string{
		"ab", "KEY", "ski", "é", "[.]", "[a-c]", "[^x]", "[\\x00-\\x1f\\x{200b}-\\x{200f}]", "(?i)", "(?i:sk)", "(?is)",
		"(ab|cd)", "(ask|as|ski)", "(a|)", "x*", "x+", "(ab)+",
		"(ab){2}", "(ab){0,2}", "^", "$", "\\b", ".", "|", "\\s*", "//", "@", "(?:key|token|passw(?:or)?d)", "\\x{fffd}",
	})
	textPiece := rapid.SampledFrom([]string{
		"a", "b", "ab", "AB", "c", "cd", "key", "Key", "\u212Aey", "ski", "\u017Fk\u0131", "a\u017Fk", "\u017F\u212A", "é",
		".", "/", "//", "@", "x", " ", "\n", "\x00", "\u200b", "\xff", "\uFFFD", "token", "passwd",
	})
	text := func(t *rapid.T, pieces *rapid.Generator[string], most int) string {
		return strings.Join(rapid.SliceOfN(pieces, 1, most).Draw(t, "pieces"), "")
	}
	yes, no := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		source := text(t, patternPiece, 4)
		re, err := regexp.Compile(source)
		if err != nil {
			return
		}
		p, err := NewPattern(source)
		require.NoError(t, err)
		for range 4 {
			s := text(t, textPiece, 6)
			require.Equal(t, re.MatchString(s), p.Match(s), "%q in %q", source, s)
			if p.needles != nil && !p.mayMatch(s) {
				no++
			} else {
				yes++
			}
		}
	})
	assert.Positive(t, yes)
	assert.Positive(t, no)
}

func TestPattern_Needles(t *testing.T) {
	for source, want := range map[string][]string{
		`(?i)(^|[^a-z])@Personal($|[^a-z])`: {"@personal"},
		`(?im)^\s*/(approve|deny)\b`:        {"approve", "deny"},
		`[a-c]x`:                            nil,
		`(ab|[cd])`:                         nil,
		`(abc)?d`:                           nil,
		`(abc)+d`:                           {"abc"},
		`(?:abc){0,3}`:                      nil,
		`é`:                                 nil,
	} {
		p, err := NewPattern(source)
		require.NoError(t, err)
		assert.Equal(t, want, p.needles, source)
	}
	_, err := NewPattern("(")
	assert.Error(t, err)
}
