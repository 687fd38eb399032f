package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/reason/model"
)

// openAI speaks chat completions.
type openAI struct{ cfg *Config }

const maxOpenAIName = 64

func (openAI) defaults() (url, path, keyHeader, keyPrefix string) {
	return "https://api.openai.com/v1", "/chat/completions", "Authorization", "Bearer "
}

func (openAI) headers() map[string]string { return nil }

func (o openAI) names(p model.Prompt) *toolNames { return newToolNames(p.Callable(), maxOpenAIName) }

// request is the body of a request.
func (o openAI) request(p model.Prompt) (map[string]any, error) {
	names := o.names(p)
	system, talk := p.NativeSystem, dialogue(p.Messages, names)
	if system == "" || o.cfg.NoTools {
		system = p.System
	}
	body := map[string]any{"model": o.cfg.Model}
	if o.cfg.MaxTokens > 0 {
		body[o.maxTokens()] = o.cfg.MaxTokens
	}
	if o.cfg.NoTools {
		talk = plain(talk, names)
	} else if tools, err := o.tools(p, names); err != nil {
		return nil, err
	} else if len(tools) > 0 {
		body["tools"] = tools
	}
	messages := []any{map[string]any{"role": "system", "content": system}}
	for _, x := range talk {
		messages = append(messages, o.message(x)...)
	}
	body["messages"] = messages
	return body, nil
}

// maxTokens is the key of the limit. OpenAI has renamed it, and its newer models
// reject the old name, the only one that other servers know.
func (o openAI) maxTokens() string {
	if o.cfg.URL == "" || strings.HasPrefix(o.cfg.URL, "https://api.openai.com/") {
		return "max_completion_tokens"
	}
	return "max_tokens"
}

func (o openAI) tools(p model.Prompt, names *toolNames) ([]any, error) {
	var out []any
	for _, t := range p.Callable() {
		schema, err := parameters(t)
		if err != nil {
			return nil, err
		}
		out = append(out, map[string]any{"type": "function", "function": map[string]any{
			"name": names.forModel(t.Name), "description": t.Doc, "parameters": schema,
		}})
	}
	return out, nil
}

func (openAI) message(x exchange) []any {
	m := map[string]any{"role": string(x.role), "content": x.text}
	if len(x.calls) == 0 {
		return []any{m}
	}
	if x.text == "" {
		m["content"] = nil
	}
	out := []any{m}
	var calls []any
	for i, c := range x.calls {
		calls = append(calls, map[string]any{"id": c.id, "type": "function",
			"function": map[string]any{"name": c.name, "arguments": c.arguments}})
		out = append(out, map[string]any{"role": "tool", "tool_call_id": c.id, "content": x.results[i]})
	}
	m["tool_calls"] = calls
	return out
}

// parse reads an answer.
func (o openAI) parse(top map[string]json.RawMessage, names *toolNames) (model.Completion, error) {
	var out model.Completion
	if text := complaint(top); text != "" {
		return out, fmt.Errorf("the answer is an error: %s", text)
	}
	choices, err := listOf(top["choices"])
	if err != nil || len(choices) == 0 {
		return out, errors.New("the answer has no choices")
	}
	choice, err := object(choices[0])
	if err != nil {
		return out, fmt.Errorf("the answer's choice is not an object: %w", err)
	}
	message, err := object(choice["message"])
	if err != nil {
		return out, errors.New("the answer's choice has no message")
	}
	if out.Text, err = content(message["content"]); err != nil {
		return out, fmt.Errorf("the answer's content: %w", err)
	}
	out.Text = unthought(out.Text)
	if refusal, err := textOf(message["refusal"]); err == nil && strings.TrimSpace(out.Text) == "" {
		out.Text = refusal
	}
	calls, err := listOf(message["tool_calls"])
	if err != nil {
		return out, errors.New("the answer's tool_calls are not a list")
	}
	reason, _ := textOf(choice["finish_reason"]) // servers have many words for a whole answer
	cut := slices.Contains([]string{"length", "max_tokens", "content_filter", "error"}, reason)
	out.Calls, err = o.calls(calls, cut, names)
	return out, err
}

func (openAI) calls(raw []json.RawMessage, cut bool, names *toolNames) ([]model.NativeCall, error) {
	if len(raw) > maxCalls {
		return nil, fmt.Errorf("the answer has %d tool calls, expected at most %d", len(raw), maxCalls)
	}
	var out []model.NativeCall
	for _, r := range raw {
		c, err := object(r)
		if err != nil {
			return nil, fmt.Errorf("a tool call is not an object: %w", err)
		}
		f, err := object(c["function"])
		if err != nil {
			return nil, errors.New("a tool call has no function")
		}
		name, err := textOf(f["name"])
		if err != nil || name == "" {
			return nil, errors.New("a tool call names no function")
		}
		id, _ := textOf(c["id"]) // one is made below
		arguments, err := textOf(f["arguments"])
		if err != nil {
			arguments = string(f["arguments"]) // some servers send the object itself
		}
		out = append(out, model.NativeCall{ID: id, Name: names.forUs(name), Arguments: arguments, Cut: cut})
	}
	return identified(out), nil
}

// content reads a message's text: a string, or a list of parts.
func content(raw json.RawMessage) (string, error) {
	text, err := textOf(raw)
	if err == nil {
		return text, nil
	}
	parts, err := listOf(raw)
	if err != nil {
		return "", errors.New("neither text nor a list of parts")
	}
	var b strings.Builder
	for _, p := range parts {
		part, err := object(p)
		if err != nil {
			return "", errors.New("a part that is not an object")
		}
		if kind, _ := textOf(part["type"]); kind != "text" {
			continue // thinking and other parts that are not shown
		}
		text, err := textOf(part["text"])
		if err != nil {
			return "", errors.New("a part whose text is none")
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// complaint is the error message in a body, "" if there is none.
func complaint(top map[string]json.RawMessage) string {
	raw, ok := top["error"]
	if !ok || string(raw) == "null" {
		return ""
	}
	if e, err := object(raw); err == nil {
		if text, err := textOf(e["message"]); err == nil && text != "" {
			return text
		}
	}
	if text, err := textOf(raw); err == nil && text != "" {
		return text
	}
	return string(raw)
}

// usage reads an answer's usage.
func (o openAI) usage(top map[string]json.RawMessage) model.Usage {
	u, err := object(top["usage"])
	if err != nil {
		return model.Usage{}
	}
	out := model.Usage{TokensIn: numberOf(u["prompt_tokens"]), TokensOut: numberOf(u["completion_tokens"])}
	out.Cost = o.cfg.cost(out)
	if told, ok := moneyOf(u["cost"]); ok && o.cfg.PriceIn == 0 && o.cfg.PriceOut == 0 {
		out.Cost = told // as OpenRouter does
	}
	return out
}
