package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// anthropic speaks the Messages API. Requests without tools are the host's own, such as for a
// title, and are answered with a word.
func anthropic(m *model) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Stream   bool
			Tools    []json.RawMessage
			Messages []struct {
				Role    string
				Content json.RawMessage
			}
		}
		if err := body(r, &q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var results []string
		for _, msg := range q.Messages {
			var blocks []struct {
				Type    string
				Content json.RawMessage
			}
			if json.Unmarshal(msg.Content, &blocks) != nil {
				continue
			}
			for _, b := range blocks {
				if b.Type == "tool_result" {
					results = append(results, flat(b.Content))
				}
			}
		}
		var s *step
		if len(q.Tools) > 0 {
			s = m.next(results)
		}
		block, stop := object{"type": "text", "text": "Done."}, "end_turn"
		if s != nil {
			id := fmt.Sprintf("toolu_%02d", len(results)+1)
			block, stop = object{"type": "tool_use", "id": id, "name": s.tool, "input": s.args}, "tool_use"
		}
		usage := object{"input_tokens": 10, "output_tokens": 10}
		if !q.Stream {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(object{"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted",
				"content": []any{block}, "stop_reason": stop, "stop_sequence": nil, "usage": usage})
			return
		}
		anthropicStream(streaming(w), block, stop, usage)
	})
	mux.HandleFunc("POST /v1/messages/count_tokens", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(object{"input_tokens": 10})
	})
	return mux
}

func anthropicStream(out stream, block object, stop string, usage object) {
	out.send("message_start", object{"type": "message_start", "message": object{"id": "msg_1", "type": "message",
		"role": "assistant", "model": "scripted", "content": []any{}, "stop_reason": nil,
		"stop_sequence": nil, "usage": usage}})
	start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": block["text"]}
	if block["type"] == "tool_use" {
		raw, _ := json.Marshal(block["input"])
		start = object{"type": "tool_use", "id": block["id"], "name": block["name"], "input": object{}}
		delta = object{"type": "input_json_delta", "partial_json": strings.TrimSpace(string(raw))}
	}
	out.send("content_block_start", object{"type": "content_block_start", "index": 0, "content_block": start})
	out.send("content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": delta})
	out.send("content_block_stop", object{"type": "content_block_stop", "index": 0})
	out.send("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil},
		"usage": usage})
	out.send("message_stop", object{"type": "message_stop"})
}
