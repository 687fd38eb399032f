package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/reason/model"
)

// responses speaks OpenAI's responses. The endpoint is asked to keep nothing: the
// whole conversation goes with every request.
type responses struct{ openAI }

func (responses) defaults() (url, path, keyHeader, keyPrefix string) {
	return "https://api.openai.com/v1", "/responses", "Authorization", "Bearer "
}

func (r responses) request(p model.Prompt) (map[string]any, error) {
	names := r.names(p)
	system, talk := p.NativeSystem, dialogue(p.Messages, names)
	if system == "" || r.cfg.NoTools {
		system = p.System
	}
	body := map[string]any{"model": r.cfg.Model, "instructions": system, "store": false}
	if r.cfg.MaxTokens > 0 {
		body["max_output_tokens"] = r.cfg.MaxTokens
	}
	if r.cfg.NoTools {
		talk = plain(talk, names)
	} else if tools, err := r.tools(p, names); err != nil {
		return nil, err
	} else if len(tools) > 0 {
		body["tools"] = tools
	}
	input := []any{}
	for _, x := range talk {
		input = append(input, r.items(x)...)
	}
	body["input"] = input
	return body, nil
}

// tools are flat here, and strict unless it is said otherwise: that would have every
// parameter required.
func (responses) tools(p model.Prompt, names *toolNames) ([]any, error) {
	var out []any
	for _, t := range p.Callable() {
		schema, err := parameters(t)
		if err != nil {
			return nil, err
		}
		out = append(out, map[string]any{"type": "function", "name": names.forModel(t.Name), "description": t.Doc,
			"parameters": schema, "strict": false})
	}
	return out, nil
}

func (responses) items(x exchange) []any {
	var out []any
	if len(x.calls) == 0 || strings.TrimSpace(x.text) != "" {
		out = append(out, map[string]any{"type": "message", "role": string(x.role), "content": x.text})
	}
	for _, c := range x.calls {
		out = append(out, map[string]any{"type": "function_call", "call_id": c.id, "name": c.name, "arguments": c.arguments})
	}
	for i, c := range x.calls {
		out = append(out, map[string]any{"type": "function_call_output", "call_id": c.id, "output": x.results[i]})
	}
	return out
}

// parse reads an answer.
func (r responses) parse(top map[string]json.RawMessage, names *toolNames) (model.Completion, error) {
	var out model.Completion
	if text := complaint(top); text != "" {
		return out, fmt.Errorf("the answer is an error: %s", text)
	}
	status, _ := textOf(top["status"])
	if status == "failed" || status == "cancelled" {
		return out, fmt.Errorf("the answer has the status %s", status)
	}
	if _, ok := top["output"]; !ok {
		return out, errors.New("the answer has no output")
	}
	items, err := listOf(top["output"])
	if err != nil {
		return out, errors.New("the answer's output is not a list")
	}
	whole := status == "completed"
	var said []string
	for _, raw := range items {
		item, err := object(raw)
		if err != nil {
			return out, fmt.Errorf("an item of the answer is not an object: %w", err)
		}
		switch kind, _ := textOf(item["type"]); kind {
		case "message":
			text, err := spoken(item["content"])
			if err != nil {
				return out, err
			}
			said = append(said, text)
		case "function_call":
			c, err := r.call(item, names)
			if err != nil {
				return out, err
			}
			if state, _ := textOf(item["status"]); state != "" && state != "completed" {
				whole = false
			}
			out.Calls = append(out.Calls, c)
		}
	}
	if len(out.Calls) > maxCalls {
		return model.Completion{}, fmt.Errorf("the answer has %d tool calls, expected at most %d", len(out.Calls), maxCalls)
	}
	for i := range out.Calls {
		out.Calls[i].Cut = !whole
	}
	out.Text, out.Calls = unthought(strings.Join(said, "")), identified(out.Calls)
	return out, nil
}

func (responses) call(item map[string]json.RawMessage, names *toolNames) (model.NativeCall, error) {
	name, err := textOf(item["name"])
	if err != nil || name == "" {
		return model.NativeCall{}, errors.New("a function_call names no function")
	}
	id, _ := textOf(item["call_id"]) // one is made where it is missing
	arguments, err := textOf(item["arguments"])
	if err != nil {
		arguments = string(item["arguments"]) // some servers send the object itself
	}
	return model.NativeCall{ID: id, Name: names.forUs(name), Arguments: arguments}, nil
}

// spoken is the text of a message's parts, or its refusal.
func spoken(raw json.RawMessage) (string, error) {
	parts, err := listOf(raw)
	if err != nil {
		return "", errors.New("a message's content is not a list")
	}
	var b strings.Builder
	for _, raw := range parts {
		part, err := object(raw)
		if err != nil {
			return "", errors.New("a part of a message is not an object")
		}
		kind, _ := textOf(part["type"])
		key := map[string]string{"output_text": "text", "refusal": "refusal"}[kind]
		if key == "" {
			continue
		}
		text, err := textOf(part[key])
		if err != nil {
			return "", fmt.Errorf("a part of type %s without a text", kind)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func (r responses) usage(top map[string]json.RawMessage) model.Usage {
	u, err := object(top["usage"])
	if err != nil {
		return model.Usage{}
	}
	out := model.Usage{TokensIn: numberOf(u["input_tokens"]), TokensOut: numberOf(u["output_tokens"])}
	out.Cost = r.cfg.cost(out)
	if told, ok := moneyOf(u["cost"]); ok && r.cfg.PriceIn == 0 && r.cfg.PriceOut == 0 {
		out.Cost = told // as OpenRouter does
	}
	return out
}
