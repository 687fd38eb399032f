package wire

import (
	"bytes"
	"encoding/json"
)

// Failure is the response to a request that breaks the protocol.
func Failure(id json.RawMessage, code int, text string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	type fault struct {
		Code int    `json:"code"`
		Text string `json:"message"`
	}
	return Encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   fault           `json:"error"`
	}{"2.0", id, fault{code, text}})
}

// Progress is a notification of how long a person still has.
func Progress(token json.RawMessage, seconds int, text string) []byte {
	type params struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress int             `json:"progress"`
		Message  string          `json:"message"`
	}
	return Encode(struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  params `json:"params"`
	}{"2.0", NoteProgress, params{token, -seconds, text}})
}

// Encode writes what always has JSON, without escapes that only browsers need.
func Encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n")
}
