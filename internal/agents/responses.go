package main

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// responses speaks OpenAI's Responses API, as Codex uses it.
func responses(m *model) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/responses", func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Input []struct {
				Type   string
				Output json.RawMessage
			}
		}
		if err := body(r, &q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var results []string
		for _, item := range q.Input {
			if item.Type == "function_call_output" || item.Type == "custom_tool_call_output" {
				results = append(results, flat(item.Output))
			}
		}
		n := len(results) + 1
		item := object{"type": "message", "role": "assistant", "id": fmt.Sprint("msg_", n),
			"content": []any{object{"type": "output_text", "text": "Done.", "annotations": []any{}}}}
		if s := m.next(results); s != nil {
			item = responsesCall(n, s)
		}
		out, id := streaming(w), fmt.Sprint("resp_", n)
		out.send("response.created", object{"type": "response.created", "response": object{"id": id}})
		out.send("response.output_item.done", object{"type": "response.output_item.done", "output_index": 0, "item": item})
		out.send("response.completed", object{"type": "response.completed", "response": object{"id": id,
			"output": []any{item},
			"usage": object{"input_tokens": 10, "input_tokens_details": nil, "output_tokens": 10, "output_tokens_details": nil,
				"total_tokens": 20}}})
	})
	return mux
}

// responsesCall is a call: of a function, or of apply_patch, which takes plain text.
func responsesCall(n int, s *step) object {
	id := fmt.Sprint("call_", n)
	if text, ok := s.args["input"].(string); ok && s.tool == "apply_patch" {
		return object{"type": "custom_tool_call", "id": "ctc_" + id, "call_id": id, "name": s.tool, "input": text}
	}
	args, _ := json.Marshal(s.args)
	return object{"type": "function_call", "id": "fc_" + id, "call_id": id, "name": s.tool, "arguments": string(args)}
}
