package glob_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
	"github.com/opencortex-go/cortex/skills/facts/internal/glob/globtest"
)

// Two tokens overlap where one of the characters at their bounds says so: classes that
// hold one another, that share a bound or a slash alone, that end at the last character.
func TestOverlap_IsWhatTheCharactersSay(t *testing.T) {
	bounds := rapid.SampledFrom([]rune("////..-01a]^!é\u0001\U0010ffff"))
	classes := rapid.Custom(func(t *rapid.T) string {
		text := "[" + rapid.SampledFrom([]string{"", "", "", "!", "^"}).Draw(t, "not")
		for range rapid.IntRange(1, 3).Draw(t, "parts") {
			text += `\` + string(bounds.Draw(t, "from"))
			if rapid.Bool().Draw(t, "range") {
				text += `-\` + string(bounds.Draw(t, "to"))
			}
		}
		return text + "]"
	})
	tokens := rapid.OneOf(classes, classes, classes, rapid.Map(bounds, func(r rune) string { return `\` + string(r) }),
		rapid.Just("?"))
	seen := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			x, y := tokens.Draw(t, "x"), tokens.Draw(t, "y")
			a, b := tokenOf(t, x), tokenOf(t, y)
			want := globtest.Overlap(a, b)
			require.Equal(t, want, glob.Overlap(glob.TokenOf(t, x), glob.TokenOf(t, y)), "%q and %q", x, y)
			seen[want]++
		}
	})
	assert.Greater(t, min(seen[true], seen[false]), 20)
}

func tokenOf(t *rapid.T, text string) globtest.Token {
	rows, err := globtest.Flat(text)
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Len(t, rows[0], 1)
	return rows[0][0]
}

// Rows of segments meet where rows of characters do.
func TestMeet_AnswersAsTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := globtest.Text(globtest.WordPieces, 8).Draw(t, "x"), globtest.Text(globtest.PatternPieces, 8).Draw(t, "y")
		fast, err := glob.Compile(x)
		slow, slowErr := globtest.Compile(x)
		require.Equal(t, slowErr, err)
		want, wantErr := globtest.Matches(x, y)
		got, err := glob.New(x).Matches(y)
		require.Equal(t, wantErr, err)
		require.Equal(t, want, got, "%q and %q", x, y)
		others, err := globtest.Compile(y)
		if slowErr != nil || err != nil {
			return
		}
		rows, err := glob.Compile(y)
		require.NoError(t, err)
		want, got = false, false // also where x has just one match
		for _, a := range slow {
			for _, b := range others {
				want = want || globtest.Meet(a, b)
			}
		}
		for _, a := range fast {
			for _, b := range rows {
				got = got || glob.Meet(a, b)
			}
		}
		require.Equal(t, want, got, "%q and %q", x, y)
	})
}
