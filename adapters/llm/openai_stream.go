package llm

import (
	"encoding/json"
	"strings"
)

func (openAI) stream(request map[string]any) {
	request["stream"] = true
	request["stream_options"] = map[string]any{"include_usage": true}
}

func (openAI) assembly() assembly { return &chatAssembly{} }

// chatAssembly puts the chunks of a chat completion together.
type chatAssembly struct {
	text, refusal strings.Builder
	calls         []*chatCall
	finish        string
	usage         json.RawMessage
}

// chatCall is a tool call as far as it has come.
type chatCall struct {
	index    int
	id, name string
	args     strings.Builder
}

func (a *chatAssembly) add(event map[string]json.RawMessage) error {
	if u := event["usage"]; len(u) > 0 && string(u) != "null" {
		a.usage = u
	}
	choices, err := listOf(event["choices"])
	if err != nil {
		return wrongStream("has choices that are not a list")
	}
	for _, raw := range choices {
		choice, err := object(raw)
		if err != nil {
			return wrongStream("has a choice that is not an object")
		}
		if n, err := indexOf(choice["index"]); err != nil || n > 0 {
			continue // one answer was asked for
		}
		if err := a.choice(choice); err != nil {
			return err
		}
	}
	return nil
}

func (a *chatAssembly) choice(choice map[string]json.RawMessage) error {
	if d := choice["delta"]; len(d) > 0 && string(d) != "null" {
		delta, err := object(d)
		if err != nil {
			return wrongStream("has a delta that is not an object")
		}
		if err := a.delta(delta); err != nil {
			return err
		}
	}
	if why, err := textOf(choice["finish_reason"]); err == nil && why != "" {
		a.finish = why
	}
	return nil
}

func (a *chatAssembly) delta(delta map[string]json.RawMessage) error {
	text, err := content(delta["content"])
	if err != nil {
		return wrongStream("has a piece of content that is not a text")
	}
	refusal, _ := textOf(delta["refusal"])
	calls, err := listOf(delta["tool_calls"])
	if err != nil {
		return wrongStream("has tool_calls that are not a list")
	}
	if a.finish != "" && (text != "" || refusal != "" || len(calls) > 0) {
		return wrongStream("goes on after its finish_reason")
	}
	a.text.WriteString(text)
	a.refusal.WriteString(refusal)
	for _, raw := range calls {
		piece, err := object(raw)
		if err != nil {
			return wrongStream("has a piece of a tool call that is not an object")
		}
		if err := a.piece(piece); err != nil {
			return err
		}
	}
	return nil
}

// piece adds to a call. A piece without an index goes on with the newest call, unless
// it brings an id of its own. Some servers give all calls the same index: another id is
// another call.
func (a *chatAssembly) piece(piece map[string]json.RawMessage) error {
	index, err := indexOf(piece["index"])
	if err != nil {
		return err
	}
	id, _ := textOf(piece["id"])
	c := a.call(index, id)
	if c == nil {
		if len(a.calls) == maxPieces {
			return wrongStream("has more than %d tool calls", maxPieces)
		}
		c = &chatCall{index: index}
		a.calls = append(a.calls, c)
	}
	if id != "" {
		c.id = id
	}
	f, err := object(piece["function"])
	if err != nil {
		return nil // a piece may bring the id alone
	}
	name, err := textOf(f["name"])
	if err != nil {
		return wrongStream("has a tool call whose name is not a text")
	}
	if name != c.name { // some servers repeat it with every piece
		c.name += name
	}
	args, err := textOf(f["arguments"])
	if err != nil {
		args = string(f["arguments"]) // some servers send the object itself
	}
	c.args.WriteString(args)
	return nil
}

// call finds the call that a piece belongs to; nil for a new one.
func (a *chatAssembly) call(index int, id string) *chatCall {
	for i := len(a.calls) - 1; i >= 0; i-- {
		if c := a.calls[i]; index < 0 || c.index == index {
			if id != "" && c.id != "" && id != c.id {
				return nil
			}
			return c
		}
	}
	return nil
}

func (a *chatAssembly) body() (map[string]any, error) {
	if a.finish == "" {
		return nil, cutStream("there was no finish_reason")
	}
	var calls []any
	for _, c := range a.calls {
		calls = append(calls, map[string]any{"id": c.id, "type": "function",
			"function": map[string]any{"name": c.name, "arguments": c.args.String()}})
	}
	message := map[string]any{"content": a.text.String(), "refusal": a.refusal.String(), "tool_calls": calls}
	body := map[string]any{"choices": []any{map[string]any{"message": message, "finish_reason": a.finish}}}
	if a.usage != nil {
		body["usage"] = a.usage
	}
	return body, nil
}
