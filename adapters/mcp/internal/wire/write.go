package wire

import (
	"bytes"
	"encoding/json"
)

// Own is a message of the proxy itself. v has the members of one, and always has JSON.
func Own(v any) *Message {
	m, err := Parse(Encode(v))
	if err != nil {
		return Failure(nil, CodeInternal, "this proxy made an answer that cannot be read: "+err.Error())
	}
	return m
}

// Answered is the response to a request, with a result that is one JSON text.
func Answered(id, result json.RawMessage) *Message {
	return Own(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
	}{"2.0", id, result})
}

// Failure is the response to a request that breaks the protocol.
func Failure(id json.RawMessage, code int, text string) *Message {
	if id == nil {
		id = json.RawMessage("null")
	}
	type fault struct {
		Code int    `json:"code"`
		Text string `json:"message"`
	}
	return Own(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   fault           `json:"error"`
	}{"2.0", id, fault{code, text}})
}

// Progress is a notification of how long a person still has.
func Progress(token json.RawMessage, seconds int, text string) *Message {
	type params struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress int             `json:"progress"`
		Message  string          `json:"message"`
	}
	return Own(struct {
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
