package reason

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// sourceCode is about n bytes of what people write: slashes, dots, brackets, and
// stars among words.
func sourceCode(n int) string {
	const page = "A package like path/filepath is imported by net/http; see https://example.com/a/b?c=[d].\n" +
		"func Join(elem ...string) string { return strings.Join(elem, \"/\") } /* a*b, {c,d} */\n"
	return strings.Repeat(page, n/len(page)+1)[:n]
}

// amongPlaces is a request to note a text, with some places to keep.
func amongPlaces(t testing.TB, text string, env sexpr.Value) Request {
	t.Helper()
	book := &book{
		tools: []*skills.Tool{{Name: "note", Tier: skills.TierAllow,
			Params: []skills.Param{{Name: "text", Type: skills.Type{Kind: skills.KindString}}}}},
	}
	p := Places{Hosts: []string{"127.0.0.1:9"}}
	for i := range 12 {
		p.Paths = append(p.Paths, fmt.Sprintf("/home/operator/.config/cortex/part%02d/secrets", i))
	}
	a, err := skills.NewAction("note", sexpr.Plist("text", sexpr.Str(text)), "")
	require.NoError(t, err)
	ready := p.Ready()
	return Request{Policy: book, Action: a, Facts: &skills.Facts{Env: env}, Places: &ready}
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Beside protected places a long text costs its length a few times, and not once
// more for each place or folder above one.
func TestALongTextBesidePlaces(t *testing.T) {
	for name, env := range map[string]sexpr.Value{"from anywhere": {},
		"from a folder": sexpr.Plist("cwd", sexpr.Str("/home/agent/work"))} {
		for start, text := range map[string]string{"relative": sourceCode(100 << 10), "absolute": "/" + sourceCode(100<<10),
			"climbing": "../" + sourceCode(100<<10)} {
			r := amongPlaces(t, text, env)
			Decide(t.Context(), r)
			assert.Less(t, allocated(func() { Decide(t.Context(), r) }), uint64(1<<20), "%s, %s", start, name)
		}
	}
}

func BenchmarkPlaces(b *testing.B) {
	for _, n := range []int{1 << 10, 10 << 10, 100 << 10, 900 << 10} {
		for _, env := range []string{"", "/home/agent/work"} {
			b.Run(fmt.Sprint(n>>10, "KB-cwd:", env), func(b *testing.B) {
				v := sexpr.Value{}
				if env != "" {
					v = sexpr.Plist("cwd", sexpr.Str(env))
				}
				r := amongPlaces(b, sourceCode(n), v)
				b.ReportAllocs()
				for b.Loop() {
					Decide(context.Background(), r)
				}
			})
		}
	}
}
