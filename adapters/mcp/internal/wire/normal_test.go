package wire

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A text has one spelling, whatever white space, escapes and marks it came with.
func TestNormal(t *testing.T) {
	for raw, want := range map[string]string{
		" \t\r\n{ \"a\" :\r1 , \"b\":[ ] }\n":        `{"a":1,"b":[]}`,
		"\uFEFF[1.0, 1e3,-0 ,12345678901234567890]":  `[1.0,1e3,-0,12345678901234567890]`,
		`"\u0061\/\"\\\b\f\n\r\t\u0000\u007f"`:       `"a/\"\\\u0008\u000c\u000a\u000d\u0009\u0000\u007f"`,
		"\"\u0085\u2028\u2029\uFEFF\x7f\u00e9\"":     `"\u0085\u2028\u2029\ufeff\u007fé"`,
		`"\ud83d\ude00 \ud83d \ude00 \ud83d\u0061"`:  "\"\U0001F600 \uFFFD \uFFFD \uFFFDa\"",
		`{"z":{"y":[{"x":null}]},"a":true,"":false}`: `{"z":{"y":[{"x":null}]},"a":true,"":false}`,
	} {
		got, err := Normal([]byte(raw))
		require.NoError(t, err, raw)
		assert.Equal(t, want, string(got), raw)
		again, err := Normal(got)
		require.NoError(t, err)
		assert.Equal(t, want, string(again), "it is its own normal form")
	}
	for _, raw := range []string{``, `{`, `1 2`, `{"a":1,"a":2}`, `{"a":{"b":1,"\u0062":2}}`, `{"\ud800":1,"\ud801":2}`,
		"\"\xff\"", `{"a":1,}`, `nul`} {
		_, err := Normal([]byte(raw))
		require.Error(t, err, raw)
	}
}

// What the standard library reads of a text, it reads of the normal form.
func FuzzNormal(f *testing.F) {
	for _, raw := range append(Odd, `{"a":[1,"\ud800",{"B":2,"b":3}]}`, "\uFEFF 1") {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := Normal(raw)
		if err != nil {
			return
		}
		var a, b any
		text := string(raw)
		if len(text) >= 3 && text[:3] == "\uFEFF" {
			text = text[3:]
		}
		require.NoError(t, json.Unmarshal([]byte(text), &a))
		require.NoError(t, json.Unmarshal(got, &b))
		require.Equal(t, a, b)
		for _, c := range got {
			require.False(t, c < 0x20 || c == 0x7f, "%q", got)
		}
	})
}

// An id matches one open request at most, the equal one first.
func TestMatch(t *testing.T) {
	open := map[string]int{`3`: 1, `"x"`: 2, `0`: 3, `"12"`: 4, `16`: 5}
	for id, want := range map[string]string{`3`: `3`, `3.0`: `3`, `"3"`: `3`, `" 3\t"`: `3`, `"0x3"`: `3`, `"0b11"`: `3`, `"3e0"`: `3`,
		`"+3"`: `3`, `"٣"`: `3`, `"1_6"`: `16`, `""`: `0`, `"x"`: `"x"`, `"12"`: `"12"`, `12`: `"12"`} {
		key, ok := Match(open, json.RawMessage(id))
		assert.True(t, ok, id)
		assert.Equal(t, want, key, id)
	}
	for _, id := range []string{`4`, `"y"`, `"3x"`, `"X"`, `true`} {
		_, ok := Match(open, json.RawMessage(id))
		assert.False(t, ok, id)
	}
	_, ok := Match(map[string]int{`"3"`: 1, `"03"`: 2}, json.RawMessage(`3`))
	assert.False(t, ok, "two requests")
}

// Names of the protocol are read in its own spelling; what is the server's or the user's own is free.
func TestNamesInAnotherCase(t *testing.T) {
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`
	}
	answer := func(result string) string { return `{"jsonrpc":"2.0","id":1,"result":` + result + `}` }
	for _, raw := range []string{
		call(`{"name":"a","arguments":{"Name":1,"CONTENT":{"Text":2}}}`), answer(`{"structuredContent":{"Content":[{"Text":1}]}}`),
		answer(`{"tools":[{"name":"a","inputSchema":{"properties":{"Name":{"Type":1}}},"x-vendor":{"Name":1}}]}`),
		answer(`{"action":"accept","content":{"Name":"Ann"}}`), call(`{"name":"a","_meta":{"Name":1,"x/Content":{"Text":1}}}`),
	} {
		_, err := Parse([]byte(raw))
		require.NoError(t, err, raw)
	}
	for _, raw := range []string{
		answer(`{"Content":[]}`), answer(`{"content":[{"type":"text","TEXT":"x"}]}`), answer(`{"tools":[{"Name":"a"}]}`),
		answer(`{"tool\u017f":[]}`), answer(`{"messages":[{"content":{"type":"text","Text":"x"}}]}`),
		call(`{"name":"a","Arguments":{}}`), call(`{"name":"a","_meta":{"progresstoken":1}}`), `{"jsonrpc":"2.0","ID":1,"method":"x"}`,
	} {
		_, err := Parse([]byte(raw))
		require.Error(t, err, raw)
	}
}

// Whatever a message is replaced by, it stays one message of its kind.
func TestReplaceCannotChangeTheKind(t *testing.T) {
	m, err := Parse([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	require.NoError(t, err)
	for _, value := range []string{`7,"method":"tools/call"`, `7}{`, ``, `7 8`, `"a`, `null`, `{}`} {
		_, err := m.Replace(json.RawMessage(value), "id")
		require.Error(t, err, value)
	}
	for range 100 {
		id := strconv.Itoa(rand.Int())
		n, err := m.Replace(json.RawMessage(id), "id")
		require.NoError(t, err)
		require.Equal(t, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`, string(n.Bytes()))
	}
}
