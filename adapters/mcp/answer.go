package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/opencortex-go/cortex/adapters/api/client"
)

// verdict is what a client's program reads of a call that did not run: structuredContent.cortex.
type verdict struct {
	Decision  string `json:"decision"`              // "deny" or "ask"
	Rule      string `json:"rule,omitempty"`        // that decided
	ID        string `json:"decision_id,omitempty"` // the number of the decision's record
	Approval  string `json:"approval,omitempty"`    // the card that waits for a person
	Retryable bool   `json:"retryable"`             // whether to call again may help
}

// refusal is the response to a call that does not run. It is a result and no error, so that
// the model reads it. A newer client wants to be told that it is the last one. The verdict
// stands in the structured content, or in _meta where the tool has a schema for that content:
// clients throw away what does not follow it, also where it says why nothing ran.
func refusal(in *invocation, text string, v verdict) []byte {
	type content struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	result := struct {
		ResultType string         `json:"resultType,omitempty"`
		IsError    bool           `json:"isError"`
		Content    []content      `json:"content"`
		Structured map[string]any `json:"structuredContent,omitempty"`
		Meta       map[string]any `json:"_meta,omitempty"`
	}{IsError: true, Content: []content{{"text", text}}}
	if in.typed {
		result.Meta = map[string]any{"cortex": v}
	} else {
		result.Structured = map[string]any{"cortex": v}
	}
	if in.era >= stateless {
		result.ResultType = "complete"
	}
	return encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}{"2.0", in.id, result})
}

// denied is what a ruling says of a call that must not run.
func denied(in *invocation, r client.Ruling) []byte {
	text := "Denied"
	if r.Key != "" {
		text += " by rule " + r.Key
	}
	text, again := because(text, r), false
	for _, w := range r.Reasons {
		again = again || w.Retryable
	}
	return refusal(in, text, verdict{Decision: deny, Rule: r.Key, ID: recordID(r), Retryable: again})
}

// waiting is what a ruling says of a call that waits for a person beyond the client's patience.
func waiting(in *invocation, what string, r client.Ruling) []byte {
	text := because(what+" waits for a person (approval "+r.Token+")", r)
	text += ". Nothing has run. Once a person has approved it, call again with exactly the same arguments."
	return refusal(in, text, verdict{Decision: ask, Rule: r.Key, ID: recordID(r), Approval: r.Token, Retryable: true})
}

// because adds the reasons.
func because(text string, r client.Ruling) string {
	for i, w := range r.Reasons {
		if i == 0 {
			text += ": " + w.Text
		} else {
			text += "; " + w.Text
		}
	}
	return text
}

func recordID(r client.Ruling) string {
	if r.Record == 0 {
		return ""
	}
	return strconv.FormatUint(r.Record, 10)
}

// failure is the response to a request that breaks the protocol.
func failure(id json.RawMessage, code int, text string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	type fault struct {
		Code int    `json:"code"`
		Text string `json:"message"`
	}
	return encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   fault           `json:"error"`
	}{"2.0", id, fault{code, text}})
}

// progress is a notification of how long a person still has.
func progress(token json.RawMessage, seconds int, text string) []byte {
	type params struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress int             `json:"progress"`
		Message  string          `json:"message"`
	}
	return encode(struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  params `json:"params"`
	}{"2.0", noteProgress, params{token, -seconds, text}})
}

// encode writes what always has JSON, without escapes that only browsers need.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n")
}
