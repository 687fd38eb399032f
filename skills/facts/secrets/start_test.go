package secrets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Looking for the words first must not change an answer: where a pattern
// matches, its start says so.
func TestStart_NeverHidesAMatch(t *testing.T) {
	s, err := load()
	require.NoError(t, err)
	var fast []*rule
	for _, r := range s.rules {
		if r.start != nil && r.start() != nil {
			fast = append(fast, r)
		}
	}
	require.NotEmpty(t, fast)
	piece := rapid.SampledFrom([]string{
		"key", "KEY", "api", "Api", "apI", "token", "secret", "\u017Fecret", "\u212Aey", "auth", "access", "password",
		"passwd", "credential", "creds", "stripe",
		"=", ":", ">", ",", " := ", "=>", "||", "\"", "'", " ", "\n", "\t", ".", "-", "_", "x", "/", "\xff", "é", ";", `\n`,
		"q7Zr2Lk9Xw4Tb8Vn", "aB3dE6gH9jK2mN5pQ8s", "0123456789abcdef0123456789abcdef", "sk_live_", "my_", "the",
	})
	matched, missed, texts := 0, 0, 10
	if testing.Short() {
		texts = 3
	}
	rapid.Check(t, func(t *rapid.T) {
		for range texts {
			text := strings.Join(rapid.SliceOfN(piece, 1, 14).Draw(t, "text"), "")
			for _, r := range fast {
				if r.pattern().MatchString(text) {
					matched++
					require.True(t, r.start().somewhere(text), "%s in %q", r.kind, text)
				} else if !r.start().somewhere(text) {
					missed++
				}
				require.Equal(t, s.matches(r, text), s.holds(r, text), "%s in %q", r.kind, text)
			}
		}
	})
	assert.Positive(t, matched, "some texts match")
	assert.Positive(t, missed, "and some are told apart without the pattern")
}

func TestStart_KnowsItsShape(t *testing.T) {
	for pattern, text := range map[string]string{
		`(?i)[a-z]{0,9}?(?:key|to(?:ken)?)=(\w+)`: "my TOKEN=x",
		`\w*(key)\b`: "a key",
	} {
		s := newStart(pattern)
		require.NotNil(t, s, pattern)
		assert.True(t, s.somewhere(text), pattern)
		assert.False(t, s.somewhere("nothing of it, not even ke or to"), pattern)
	}
	for _, pattern := range []string{`key`,
		`key=\w*`, `\w*`, `\w*[a-z]+x`, `\w*k`, `\w*\bkey`, `a|b`, `(`, `\w*(?:é|key)`} {
		assert.Nil(t, newStart(pattern), pattern)
	}
}
