package secrets

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/skills"
)

func redacted(text string) (string, error) {
	out, err := Functions()[1].Call(skills.NewCase(nil, nil, &skills.Facts{}), []any{text})
	s, _ := out.(string)
	return s, err
}

func TestRedact(t *testing.T) {
	got, err := redacted("user ann, token " + samples["github"] + ", host example.com")
	require.NoError(t, err)
	assert.Equal(t, "user ann, token [github-token], host example.com", got)
	got, err = redacted("nothing here, not even in /etc/passwd")
	require.NoError(t, err)
	assert.Equal(t, "nothing here, not even in /etc/passwd", got)
}

// What comes out holds no secret, whatever stood in the text and however it was
// packed. Mostly it keeps what stands around.
func TestRedactLeavesNoSecret(t *testing.T) {
	f := Functions()
	on := skills.NewCase(nil, nil, &skills.Facts{})
	names := slices.Sorted(maps.Keys(samples))
	given, asked := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		var text strings.Builder
		text.WriteString("before ")
		var plain []string
		for range rapid.IntRange(1, 3).Draw(rt, "parts") {
			secret := samples[rapid.SampledFrom(names).Draw(rt, "secret")]
			switch rapid.IntRange(0, 3).Draw(rt, "packing") {
			case 0:
				secret = base64.StdEncoding.EncodeToString([]byte("k=" + secret))
			case 1:
				secret = wrap(base64.StdEncoding.EncodeToString([]byte("some leading text, then " + secret + " and more")))
			default:
				plain = append(plain, secret)
			}
			text.WriteString(rapid.SampledFrom([]string{"", "hello ", "key = \"", "\n"}).Draw(rt, "before") + secret +
				rapid.SampledFrom([]string{" ", "\n", "\" and so on\n"}).Draw(rt, "after"))
		}
		asked++
		got, err := f[1].Call(on, []any{text.String()})
		require.NoError(rt, err)
		if strings.Contains(got.(string), "before ") {
			given++
		}
		kinds, err := f[0].Call(on, []any{got})
		require.NoError(rt, err)
		require.Empty(rt, kinds, "%q", got)
		for _, p := range plain {
			if !strings.HasPrefix(p, "-----") {
				require.NotContains(rt, got, p)
			}
		}
	})
	assert.Greater(t, 2*given, asked)
}

func BenchmarkRedact(b *testing.B) {
	f, on := Functions()[1], skills.NewCase(nil, nil, &skills.Facts{})
	text := strings.Repeat("user ann, token "+samples["github"]+", host example.com. ", 10)
	_, _ = f.Call(on, []any{text})
	b.ReportAllocs()
	for b.Loop() {
		_, _ = f.Call(on, []any{text})
	}
}
