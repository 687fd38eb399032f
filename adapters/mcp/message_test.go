package mcp

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// odd are messages that two parsers may read in two ways, or that are none.
var odd = []string{
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
	`{"jsonrpc":"2.0","id":{},"method":"tools/call"}`,
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\xff\"}",
}

// oddCalls are params of a tools/call that two parsers may read in two ways.
var oddCalls = []string{
	``, `[]`, `{}`, `{"name":1}`, `{"name":""}`, `{"name":"a","name":"b"}`, `{"name":"a","Name":"b"}`,
	`{"name":"a","arguments":{},"arguments":{"x":1}}`, `{"name":"a","Arguments":{}}`, `{"name":"a","arguments":[]}`,
	`{"name":"a","arguments":"{}"}`, `{"name":"a\ud800"}`,
}

func TestRefusesWhatReadsInTwoWays(t *testing.T) {
	for _, raw := range odd {
		_, err := parse([]byte(raw))
		var f *fault
		require.ErrorAs(t, err, &f, raw)
		assert.True(t, json.Valid(f.answer()), raw)
	}
	for _, params := range oddCalls {
		_, err := invoked(&message{id: json.RawMessage("1"), params: json.RawMessage(params)})
		require.Error(t, err, params)
	}
}

func TestReads(t *testing.T) {
	for raw, want := range map[string]message{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`: {method: "ping", id: json.RawMessage("1")},
		`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}}`: {method: "notifications/x",
			params: json.RawMessage(`{"a":1}`)},
		`{"jsonrpc":"2.0","id":"q","result":{}}`: {id: json.RawMessage(`"q"`),
			result: json.RawMessage("{}")},
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`: {fail: json.RawMessage(`{"code":-32700,"message":"x"}`)},
	} {
		m, err := parse([]byte(raw))
		require.NoError(t, err, raw)
		want.raw = []byte(raw)
		assert.Equal(t, &want, m)
	}
	assert.Equal(t, idKey(json.RawMessage("1")), idKey(json.RawMessage("1.0")), "one number")
	assert.NotEqual(t, idKey(json.RawMessage("1")), idKey(json.RawMessage(`"1"`)))
}

// What is read is what the standard library reads, and what is changed stays JSON with
// nothing else changed.
func FuzzParse(f *testing.F) {
	for _, raw := range append(odd,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":[1,{"y":null}]},"z":1}}`) {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := parse(raw)
		var fa *fault
		if err != nil {
			require.True(t, errors.As(err, &fa))
			require.True(t, json.Valid(fa.answer()))
			return
		}
		var plain map[string]any
		require.NoError(t, json.Unmarshal(raw, &plain))
		method, _ := plain["method"].(string)
		require.Equal(t, m.method, method)
		in, err := invoked(m)
		if err != nil || m.method != methodCall {
			return
		}
		out, err := in.withArgs(m, json.RawMessage(`{"new":1}`))
		require.NoError(t, err)
		var changed map[string]any
		require.NoError(t, json.Unmarshal(out, &changed))
		plain["params"].(map[string]any)["arguments"] = map[string]any{"new": 1.0}
		require.Equal(t, plain, changed)
	})
}
