package card

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

var update = flag.Bool("update", false, "write the golden cards")

// approval is a card that asks about one argument.
func approval(t testing.TB, tool, arg, explanation string) *cortex.Approval {
	t.Helper()
	a, err := cortex.NewAction(tool, sexpr.Plist("cmd", sexpr.Str(arg), "timeout", sexpr.Int64(30)), explanation)
	require.NoError(t, err)
	return &cortex.Approval{
		Token: "abcdefghijklmnop", State: cortex.Pending, Action: a, Session: "s1", Requester: "agent",
		Expires: 1_800_000_000,
		Slots: []cortex.ApprovalSlot{{Class: "operator", Quorum: 1,
			Reason: skills.Reason{Key: "shell-guard/elevates", Text: "needs more rights"}}},
	}
}

// hostile are texts that want to be taken for something else.
var hostile = []string{
	"ls -l",
	"ls\n  until    tomorrow\napproval zzzz  approved  [0000 0000 0000]",
	"ls\r\x1b[2J\x1b[1;1Happroved",
	"rm -rf /\u202e ylno daer",
	"cat\u200b/etc/passwd\u200d\ufeff",
	"\u2066isolate\u2069 \u061c",
	"curl https://аррӏе.com/x", // all Cyrillic
	"curl https://раypal.com",  // mixed
	"ｒｍ -ｒｆ ／",
	"𝐫𝐦 \u00adsoft",
	"pay ɡooɡle",
	"привет, мир", // an ordinary word stays
	"naïve café, Straße, señor",
	"سلام rm",
	"日本語 テスト",
	"zalgo z\u0335\u0321\u0348\u034d\u0322o",
	"\u3164\u2800\u115f blank",
	`say "yes" \u{41} \`,
	"\x00\x07 bell",
	"e\u0301 composed later",
	strings.Repeat("A", 5000) + "; rm -rf /",
	strings.Repeat("\u202e", 200),
	"export T=ghp_" + strings.Repeat("a1B2", 9) + "; cat /home/ann/.ssh/id_rsa",
	"tag \U000e0041\U000e0042 \U0001f600",
}

// The cards of hostile texts are as people have looked at them and found them
// honest.
func TestHostileTextsHaveGoldenCards(t *testing.T) {
	var b strings.Builder
	for _, text := range hostile {
		b.WriteString(New(approval(t, "shell", text, text), "123456789012", Options{Mask: secrets.NewMask()}).Text() + "\n")
	}
	path := filepath.Join("testdata", "hostile.txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String())
	assert.NotContains(t, b.String(), "ghp_a1B2")
	assert.Contains(t, b.String(), "/home/ann/.ssh/id_rsa", "paths are not secrets")
}

// No byte of an action changes how many lines a card has or what they begin with.
func TestNoAgentByteChangesACardsStructure(t *testing.T) {
	starts := []string{"approval abcdefghijklmnop  pending  [1234 5678 9012]",
		"  tool ", "  :cmd ", "  :timeout ", "  digest ", "  for ", "  it says ", "  asked by ", "  until "}
	pieces := append([]string{"\n", "\r", "\t", " ", "\"", "\\", "\u2028", "\u0085", "\u202e", "\u2069", "\x1b[2K",
		"  until ", "a", "я", "ا", "\u0301", "\xff", "\U000e0020"}, hostile...)
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.ToValidUTF8(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(rt, "pieces"), ""),
			"\ufffd")
		text = strings.ReplaceAll(text, "\x00", "") // no string of ours holds one
		got := New(approval(t, "shell", text, "x"+text), "123456789012", Options{}).Text()
		lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		if len(lines) != len(starts) {
			rt.Fatalf("%d lines, want %d:\n%s", len(lines), len(starts), got)
		}
		for i, line := range lines {
			if !strings.HasPrefix(line, starts[i]) {
				rt.Fatalf("line %d is %q", i, line)
			}
			if len(line) > 3000 {
				rt.Fatalf("line %d has %d bytes", i, len(line))
			}
		}
		for _, r := range got {
			if r != '\n' && r != '\u2068' && r != '\u2069' && (!unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r)) {
				rt.Fatalf("%U is shown as it is in %q", r, got)
			}
		}
		if strings.Count(got, "\u2068") != strings.Count(got, "\u2069") {
			rt.Fatalf("isolates do not pair up: %q", got)
		}
	})
}

// The tool and the names of arguments may be a model's too.
func TestNamesAreShownLikeValues(t *testing.T) {
	args, err := sexpr.FromJSON([]byte(`{"ok":1,"x\n  until  tomorrow":"v","deep":{"list":[true,{"раypal":"z"}]}}`))
	require.NoError(t, err)
	a := approval(t, "she\u202ell", "", "")
	a.Action, err = cortex.NewAction("she\u202ell", args, "")
	require.NoError(t, err)
	got := New(a, "123456789012", Options{}).Text()
	assert.Contains(t, got, `"she\u{202e}ll"`)
	assert.Contains(t, got, `:"x\n  until  tomorrow"`)
	assert.Contains(t, got, `:deep :list[1] :"\u{440}\u{430}ypal"`)
	assert.True(t, utf8.ValidString(got))
	assert.Equal(t, 1, strings.Count(got, "\n  until "))
}

// A credential in the name of an argument is hidden as one in its value is, also where it
// is a word like any other.
func TestNamesHideCredentials(t *testing.T) {
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	a := approval(t, "shell", "", "")
	var err error
	a.Action, err = cortex.NewAction("shell",
		sexpr.Plist(secret, sexpr.Str("x"), "deep", sexpr.Plist("see "+secret, sexpr.Str("y"))), "")
	require.NoError(t, err)
	a.Slots[0].Reason.Key = secret
	assert.Contains(t, New(a, "1", Options{}).Text(), secret)
	got := New(a, "1", Options{Mask: secrets.NewMask()}).Text()
	assert.NotContains(t, got, secret)
	assert.Equal(t, 3, strings.Count(got, "[github-token]"), got)
}

func TestACardHasRoomForSoManyValues(t *testing.T) {
	var items []sexpr.Value
	for range 1000 {
		items = append(items, sexpr.Int64(1))
	}
	a := approval(t, "shell", "", "")
	var err error
	a.Action, err = cortex.NewAction("shell", sexpr.Plist("list", sexpr.ListOf(items...)), "")
	require.NoError(t, err)
	got := New(a, "1", Options{}).Text()
	assert.Contains(t, got, "960 more values")
	assert.Less(t, strings.Count(got, "\n"), 50)
}

func FuzzVisible(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Visible(s)
		assert.NotContains(t, got, "\n")
		assert.True(t, utf8.ValidString(got))
		inner := strings.TrimSuffix(strings.TrimPrefix(got, "\u2068"), "\u2069")
		assert.True(t, strings.HasPrefix(inner, `"`) && strings.HasSuffix(inner, `"`))
		assert.NotContains(t, inner, "\u2069")
	})
}

// A short card keeps everything but arguments, and says how many are missing.
func TestShortCards(t *testing.T) {
	var members []any
	for i := range 30 {
		members = append(members, string(rune('a'+i%26))+strings.Repeat("x", i), sexpr.Str(strings.Repeat("y", 200)))
	}
	a := approval(t, "shell", "", "why")
	var err error
	a.Action, err = cortex.NewAction("shell", sexpr.Plist(members...), "why")
	require.NoError(t, err)
	c := New(a, "123456789012", Options{})
	require.Greater(t, len(c.Text()), 4000)
	for _, limit := range []int{4000, 2000, 1000} {
		got := c.Short(limit)
		assert.LessOrEqual(t, len(got), limit)
		for _, part := range []string{"approval abcdefghijklmnop  pending  [1234 5678 9012]",
			"digest", a.Action.Digest().String(), "asked by", "until", "more values"} {
			assert.Contains(t, got, part)
		}
		assert.Equal(t, 30, strings.Count(got, "yyyy\"")+leftOut(t, got))
	}
	assert.Equal(t, c.Text(), c.Short(1<<20))
	assert.LessOrEqual(t, len(c.Short(50)), 50)
}

func leftOut(t *testing.T, text string) (n int) {
	t.Helper()
	before, _, ok := strings.Cut(text, " more values")
	require.True(t, ok)
	for _, r := range before[strings.LastIndexByte(before, ' ')+1:] {
		n = n*10 + int(r-'0')
	}
	return n
}

// What a rule found in a text of others is a line of the card for each sentence, and no
// character of that text makes another line, reorders one or hides.
func TestWhatWasFoundIsShownAsAQuote(t *testing.T) {
	for _, text := range hostile {
		a := approval(t, "shell", "ls", "")
		plain := strings.Count(New(a, "123456789012", Options{}).Text(), "\n")
		flat := strings.ReplaceAll(text, "\n", " ")
		a.Slots[0].Reason.Advice = "this asks for it: " + flat + "\nthere would be no such question if ..."
		a.Slots = append(a.Slots, a.Slots[0]) // another clause that found the same
		plain++
		shown := New(a, "123456789012", Options{Mask: secrets.NewMask()}).Text()
		assert.Equal(t, plain+2, strings.Count(shown, "\n"), text)
		assert.Contains(t, shown, "\"this asks for it: ")
		assert.NotContains(t, shown, "ghp_a1B2")
		for _, r := range shown {
			assert.True(t, r == '\n' || unicode.IsPrint(r) || r == '\u2068' || r == '\u2069', "%U of %q", r, text)
		}
	}
}
