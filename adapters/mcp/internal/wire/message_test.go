package wire

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Odd are messages that two parsers may read in two ways, or that are none.
var Odd = []string{
	``, `null`, `"x"`, `{`, `{}`, `{"id":1}{"id":2}`, `[]`, `[{"jsonrpc":"2.0","id":1,"method":"tools/call"}]`,
	`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`,
	`{"jsonrpc":"2.0","id":1,"method":"ping","\u006dethod":"tools/call"}`,
	`{"jsonrpc":"2.0","id":1,"Method":"tools/call"}`,
	`{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/call"}`,
	`{"jsonrpc":"2.0","id":1,"method":"Tools/Call"}`,
	`{"jsonrpc":"2.0","id":1,"method":" tools/call"}`,
	`{"jsonrpc":"2.0","id":1,"method":["tools/call"]}`,
	`{"jsonrpc":"2.0","id":1,"method":""}`,
	`{"jsonrpc":"2.0","id":null,"method":"tools/call"}`,
	`{"jsonrpc":"1.0","id":1,"result":{}}`, `{"id":1,"method":"tools/call"}`, `{"jsonrpc":2.0,"id":1,"result":{}}`,
	`{"jsonrpc":"2.0","id":{},"method":"tools/call"}`,
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\xff\"}",
}

// OddCalls are params of a tools/call that two parsers may read in two ways.
var OddCalls = []string{
	``, `[]`, `{}`, `{"name":1}`, `{"name":""}`, `{"name":"a","name":"b"}`, `{"name":"a","Name":"b"}`,
	`{"name":"a","arguments":{},"arguments":{"x":1}}`, `{"name":"a","Arguments":{}}`, `{"name":"a","arguments":[]}`,
	`{"name":"a","arguments":"{}"}`, `{"name":"a\ud800"}`,
	`{"name":"a","arguments":{"x":{"y":1,"y":2}}}`, `{"name":"a","_meta":{"progressToken":1,"ProgressToken":2}}`,
}

func TestRefusesWhatReadsInTwoWays(t *testing.T) {
	for _, raw := range Odd {
		_, err := Parse([]byte(raw))
		var f *Fault
		require.ErrorAs(t, err, &f, raw)
		assert.True(t, json.Valid(f.Answer().Bytes()), raw)
	}
	for _, params := range OddCalls {
		m, err := Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`))
		if err == nil {
			_, err = Invoked(m)
		}
		var f *Fault
		require.ErrorAs(t, err, &f, params)
		if params != "" {
			assert.Equal(t, json.RawMessage("1"), f.ID, params)
		}
	}
}

// Some programs end a text at NUL, or trim more than blanks: what they take for a call is one.
func TestAMethodIsPrintableASCII(t *testing.T) {
	for _, method := range []string{"tools/call\u0000x", "\ufefftools/call", "tools/call\u200b", "tools/call\u00a0",
		" tools/call", "tools/\u007fcall", "Tools/Call", "\uff54ools/call"} {
		_, err := Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"name":"a"}}`))
		require.Error(t, err, method)
	}
}

func TestReads(t *testing.T) {
	for raw, want := range map[string]Message{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`: {Method: "ping", ID: json.RawMessage("1")},
		`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}}`: {Method: "notifications/x",
			Params: json.RawMessage(`{"a":1}`)},
		`{"jsonrpc":"2.0","id":"q","result":{}}`: {ID: json.RawMessage(`"q"`),
			Result: json.RawMessage("{}")},
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`: {Fail: json.RawMessage(`{"code":-32700,"message":"x"}`)},
	} {
		m, err := Parse([]byte(raw))
		require.NoError(t, err, raw)
		want.raw = []byte(raw)
		assert.Equal(t, &want, m)
	}
	assert.Equal(t, IDKey(json.RawMessage("1")), IDKey(json.RawMessage("1.0")), "one number")
	assert.NotEqual(t, IDKey(json.RawMessage("1")), IDKey(json.RawMessage(`"1"`)))
}

// An id is taken as the official SDKs take it: as Number does in JavaScript, and int in Python.
func TestMatchesAsTheSDKsDo(t *testing.T) {
	open := map[string]bool{"3": true, "20": true, "24": true}
	for id, want := range map[string]string{
		`3`: "3", `3.0`: "3", `"3"`: "3", `" 3\n"`: "3", `"0x3"`: "3", `"0b11"`: "3", `"+3"`: "3", `"\u0663"`: "3",
		`"\ufeff3"`: "3",
		`"024"`:     "24", `"0o24"`: "20", // no SDK takes 024 for octal
		`"x"`: "", `"3.5"`: "", `""`: "", `"0"`: "",
	} {
		got, ok := Match(open, json.RawMessage(id))
		assert.Equal(t, want != "", ok, id)
		if ok {
			assert.Equal(t, want, got, id)
		}
	}
}

// What is read is what the standard library reads, and what is changed stays JSON with
// nothing else changed.
func FuzzParse(f *testing.F) {
	for _, raw := range append(Odd,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":[1,{"y":null}]},"z":1}}`) {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := Parse(raw)
		var fa *Fault
		if err != nil {
			require.True(t, errors.As(err, &fa))
			require.True(t, json.Valid(fa.Answer().Bytes()))
			return
		}
		var plain map[string]any
		require.NoError(t, json.Unmarshal(m.Bytes(), &plain))
		method, _ := plain["method"].(string)
		require.Equal(t, m.Method, method)
		_, err = Invoked(m)
		if err != nil || m.Method != MethodCall {
			return
		}
		out, err := m.WithArgs(json.RawMessage(`{"new":1}`))
		require.NoError(t, err)
		var changed map[string]any
		require.NoError(t, json.Unmarshal(out.Bytes(), &changed))
		plain["params"].(map[string]any)["arguments"] = map[string]any{"new": 1.0}
		require.Equal(t, plain, changed)
	})
}
