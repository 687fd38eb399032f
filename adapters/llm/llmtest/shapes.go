package llmtest

import (
	"fmt"
	"strings"
)

// whole is an answer's body without streaming.
func (a API) whole(x Answer) string {
	switch a {
	case Responses:
		return text(response(status(x), items(x)))
	case Messages:
		return message(x)
	}
	return completion(x)
}

// stream is an answer's events.
func (a API) stream(s *Server, x Answer) []object {
	switch a {
	case Responses:
		return responseEvents(s, x)
	case Messages:
		return messageEvents(s, x)
	}
	return chunks(s, x)
}

const (
	created = 1_790_000_000
	model   = "scripted"
)

// OpenAI's chat completions.

func finish(x Answer) string {
	switch {
	case x.Cut:
		return "length"
	case len(x.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func function(c Call) object {
	return object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments}}
}

var chatUsage = object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}

func completion(x Answer) string {
	m := object{"role": "assistant", "content": nil, "refusal": nil}
	if x.Text != "" {
		m["content"] = x.Text
	}
	var calls []object
	for _, c := range x.Calls {
		calls = append(calls, function(c))
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	return text(object{"id": "chatcmpl-1", "object": "chat.completion", "created": created, "model": model,
		"usage":   chatUsage,
		"choices": []object{{"index": 0, "message": m, "logprobs": nil, "finish_reason": finish(x)}}})
}

func chunks(s *Server, x Answer) (out []object) {
	add := func(delta object, why any) {
		out = append(out, object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": created, "model": model,
			"choices": []object{{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": why}}})
	}
	add(object{"role": "assistant", "content": "", "refusal": nil}, nil)
	for _, p := range s.pieces(x.Text) {
		add(object{"content": p}, nil)
	}
	for i, c := range x.Calls {
		first := function(Call{c.ID, c.Name, ""})
		first["index"] = i
		add(object{"tool_calls": []object{first}}, nil)
		for _, p := range s.arguments(c.Arguments) {
			add(object{"tool_calls": []object{{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
	if x.Fails {
		return append(out, object{"error": object{"message": "the model is overloaded", "type": "server_error"}})
	}
	add(object{}, finish(x))
	return append(out, object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": created, "model": model,
		"choices": []object{}, "usage": chatUsage})
}

// OpenAI's responses.

func status(x Answer) string {
	if x.Cut {
		return "incomplete"
	}
	return "completed"
}

func said(x Answer, state string) object {
	return object{"type": "message", "id": "msg_1", "role": "assistant", "status": state,
		"content": []object{{"type": "output_text", "text": x.Text, "annotations": []any{}, "logprobs": []any{}}}}
}

func called(i int, c Call, state string) object {
	return object{"type": "function_call", "id": fmt.Sprintf("fc_%d", i), "call_id": c.ID, "name": c.Name,
		"arguments": c.Arguments, "status": state}
}

func items(x Answer) []object {
	out := []object{}
	if x.Text != "" {
		out = append(out, said(x, status(x)))
	}
	for i, c := range x.Calls {
		out = append(out, called(i, c, status(x)))
	}
	return out
}

func response(state string, output []object) object {
	r := object{"id": "resp_1", "object": "response", "created_at": created, "model": model, "status": state, "error": nil,
		"incomplete_details": nil, "instructions": nil, "metadata": object{}, "output": output, "parallel_tool_calls": true,
		"temperature": 1, "top_p": 1, "tool_choice": "auto", "tools": []any{}, "usage": nil}
	if state == "incomplete" {
		r["incomplete_details"] = object{"reason": "max_output_tokens"}
	}
	if state != "in_progress" {
		r["usage"] = object{"input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
			"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0}}
	}
	return r
}

func responseEvents(s *Server, x Answer) (out []object) {
	add := func(kind string, e object) {
		e["type"], e["sequence_number"] = kind, len(out)
		out = append(out, e)
	}
	add("response.created", object{"response": response("in_progress", []object{})})
	add("response.in_progress", object{"response": response("in_progress", []object{})})
	for at, item := range items(x) {
		begun := object{"output_index": at, "item": opened(item)}
		add("response.output_item.added", begun)
		where := func() object { return object{"item_id": item["id"], "output_index": at} }
		if item["type"] == "function_call" {
			args := item["arguments"].(string)
			for _, p := range s.arguments(args) {
				e := where()
				e["delta"] = p
				add("response.function_call_arguments.delta", e)
			}
			e := where()
			e["arguments"], e["name"] = args, item["name"]
			add("response.function_call_arguments.done", e)
		} else {
			for _, p := range s.pieces(x.Text) {
				e := where()
				e["content_index"], e["delta"], e["logprobs"] = 0, p, []any{}
				add("response.output_text.delta", e)
			}
		}
		add("response.output_item.done", object{"output_index": at, "item": item})
	}
	if x.Fails {
		add("error", object{"code": "server_error", "message": "the model is overloaded", "param": nil})
		return out
	}
	add("response."+status(x), object{"response": response(status(x), items(x))})
	return out
}

// opened is an item before anything of it was said.
func opened(item object) object {
	out := object{}
	for k, v := range item {
		out[k] = v
	}
	out["status"] = "in_progress"
	if out["type"] == "function_call" {
		out["arguments"] = ""
	} else {
		out["content"] = []any{}
	}
	return out
}

// Anthropic's messages.

func stop(x Answer) string {
	switch {
	case x.Cut:
		return "max_tokens"
	case len(x.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func head(content, why any) object {
	return object{"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": content,
		"stop_reason": why, "stop_sequence": nil, "usage": object{"input_tokens": 10, "output_tokens": 5}}
}

// message writes the input of a call as it stands, be it JSON or not.
func message(x Answer) string {
	blocks := []any{}
	if x.Text != "" {
		blocks = append(blocks, object{"type": "text", "text": x.Text})
	}
	var inputs []string
	for i, c := range x.Calls {
		input := fmt.Sprintf("\x01%d", i)
		inputs = append(inputs, text(input), c.Arguments)
		blocks = append(blocks, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": input})
	}
	return strings.NewReplacer(inputs...).Replace(text(head(blocks, stop(x))))
}

func messageEvents(s *Server, x Answer) (out []object) {
	add := func(kind string, e object) {
		e["type"] = kind
		out = append(out, e)
	}
	add("message_start", object{"message": head([]any{}, nil)})
	add("ping", object{})
	at := 0
	block := func(begin object, kind, key string, pieces []string) {
		add("content_block_start", object{"index": at, "content_block": begin})
		for _, p := range pieces {
			add("content_block_delta", object{"index": at, "delta": object{"type": kind, key: p}})
		}
		add("content_block_stop", object{"index": at})
		at++
	}
	if x.Text != "" {
		block(object{"type": "text", "text": ""}, "text_delta", "text", s.pieces(x.Text))
	}
	for _, c := range x.Calls {
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}, "input_json_delta", "partial_json",
			append([]string{""}, s.arguments(c.Arguments)...))
	}
	if x.Fails {
		add("error", object{"error": object{"type": "overloaded_error", "message": "Overloaded"}})
		return out
	}
	add("message_delta", object{"delta": object{"stop_reason": stop(x), "stop_sequence": nil},
		"usage": object{"output_tokens": 5}})
	add("message_stop", object{})
	return out
}
