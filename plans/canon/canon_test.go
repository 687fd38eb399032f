package canon

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// seeds are texts at the edges of what is read without jcs.
var seeds = []string{
	`{}`, `[]`, `{"b":1,"a":2}`, ` { "b" : [ 1 , -2 , 0 ] , "a" : { } } `, `{"a":1,"a":2}`,
	`{"b":{"d":1,"c":[]},"a":null}`, `{"a":"x\ny\t\"\\"}`, `{"a":"\u003c"}`, `{"a":"\/"}`, `{"a":"\u0001"}`,
	`{"a":"\u000b\u001F\u001f"}`, `{"a":"\u000a"}`, `{"a":"\u0020\u007f"}`, `{"a":"\u001`, `{"a":"\u0000x"}`,
	`{"é":1,"z":2}`, `{"a\n":1,"a":2}`, `{"a":1.0}`, `{"a":-0}`, `{"a":01}`, `{"a":1e3}`,
	`{"a":999999999999999}`, `{"a":9007199254740993}`, `{"a":-}`, `{"a":1}x`, `{"a":1,}`, `[1,]`, `{"a"}`,
	`{"a":}`, `{"a":tru}`, `truex`, `"x"`, `1`, `-1`, `null`, ``, ` `, `{"a":"` + "\x01" + `"}`,
	`{"a":"` + "\u2028\x7f😀" + `"}`, `{"a":"\ud800"}`, `{"":1," ":2,"!":3}`,
	strings.Repeat("[", 200) + strings.Repeat("]", 200), `{"a":"\`, `{"a":"`, `[1 2]`, `{"a":1 "b":2}`,
	`{,}`, `[,]`, `{"a":truefalse}`, `[1x]`, `{"ab":1,"a":1,"a!":1}`,
}

// same checks that a text has the canonical form that jcs gives it, or the same refusal.
func same(t *testing.T, text string) {
	got, err := JSON([]byte(text))
	want, fault := jcs.Transform([]byte(text))
	if !utf8.ValidString(text) {
		require.Error(t, err)
		return
	}
	require.Equal(t, fault == nil, err == nil, "%q: %v, jcs: %v", text, err, fault)
	require.Equal(t, string(want), string(got), "%q", text)
}

func TestCanonicalFormIsThatOfJCS(t *testing.T) {
	for _, text := range seeds {
		same(t, text)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	plainly := 0
	for range 3000 {
		text := anything(rng, 0)
		same(t, text)
		if _, ok := canonical([]byte(text)); ok {
			plainly++
		}
	}
	assert.Greater(t, plainly, 500, "most of it went another way")
}

func FuzzCanonicalForm(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(same)
}

// anything is some JSON.
func anything(rng *rand.Rand, depth int) string {
	pad := func() string { return []string{"", "", "", " ", "\n\t"}[rng.IntN(5)] }
	name := func() string {
		return []string{`"a"`, `"b"`, `"ab"`, `"B"`, `"_"`, `"a b"`, `"\n"`, `"é"`}[rng.IntN(8)]
	}
	n := rng.IntN(4)
	var parts []string
	switch kind := rng.IntN(6); {
	case kind == 0 && depth < 5:
		for range n {
			parts = append(parts, pad()+anything(rng, depth+1)+pad())
		}
		return "[" + strings.Join(parts, ",") + "]"
	case kind <= 2 && depth < 5:
		for range n {
			parts = append(parts, pad()+name()+pad()+":"+pad()+anything(rng, depth+1)+pad())
		}
		return "{" + strings.Join(parts, ",") + "}"
	case kind == 3:
		return fmt.Sprint(rng.IntN(1<<62) >> rng.IntN(60))
	case kind == 4:
		return []string{"true", "false", "null", "1.5", "-3", "1e2", "0", "-0"}[rng.IntN(8)]
	}
	return []string{`""`, `"x\ny"`, `"<&>"`, `"é😀"`, `"\u00e9"`, `"\\\""`, `"plain words"`, `"\u001f"`}[rng.IntN(8)]
}

// What encoding/json escapes for browsers is spelled as it is.
func TestOfEscapesNoMoreThanItHasTo(t *testing.T) {
	got, err := Of(map[string]any{"b": "<a&b>\u2028\x01", "a": []int{1}})
	require.NoError(t, err)
	assert.Equal(t, "{\"a\":[1],\"b\":\"<a&b>\u2028\\u0001\"}", string(got))
}

func BenchmarkJSON(b *testing.B) {
	text := []byte(`{"v":1,"kind":"execution_snapshot","enginePayload":{"v":1,"engineState":{"kind":"running","loopStack":[],` +
		`"completed":{"kind":"set","values":["a","b"]},"notes":"` + strings.Repeat(`some words\n`, 100) + `"}}}`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, _ = JSON(text)
	}
}
