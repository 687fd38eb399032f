package facts

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// The pieces that patterns and paths are drawn from: what is easily confused.
var (
	patternPieces = rapid.SampledFrom([]string{
		"a", "b", "B", "ab", ".env", "é", "*", "**", "***", "?", "[ab]", "[!a]", "[^b]", "[a-c]", "[Z-a]", "[c-a]", "[-_.]",
		"[a/]", "[{]", "[a-]",
		"{a,b}", "{,a}", "{a,**}", "{a/,}", "{/,x}", "{,/**}", "{a,{b,.env}}", "~", "/", "/", "/", "/**/", "**/", "/**", `\*`,
		`\a`, "}", ",", "home",
	})
	pathPieces = rapid.SampledFrom([]string{
		"a", "b", "B", "ab", "x", ".env", "é", "É", "home", "~", "/", "/", "/", "..", ".", "*", "?", "[", "{", "\n", "-",
		"\xff", "\xff\xfe", "\uFFFD", `\`, "İ",
	})
	wordPieces = rapid.SampledFrom([]string{
		"a", "b", "B", "ab", ".env", "é", "*", "**", "?", "[ab]", "[!a]", "[[:alpha:]]", "[c-a]", "{a,b}", "/", "/", "/**/",
		"**/", "/**", `\*`, `\/`, "[", "~", "\xff", "home",
	})
)

func textOf(pieces *rapid.Generator[string], most int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(pieces, 1, most).Draw(t, "pieces"), "")
	})
}

// loadable draws lists of patterns that a rule file may have.
func loadable(t *rapid.T) []any {
	out := []any{}
	for _, p := range rapid.SliceOfN(textOf(patternPieces, 8), 1, 5).Draw(t, "patterns") {
		if checkGlob(p) == nil {
			out = append(out, p)
		}
	}
	return out
}

// Patterns made ready at load answer as the slow reference does pattern by
// pattern, for plain paths, words that were resolved and words with patterns,
// wherever one stands and whether or not there is a home.
func TestGlobs_AnswerAsTheReference(t *testing.T) {
	yes, no := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		patterns := loadable(t)
		var path any
		switch rapid.IntRange(0, 2).Draw(t, "sort") {
		case 0:
			path = textOf(pathPieces, 10).Draw(t, "path")
		case 1:
			path = Pattern{Text: "x", globs: subjects(rapid.SliceOfN(textOf(wordPieces, 10), 1, 2).Draw(t, "globs"))}
		default:
			path = Word{Text: "x", globs: rapid.SliceOfN(textOf(wordPieces, 10), 1, 2).Draw(t, "globs")}
		}
		env := sexpr.Plist("cwd", sexpr.Str(rapid.SampledFrom([]string{"", "/a", "/home/B"}).Draw(t, "cwd")),
			"home", sexpr.Str(rapid.SampledFrom([]string{"", "/home", "/[x]/É"}).Draw(t, "home")))
		c := skills.NewCase(nil, nil, &skills.Facts{Env: env})
		args := []any{path, patterns}
		if rapid.Bool().Draw(t, "fold") {
			args = append(args, "fold")
		}
		want, wantErr := slowGlobAny(c, args)
		unprepared, err := callGlobAny(c, args)
		require.Equal(t, wantErr != nil, err != nil)
		require.Equal(t, want, unprepared, "%q on %q", patterns, path)
		args[1] = prepareGlobs(patterns)
		got, err := callGlobAny(c, args)
		require.Equal(t, wantErr != nil, err != nil, "%v, and %v", wantErr, err)
		require.Equal(t, want, got, "%q on %q", patterns, path)
		switch got {
		case true:
			yes++
		case false:
			no++
		}
	})
	assert.Positive(t, yes)
	assert.Positive(t, no)
}

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
			a, b := slowOne(t, x), slowOne(t, y)
			want := slowOverlap(a, b)
			require.Equal(t, want, overlap(tokenOf(t, x), tokenOf(t, y)), "%q and %q", x, y)
			seen[want]++
		}
	})
	assert.Greater(t, min(seen[true], seen[false]), 20)
}

func slowOne(t *rapid.T, text string) slowToken {
	rows, err := slowFlat(text)
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Len(t, rows[0], 1)
	return rows[0][0]
}

// tokenOf is the token that the product reads.
func tokenOf(t *rapid.T, text string) token {
	if text[0] == 92 { // one that means itself
		r, _ := utf8.DecodeRuneInString(text[1:])
		return token{kind: literal, r: r}
	}
	if text == "?" {
		return token{kind: wild}
	}
	c, n, ok := readClass(text)
	require.True(t, ok && n == len(text), text)
	return token{kind: oneOf, class: c}
}

// Rows of segments meet where rows of characters do.
func TestMeet_AnswersAsTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := textOf(wordPieces, 8).Draw(t, "x"), textOf(patternPieces, 8).Draw(t, "y")
		fast, err := compileGlob(x)
		slow, slowErr := slowCompile(x)
		require.Equal(t, slowErr, err)
		want, wantErr := slowMatches(x, y)
		got, err := matches(x, y)
		require.Equal(t, wantErr, err)
		require.Equal(t, want, got, "%q and %q", x, y)
		others, err := slowCompile(y)
		if slowErr != nil || err != nil {
			return
		}
		rows, err := compileGlob(y)
		require.NoError(t, err)
		want, got = false, false // also where x has just one match
		for _, a := range slow {
			for _, b := range others {
				want = want || slowMeet(a, b)
			}
		}
		for _, a := range fast {
			for _, b := range rows {
				got = got || meet(a, b)
			}
		}
		require.Equal(t, want, got, "%q and %q", x, y)
	})
}

func TestGlobs_AreShared(t *testing.T) {
	patterns := prepareGlobs(list("**/.env", "**/*.pem", "~/x"))
	done := make(chan bool)
	for range 4 {
		go func() {
			c := commandCase(t, "true")
			a, _ := callGlobAny(c, []any{"/a/.ENV", patterns, "fold"})
			b, _ := callGlobAny(c, []any{"x", patterns})
			done <- a == true && b == false
		}()
	}
	for range 4 {
		assert.True(t, <-done)
	}
}

func BenchmarkGlobAny(b *testing.B) {
	patterns := list("**/.env", "**/{,*[-_.]}{secret,secrets,token,tokens}.{txt,json,yml,yaml,toml,ini,env}",
		"**/*.{pem,key,p12,pfx,ppk,jks,keystore}", "**/.{ssh,gnupg,aws,azure}{,/**}", "/proc/*/environ")
	text := strings.Repeat("the notes/of today are about tokens, and/or keys. ", 40)
	for name, path := range map[string]any{
		"path":     "/home/u/project/src/main.go",
		"pattern":  Pattern{Text: "src/*.go", globs: subjects([]string{"/home/u/project/src/*.go"})},
		"text-2KB": text, "text-2KB-anywhere": Pattern{Text: text, globs: subjects([]string{"/**/" + text})},
	} {
		c := commandCase(b, "true")
		for how, list := range map[string]any{"ready": prepareGlobs(patterns), "reference": patterns} {
			b.Run(name+"/"+how, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if how == "ready" {
						_, _ = callGlobAny(c, []any{path, list, "fold"})
					} else {
						_, _ = slowGlobAny(c, []any{path, list, "fold"})
					}
				}
			})
		}
	}
}
