package secrets

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/zricethezav/gitleaks/v8/config"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

func ask(t testing.TB, f facts.Function, text string) []any {
	out, err := f.Call(skills.NewCase(nil, nil, &skills.Facts{}), []any{text})
	require.NoError(t, err)
	return out.([]any)
}

// Every sample is put together here, so that no scanner takes this file for a
// leak.
var samples = map[string]string{
	"openai":     "sk" + "-abcdefghij0123456789ABCD",
	"google":     "AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
	"github":     "ghp" + "_" + strings.Repeat("aB3", 12),
	"github pat": "github" + "_pat_11ABCDEFG0aBcDeFgHiJkL_mnopqrstuvwxyz0123456789",
	"slack":      "xox" + "b-123456789012-abcdefghijklmnop",
	"aws":        "AKIA" + "IOSFODNN7EXAMPL2",
	"jwt":        "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
	"rsa":        "-----BEGIN RSA " + "PRIVATE KEY-----",
	"pkcs8":      "-----BEGIN " + "PRIVATE KEY-----",
	"encrypted":  "-----BEGIN ENCRYPTED " + "PRIVATE KEY-----\nMIIE",
	"pgp":        "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----",
}

func TestRow064_SecretsAreFoundAnywhereInText(t *testing.T) {
	f := Functions()[0]
	for name, secret := range samples {
		for where, text := range map[string]string{
			"alone":     secret,
			"in prose":  "please use " + secret + " to log in",
			"in a call": `curl -H "Authorization: Bearer ` + secret + `" https://example.com`,
			"in a file": "# settings\nkey = \"" + secret + "\"\n",
			"in base64": "data: " + base64.StdEncoding.EncodeToString([]byte(secret)),
			"base64url": "https://x.example/?q=" + base64.RawURLEncoding.EncodeToString([]byte("k="+secret+"\n")),
			"wrapped":   wrap(base64.StdEncoding.EncodeToString([]byte("some leading text, then " + secret + " and more"))),
			"after /":   "path/to/x/" + base64.StdEncoding.EncodeToString([]byte(secret)),
		} {
			kinds := ask(t, f, text)
			assert.NotEmpty(t, kinds, "%s %s", name, where)
			for _, k := range kinds {
				assert.NotContains(t, k, secret, "the value is never told")
			}
		}
	}
}

func wrap(s string) string {
	var b strings.Builder
	for i, c := range s {
		if i > 0 && i%38 == 0 {
			b.WriteByte('\n')
		}
		b.WriteRune(c)
	}
	return b.String()
}

func TestSecrets_LeavesOrdinaryTextAlone(t *testing.T) {
	f := Functions()[0]
	for _, text := range []string{
		"", "hello world", "the task-force met risk-averse people and desk-bound-clerks-of-all-sorts",
		"see https://example.com/a/b/c?key=value",
		"git commit -m 'fix the token reader'", "sha256:9f86d081884c7d659a2feaa0c55ad015",
		"password: see the vault", "-----BEGIN CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----",
		strings.Repeat("lorem ipsum dolor sit amet ", 200), "cd /workspace/some/long/path/to/a/folder/with/many/names && ls",
	} {
		assert.Empty(t, ask(t, f, text), text)
	}
}

func TestSecrets_AllRulesCompile(t *testing.T) {
	var f ruleFile
	require.NoError(t, toml.Unmarshal([]byte(config.DefaultConfig), &f))
	require.Greater(t, len(f.Rules), 200)
	for _, r := range f.Rules {
		_, err := regexp.Compile(r.Regex)
		assert.NoError(t, err, r.ID)
	}
	s, err := load()
	require.NoError(t, err)
	for _, r := range s.rules {
		assert.NotPanics(t, func() { r.pattern() }, r.kind)
		for _, k := range r.keywords {
			assert.Equal(t, strings.ToLower(k), k, r.kind)
		}
	}
}

// The keyword filter must not change an answer: every rule, asked without it,
// says the same about the samples.
func TestSecrets_KeywordsOnlySaveWork(t *testing.T) {
	s, err := load()
	require.NoError(t, err)
	for name, secret := range samples {
		with, without := map[string]bool{}, map[string]bool{}
		s.scan("x = "+secret+"\n", with)
		for _, r := range s.rules {
			if s.holds(r, "x = "+secret+"\n") {
				without[r.kind] = true
			}
		}
		for k := range with {
			assert.True(t, without[k], "%s: %s", name, k)
		}
		assert.Equal(t, len(without) > 0, len(with) > 0, name)
	}
}

func TestSecrets_IsFitForConcurrentUse(t *testing.T) {
	f := Functions()[0]
	done := make(chan int)
	for range 4 {
		go func() {
			n := 0
			for _, secret := range samples {
				out, _ := f.Call(skills.NewCase(nil, nil, nil), []any{secret})
				n += len(out.([]any))
			}
			done <- n
		}()
	}
	first := <-done
	for range 3 {
		assert.Equal(t, first, <-done)
	}
}

func FuzzSecrets(f *testing.F) {
	for _, s := range samples {
		f.Add(s)
	}
	f.Add("QUtJQUlPU0ZPRE5ON0VYQU1QTDI=\n\n====")
	s, err := load()
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 {
			return
		}
		first := s.Kinds(text)
		require.Equal(t, first, s.Kinds(text))
		require.IsIncreasing(t, append([]string{""}, first...))
	})
}

func BenchmarkSecrets(b *testing.B) {
	s, err := load()
	require.NoError(b, err)
	for name, text := range map[string]string{
		"prose-1KB":  strings.Repeat("the quick brown fox jumps over a lazy dog. ", 24),
		"source-1KB": strings.Repeat("func key(a, b int) { token := auth(a); return api[b] }\n", 19),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s.Kinds(text)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		_, _ = load()
	}
}
