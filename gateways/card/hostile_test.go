package card

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

// everywhere is a card all of whose parts a model could have chosen.
func everywhere(t *testing.T, text string) *cortex.Approval {
	t.Helper()
	a := approval(t, "shell", "", "")
	var err error
	short := text
	for i := range text {
		if i > 60 {
			short = text[:i]
			break
		}
	}
	a.Action, err = cortex.NewAction(short, sexpr.Plist("cmd", sexpr.Str(text), "zz "+short, sexpr.Str(text)), text)
	require.NoError(t, err)
	a.Slots[0].Reason.Text = text
	return a
}

// distinct are a thousand hostile texts, the same ones always.
func distinct(t *testing.T, each func(family string, n int, text string)) {
	t.Helper()
	seen := map[string]bool{}
	for i, f := range families {
		r := rand.New(rand.NewPCG(15, uint64(i)))
		for n := 0; n < 100; {
			if text := f.text(r); !seen[text] {
				seen[text] = true
				each(f.name, n, text)
				n++
			}
		}
	}
	require.Len(t, seen, 1000)
}

// A thousand cards are as they were when they were last looked at: a line of the golden
// file says which one, what it quotes and a digest of all of it. What each of them has
// to be like stands in [TestHostileCardsKeepTheirPromises].
func TestAThousandHostileTextsHaveGoldenCards(t *testing.T) {
	crashtest.Long(t)
	var b strings.Builder
	mask := secrets.NewMask()
	distinct(t, func(family string, n int, text string) {
		masked := New(everywhere(t, text), "123456789012", Options{Mask: mask}).Text()
		sum := sha256.Sum256([]byte(masked))
		fmt.Fprintf(&b, "%s %02d %x\n", family, n, sum[:6])
	})
	path := filepath.Join("testdata", "thousand.txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	got := strings.Split(b.String(), "\n")
	for i, line := range strings.Split(string(want), "\n") {
		require.Equal(t, line, got[i], "see what changed, and why")
	}
}

func TestHostileCardsKeepTheirPromises(t *testing.T) {
	crashtest.Long(t)
	mask := secrets.NewMask()
	distinct(t, func(family string, n int, text string) {
		name := fmt.Sprint(family, " ", n)
		a := everywhere(t, text)
		bare := New(a, "123456789012", Options{}).Text()
		kept(t, name, a.Action, bare)
		if family == "secrets" {
			masked := New(a, "123456789012", Options{Mask: mask}).Text()
			shape(t, name, masked)
			secret := regexp.MustCompile(`(ghp_|AKIA|glpat-|xoxb-)[A-Za-z0-9-]+`).FindString(text)
			require.Greater(t, len(secret), 15)
			assert.Contains(t, bare, secret, "%s: it is the mask that hides it", name)
			assert.NotContains(t, masked, secret, name)
		}
	})
}

// lineStarts is how the lines of such a card begin, whatever the model wrote.
var lineStarts = []string{`approval abcdefghijklmnop  pending  [1234 5678 9012]`,
	`  tool `, `  :cmd `, `  :"zz `, `  digest `, `  for `, `  it says `, `  asked by `, `  until `}

// shape is what holds of every card: as many lines as it has fields, each behind a name
// of ours, nothing in them that draws elsewhere or not at all, and isolates in pairs.
func shape(t *testing.T, name, card string) []string {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(card, "\n"), "\n")
	require.Len(t, lines, len(lineStarts), "%s:\n%s", name, card)
	for i, line := range lines {
		if start := lineStarts[i]; !strings.HasPrefix(strings.ReplaceAll(line, "\u2068", ""), start) {
			require.Fail(t, "a line that does not begin as it should", "%s: %q, not %q", name, line, start)
		}
		require.Less(t, len(line), 16_000, name)
		require.Equal(t, strings.Count(line, "\u2068"), strings.Count(line, "\u2069"), "%s: %q", name, line)
		marks := 0
		for _, r := range line {
			if marks++; !unicode.Is(unicode.M, r) {
				marks = 0
			}
			drawn := r >= ' ' && r <= '~' || r == '\u2068' || r == '\u2069' ||
				unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
			if hidden := unicode.In(r, hides...) || r == '\u2800'; !drawn || hidden || marks > 2 {
				require.Fail(t, "it is shown as it is", "%s: %U in %q", name, r, line)
			}
		}
	}
	return lines
}

// hides are characters of those classes that draw nothing, or a letter of ASCII.
var hides = []*unicode.RangeTable{unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
	{R16: []unicode.Range16{
		{Lo: 0x0251, Hi: 0x0261, Stride: 0x10}, {Lo: 0x034f, Hi: 0x034f, Stride: 1}, {Lo: 0x2160, Hi: 0x217f, Stride: 1},
		{Lo: 0x24b6, Hi: 0x24e9, Stride: 1}, {Lo: 0xff01, Hi: 0xff5e, Stride: 1}},
		R32: []unicode.Range32{{Lo: 0x1d400, Hi: 0x1d7ff, Stride: 1}}}}

// mixed is a word of letters of ASCII and of letters that look like them.
var mixed = regexp.MustCompile(
	`[a-zA-Z][\p{Cyrillic}\p{Greek}\p{Armenian}\p{Coptic}]|[\p{Cyrillic}\p{Greek}\p{Armenian}\p{Coptic}][a-zA-Z]`)

// kept holds a card without a mask against the text that it was made of: no letter that
// passes for another is beside what it imitates, and a person with patience can read
// every character of a short text, of a long one the ends and its size.
func kept(t *testing.T, name string, a *cortex.Action, card string) {
	t.Helper()
	text := a.Args().GetText("cmd")
	lines := shape(t, name, card)
	require.Empty(t, mixed.FindString(card), "%s: %s", name, card)
	value := strings.TrimLeft(strings.TrimPrefix(lines[2], "  :cmd"), " ")
	if len(text) <= 240 {
		require.Equal(t, text, unquoted(t, value), name)
		require.Equal(t, a.Explanation(), unquoted(t, strings.TrimLeft(strings.TrimPrefix(lines[6], "  it says"), " ")), name)
		return
	}
	head, rest, ok := strings.Cut(value, ` ... `)
	require.True(t, ok, "%s: %s", name, value)
	end := strings.LastIndex(rest, " (")
	require.True(t, strings.HasPrefix(text, unquoted(t, head)), name)
	require.True(t, strings.HasSuffix(text, unquoted(t, rest[:end])), name)
	require.Equal(t, fmt.Sprintf(" (%d bytes, sha256 %x)", len(text), sha256.Sum256([]byte(text)))[:30], rest[end:][:30],
		name)
}

// unquoted reads what a card shows back, by its own few rules.
func unquoted(t *testing.T, shown string) string {
	t.Helper()
	shown = strings.TrimSuffix(strings.TrimPrefix(shown, "\u2068"), "\u2069")
	require.True(t, len(shown) > 1 && shown[0] == '"' && shown[len(shown)-1] == '"', shown)
	var b strings.Builder
	for s := shown[1 : len(shown)-1]; s != ""; {
		r, n := utf8.DecodeRuneInString(s)
		require.NotEqual(t, '"', r, "the end of %q comes too early", shown)
		if r == '\\' {
			n = 2
			switch s[1] {
			case 'n':
				r = '\n'
			case 'r':
				r = '\r'
			case 't':
				r = '\t'
			case 'u':
				end := strings.IndexByte(s, '}')
				code, err := strconv.ParseInt(s[3:end], 16, 32)
				require.NoError(t, err)
				r, n = rune(code), end+1
			default:
				r = rune(s[1])
			}
		}
		b.WriteRune(r)
		s = s[n:]
	}
	return b.String()
}
