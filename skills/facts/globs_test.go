package facts

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
	"github.com/opencortex-go/cortex/skills/facts/internal/glob/globtest"
)

// slowGlobAny answers glob-any? pattern by pattern.
func slowGlobAny(c *skills.Case, args []any) (any, error) {
	globs, err := pathGlobs(c, args[0])
	if err != nil {
		return nil, err
	}
	patterns, _ := args[1].([]any)
	fold := len(args) > 2
	home := environment(c).Home
	for _, p := range patterns {
		pattern, ok := p.(string)
		if !ok {
			return nil, errors.New("a path pattern is a string")
		}
		if home != "" && (pattern == "~" || strings.HasPrefix(pattern, "~/")) {
			pattern = glob.Escape(home) + pattern[1:]
		}
		for i := range globs {
			g := globs[i].Text
			if fold {
				g, pattern = strings.ToLower(g), strings.ToLower(pattern)
			}
			yes, err := globtest.Matches(g, pattern)
			if yes || err != nil {
				return yes, err
			}
		}
	}
	return false, nil
}

// Patterns made ready at load answer as the slow reference does pattern by
// pattern, for plain paths, words that were resolved and words with patterns,
// wherever one stands and whether or not there is a home.
func TestGlobs_AnswerAsTheReference(t *testing.T) {
	yes, no := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		patterns := globtest.Patterns(t)
		var path any
		switch rapid.IntRange(0, 2).Draw(t, "sort") {
		case 0:
			path = globtest.Text(globtest.PathPieces, 10).Draw(t, "path")
		case 1:
			path = Pattern{Text: "x",
				globs: glob.Subjects(rapid.SliceOfN(globtest.Text(globtest.WordPieces, 10), 1, 2).Draw(t, "globs"))}
		default:
			path = Word{Text: "x", globs: rapid.SliceOfN(globtest.Text(globtest.WordPieces, 10), 1, 2).Draw(t, "globs")}
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
		args[1] = glob.Prepare(patterns)
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
	if !testing.Short() { // twenty may all be the same
		assert.Positive(t, yes)
		assert.Positive(t, no)
	}
}

func TestGlobs_AreShared(t *testing.T) {
	patterns := glob.Prepare(list("**/.env", "**/*.pem", "~/x"))
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
		"pattern":  Pattern{Text: "src/*.go", globs: glob.Subjects([]string{"/home/u/project/src/*.go"})},
		"text-2KB": text, "text-2KB-anywhere": Pattern{Text: text, globs: glob.Subjects([]string{"/**/" + text})},
	} {
		c := commandCase(b, "true")
		for how, list := range map[string]any{"ready": glob.Prepare(patterns), "reference": patterns} {
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
