package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/reason/model"
)

// anthropic speaks Anthropic's messages.
type anthropic struct{ cfg *Config }

const (
	maxAnthropicName = 64
	anthropicVersion = "2023-06-01"
	nothing          = "(nothing)" // where a text may not be empty
)

func (anthropic) defaults() (url, path, keyHeader, keyPrefix string) {
	return "https://api.anthropic.com/v1", "/messages", "X-Api-Key", ""
}

func (anthropic) headers() map[string]string {
	return map[string]string{"anthropic-version": anthropicVersion}
}

func (a anthropic) names(p model.Prompt) *toolNames {
	return newToolNames(p.Callable(), maxAnthropicName)
}

func (a anthropic) request(p model.Prompt) (map[string]any, error) {
	names := a.names(p)
	system, talk := p.NativeSystem, dialogue(p.Messages, names)
	if system == "" || a.cfg.NoTools {
		system = p.System
	}
	body := map[string]any{"model": a.cfg.Model, "max_tokens": a.cfg.MaxTokens, "system": system}
	if a.cfg.NoTools {
		talk = plain(talk, names)
	} else if tools, err := a.tools(p, names, talk); err != nil {
		return nil, err
	} else if len(tools) > 0 {
		body["tools"] = tools
	}
	body["messages"] = a.messages(talk)
	return body, nil
}

// tools also lists tools of earlier calls that are no longer offered, because the
// API requires every tool of the conversation to be declared.
func (a anthropic) tools(p model.Prompt, names *toolNames, talk []exchange) ([]any, error) {
	var out []any
	for _, t := range p.Callable() {
		schema, err := parameters(t)
		if err != nil {
			return nil, err
		}
		out = append(out, map[string]any{"name": names.forModel(t.Name), "description": t.Doc, "input_schema": schema})
	}
	if len(out) > 0 {
		return out, nil
	}
	for _, x := range talk {
		if len(x.calls) > 0 {
			return []any{map[string]any{"name": "none", "description": "Tools are no longer available.",
				"input_schema": json.RawMessage(`{"type":"object"}`)}}, nil
		}
	}
	return nil, nil
}

// messages alternates between user and assistant, and begins with the user.
func (anthropic) messages(talk []exchange) []any {
	type message struct {
		Role    string `json:"role"`
		Content []any  `json:"content"`
	}
	var all []*message
	add := func(role model.Role, blocks ...any) {
		if n := len(all); n > 0 && all[n-1].Role == string(role) {
			all[n-1].Content = append(all[n-1].Content, blocks...)
			return
		}
		if len(all) == 0 && role == model.RoleAssistant {
			all = append(all, &message{string(model.RoleUser), []any{textBlock("(What was said before is not shown.)")}})
		}
		all = append(all, &message{string(role), blocks})
	}
	for _, x := range talk {
		if len(x.calls) == 0 {
			add(x.role, textBlock(x.text))
			continue
		}
		var said, results []any
		if strings.TrimSpace(x.text) != "" {
			said = append(said, textBlock(x.text))
		}
		for i, c := range x.calls {
			said = append(said,
				map[string]any{"type": "tool_use", "id": c.id, "name": c.name, "input": json.RawMessage(c.arguments)})
			results = append(results, map[string]any{"type": "tool_result", "tool_use_id": c.id, "content": x.results[i]})
		}
		add(model.RoleAssistant, said...)
		add(model.RoleUser, results...)
	}
	if n := len(all); n == 0 || all[n-1].Role != string(model.RoleUser) {
		add(model.RoleUser, textBlock("Go on."))
	}
	out := make([]any, len(all))
	for i, m := range all {
		out[i] = m
	}
	return out
}

func textBlock(text string) any {
	if strings.TrimSpace(text) == "" {
		text = nothing
	}
	return map[string]any{"type": "text", "text": text}
}

func (a anthropic) parse(top map[string]json.RawMessage, names *toolNames) (model.Completion, error) {
	var out model.Completion
	if text := complaint(top); text != "" {
		return out, fmt.Errorf("the answer is an error: %s", text)
	}
	if _, ok := top["content"]; !ok {
		return out, errors.New("the answer has no content")
	}
	blocks, err := listOf(top["content"])
	if err != nil {
		return out, errors.New("the answer's content is not a list")
	}
	why, _ := textOf(top["stop_reason"])
	var said []string
	for _, raw := range blocks {
		b, err := object(raw)
		if err != nil {
			return out, fmt.Errorf("a block of the answer is not an object: %w", err)
		}
		switch kind, _ := textOf(b["type"]); kind {
		case "text":
			text, err := textOf(b["text"])
			if err != nil {
				return out, errors.New("a text block without a text")
			}
			said = append(said, text)
		case "tool_use":
			c, err := a.call(b, names)
			if err != nil {
				return out, err
			}
			c.Cut = !slices.Contains([]string{"", "tool_use", "end_turn", "stop_sequence"}, why)
			out.Calls = append(out.Calls, c)
		}
	}
	if len(out.Calls) > maxCalls {
		return model.Completion{}, fmt.Errorf("the answer has %d tool calls, expected at most %d", len(out.Calls), maxCalls)
	}
	out.Text, out.Calls = unthought(strings.Join(said, "")), identified(out.Calls)
	return out, nil
}

func (anthropic) call(block map[string]json.RawMessage, names *toolNames) (model.NativeCall, error) {
	name, err := textOf(block["name"])
	if err != nil || name == "" {
		return model.NativeCall{}, errors.New("a tool_use block names no tool")
	}
	id, _ := textOf(block["id"]) // one is made where it is missing
	arguments, err := textOf(block["input"])
	if err != nil {
		arguments = string(block["input"]) // the object; a stream's pieces come as text
	}
	return model.NativeCall{ID: id, Name: names.forUs(name), Arguments: arguments}, nil
}

func (a anthropic) usage(top map[string]json.RawMessage) model.Usage {
	u, err := object(top["usage"])
	if err != nil {
		return model.Usage{}
	}
	out := model.Usage{
		TokensIn: numberOf(u["input_tokens"]) + numberOf(u["cache_creation_input_tokens"]) + numberOf(
			u["cache_read_input_tokens"]),
		TokensOut: numberOf(u["output_tokens"]),
	}
	out.Cost = a.cfg.cost(out)
	return out
}
