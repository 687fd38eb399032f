package mcp

import (
	"strconv"

	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
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
// the model reads it. The verdict stands in the structured content, or in _meta where the tool has a
// schema for that content: clients throw away what does not follow it, also where it says why nothing ran.
func refusal(in *wire.Invocation, text string, v verdict) *wire.Message {
	result := map[string]any{"isError": true, "content": []any{map[string]any{"type": "text", "text": text}}}
	if in.Typed {
		result["_meta"] = map[string]any{"cortex": v}
	} else {
		result["structuredContent"] = map[string]any{"cortex": v}
	}
	return answered(in, result)
}

// answered is the response to a call. A newer client wants to be told that it is the last one.
func answered(in *wire.Invocation, result map[string]any) *wire.Message {
	if in.Era >= wire.Stateless {
		result["resultType"] = "complete"
	}
	return wire.Answered(in.ID, wire.Encode(result))
}

// denied is what a ruling says of a call that must not run.
func denied(in *wire.Invocation, r client.Ruling) *wire.Message {
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
func waiting(in *wire.Invocation, what string, r client.Ruling) *wire.Message {
	text := because(what+" waits for a person (approval "+r.Token+")", r)
	text += ". Nothing has run. Once a person has approved it, call again with exactly the same arguments."
	return refusal(in, text, verdict{Decision: ask, Rule: r.Key, ID: recordID(r), Approval: r.Token, Retryable: true})
}

// faulty is the answer to a message that was not read. Where the fault is in what a model wrote, the model reads it.
func faulty(f *wire.Fault) *wire.Message {
	if f.Args {
		return denied(&wire.Invocation{ID: f.ID}, no(f.Text))
	}
	return f.Answer()
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
