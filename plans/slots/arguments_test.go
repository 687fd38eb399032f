package slots_test

import (
	"encoding/json"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/hostile"
	"github.com/opencortex-go/cortex/plans/slots"
	"github.com/opencortex-go/cortex/sexpr"
)

const arguments = `{"whole":"{{x}}","list":["a","{{x}}",{"deep":"{{x}}"}],
	"path":"/srv/{{x}}/notes.txt","url":"https://api.example.net/v1/{{x}}/items?name={{x}}&n=1#{{x}}"}`

// readers are what programs make of an argument, once with a value that is plain and once with a
// hostile one: only the value differs, or Fill refuses.
func TestHostileValuesStayInTheirArguments(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 4 * len(hostile.Values())
	}
	both := object(t, arguments)
	only := func(names ...string) sexpr.Value {
		out := sexpr.EmptyObject()
		for _, name := range names {
			v, _ := both.Get(name)
			out = out.With(name, v)
		}
		return out
	}
	passed, kept := 0, 0
	for _, x := range hostile.Mixtures(n) {
		work := sexpr.Plist("x", sexpr.Str(x), "y", "z")
		got, reasons := slots.Fill(step, only("whole", "list"), work)
		require.Empty(t, reasons, "%.100q", x)
		var back struct {
			Whole string
			List  []any
		}
		require.NoError(t, json.Unmarshal([]byte(asJSON(t, got)), &back))
		require.Equal(t, x, back.Whole)
		require.Equal(t, []any{"a", x, map[string]any{"deep": x}}, back.List)
		kept++

		got, reasons = slots.Fill(step, only("path", "url"), work)
		if len(reasons) > 0 {
			continue
		}
		passed++
		p := got.GetText("path")
		require.Equal(t, path.Join("/srv", x, "notes.txt"), path.Clean(p))
		require.True(t, x == "." || path.Dir(path.Dir(p)) == "/srv", p) // one folder deeper, or the same; never up
		u, err := url.Parse(got.GetText("url"))
		require.NoError(t, err)
		require.Equal(t, "api.example.net", u.Host)
		require.Equal(t, "/v1/"+x+"/items", u.Path)
		require.Equal(t, url.Values{"name": {x}, "n": {"1"}}, u.Query())
		require.Equal(t, x, u.Fragment)
	}
	assert.Equal(t, n, kept)
	assert.Positive(t, passed)
	t.Logf("%d values: all stand as whole arguments, %d in a path and a URL", kept, passed)
}

// The readers above tell when texts are only put together.
func TestPuttingArgumentsTogetherIsCaught(t *testing.T) {
	u, err := url.Parse(strings.ReplaceAll("https://api.example.net/v1/{{x}}/items?name={{x}}", "{{x}}", "a?b=c#"))
	require.NoError(t, err)
	assert.NotEqual(t, "/v1/a?b=c#/items", u.Path)
	assert.NotEqual(t, "/srv", path.Dir(path.Dir(strings.ReplaceAll("/srv/{{x}}/notes.txt", "{{x}}", "../etc/x"))))
}
